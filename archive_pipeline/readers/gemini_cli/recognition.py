"""What speaks for an object being a session of Gemini CLI, or a line of one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from archive_pipeline.readers.declaration import Evidence
from archive_pipeline.readers.json.shapes import as_list, as_text
from archive_pipeline.readers.json_lines import LINES

# Of the object that a session is, and of the first line of a file of lines; together nobody else has them.
_HEAD: Final = ("sessionId", "projectHash")
_TYPES: Final = frozenset({"user", "gemini", "info", "error", "warning"})


def is_line(value: Mapping[str, Any]) -> bool:
    """Tells the first line of a file of lines, which has no messages."""
    return _has_head(value) and "messages" not in value


def recognise(value: Mapping[str, Any]) -> Evidence:
    """Judges an object by what it says of its session."""
    if LINES in value:
        is_one = any(map(_has_head, _objects(as_list(value[LINES]))))
        return Evidence(1.0, "a line with sessionId and projectHash") if is_one else Evidence(0.0, "no such lines")
    if not _has_head(value) or "messages" not in value:
        return Evidence(0.0, "no messages beside sessionId and projectHash")
    messages = as_list(value["messages"])
    if any(as_text(item.get("type")) in _TYPES and "timestamp" in item for item in _objects(messages)):
        return Evidence(1.0, "messages of a session")
    if not messages:
        return Evidence(0.6, "a session without messages")
    return Evidence(0.1, "a session, but no messages with a type and timestamp")


def _has_head(value: Mapping[str, Any]) -> bool:
    return all(isinstance(value.get(name), str) for name in _HEAD)


def _objects(items: Iterable[object]) -> Iterable[Mapping[str, Any]]:
    return (item for item in items if isinstance(item, dict))
