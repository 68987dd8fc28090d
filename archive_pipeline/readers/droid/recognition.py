"""How a session of Droid is told from those of other agents, which write lines with messages too."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from archive_pipeline.readers.declaration import Evidence
from archive_pipeline.readers.json.shapes import as_object
from archive_pipeline.readers.json_lines import objects_of

HEADER: Final = "session_start"
# Of the first line, beside its id; versions have some of them.
_OF_HEADER: Final = frozenset(
    {"title", "sessionTitle", "owner", "version", "cwd", "hostId", "isSessionTitleManuallySet"}
)
_ENOUGH: Final = 2
# Of messages: fields that no other product writes beside role and content.
_OF_MESSAGE: Final = frozenset(
    {"chatCompletionReasoningField", "hookEventName", "interactionMode", "modelId", "openaiMessageId", "visibility"}
)
_OF_STATES: Final[Mapping[str, frozenset[str]]] = {
    "todo_state": frozenset({"id", "todos"}),
    "compaction_state": frozenset({"id", "summaryText"}),
    "agent_turn_outcome": frozenset({"turnId", "reason"}),
}


def is_header(line: Mapping[str, Any]) -> bool:
    """Tells the first line of a session."""
    has_id = line.get("type") == HEADER and isinstance(line.get("id"), str)
    return has_id and len(line.keys() & _OF_HEADER) >= _ENOUGH


def is_line(value: Mapping[str, Any]) -> bool:
    """Tells a line of a session that no other product writes from anything else."""
    return is_header(value) or _is_state(value) or (_is_message(value) and not _OF_MESSAGE.isdisjoint(value["message"]))


def recognise(value: Mapping[str, Any]) -> Evidence:
    """Judges a file's lines: Droid's have a header of its own, and messages."""
    objects = objects_of(value)
    if objects is None:
        return Evidence(0.0, "no lines of a session")
    has_header = any(map(is_header, objects))
    if has_header and any(_is_message(line) or _is_state(line) for line in objects):
        return Evidence(1.0, "a line session_start with its fields, and messages")
    if has_header:
        return Evidence(0.6, "a line session_start with its fields, without messages")
    if any(map(is_line, objects)):
        return Evidence(0.9, "messages with fields of Droid, without session_start")
    return Evidence(0.0, "no line session_start, and no messages with fields of Droid")


def _is_message(line: Mapping[str, Any]) -> bool:
    message = as_object(line.get("message"))
    return line.get("type") == "message" and "id" in line and "role" in message and "content" in message


def _is_state(line: Mapping[str, Any]) -> bool:
    kind = line.get("type")
    return isinstance(kind, str) and kind in _OF_STATES and line.keys() >= _OF_STATES[kind]
