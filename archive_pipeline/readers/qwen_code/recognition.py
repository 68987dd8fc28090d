"""How a session of Qwen Code is told from those of Claude Code, whose lines name themselves in the same way."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from archive_pipeline.readers.declaration import Evidence
from archive_pipeline.readers.json.shapes import as_object
from archive_pipeline.readers.json_lines import objects_of

SYSTEM: Final = "system"
PAYLOAD: Final = "systemPayload"
_MESSAGES: Final = frozenset({"assistant", "tool_result", "user"})
_OF_RECORDS: Final = frozenset({"uuid", "parentUuid", "sessionId"})


def is_line(value: Mapping[str, Any]) -> bool:
    """Tells a line of a session from anything else."""
    return _is_message(value) or _is_event(value)


def recognise(value: Mapping[str, Any]) -> Evidence:
    """Judges a file's lines: messages are those of Google's API, and name their session and the line before them."""
    objects = objects_of(value)
    if objects is None:
        return Evidence(0.0, "no lines of a session")
    if any(map(_is_message, objects)):
        return Evidence(1.0, "lines with uuid, parentUuid and sessionId, and messages with parts")
    if any(map(_is_event, objects)):
        return Evidence(0.6, "lines with a systemPayload, without messages")
    return Evidence(0.0, "no lines with uuid, parentUuid and sessionId, and messages with parts")


def _is_message(line: Mapping[str, Any]) -> bool:
    kind = line.get("type")
    is_message = isinstance(kind, str) and kind in _MESSAGES and line.keys() >= _OF_RECORDS
    return is_message and isinstance(as_object(line.get("message")).get("parts"), list)


def _is_event(line: Mapping[str, Any]) -> bool:
    is_event = line.get("type") == SYSTEM and line.keys() >= _OF_RECORDS
    return is_event and isinstance(line.get("subtype"), str) and PAYLOAD in line
