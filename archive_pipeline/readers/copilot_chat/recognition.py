"""How a session of Copilot Chat is told, as an object and as the log whose first line has it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from archive_pipeline.readers.declaration import Evidence
from archive_pipeline.readers.json.shapes import as_object
from archive_pipeline.readers.json_lines import LINES, objects_of

REQUESTS: Final = "requests"
# Whose answers they are: all exports and sessions say it.
_RESPONDER: Final = "responderUsername"
_OF_SESSION: Final = ("sessionId", "creationDate")
_OF_REQUEST: Final = frozenset({"response", "requestId", "variableData", "agent"})


def is_line(value: Mapping[str, Any]) -> bool:
    """Tells the first line of a log, which has the session as it was then."""
    return is_snapshot(value) and _is_session(as_object(value.get("v")))


def is_snapshot(line: Mapping[str, Any]) -> bool:
    """Tells a line of a log that has the whole session from one that has a change."""
    return is_kind(line, 0) and isinstance(line.get("v"), dict)


def is_kind(line: Mapping[str, Any], kind: int) -> bool:
    """Tells whether a line of a log is of a kind; true and false are no numbers."""
    return type(line.get("kind")) is int and line["kind"] == kind


def recognise(value: Mapping[str, Any]) -> Evidence:
    """Judges an object by its requests: Copilot's have a message, and an answer or who gives it."""
    if LINES in value:
        is_one = any(map(is_line, objects_of(value) or []))
        return Evidence(1.0, "a line with a session") if is_one else Evidence(0.0, "no line with a session")
    if not isinstance(value.get(REQUESTS), list):
        return Evidence(0.0, "no requests")
    is_session = _is_session(value)
    if is_session and any(map(_is_request, value[REQUESTS])):
        return Evidence(1.0, "requests with a message, and who answers")
    if is_session and not value[REQUESTS]:
        return Evidence(0.6, "a session without requests")
    return Evidence(0.1 if is_session else 0.0, "requests, but none with a message")


def _is_session(value: Mapping[str, Any]) -> bool:
    is_one = isinstance(value.get(_RESPONDER), str) or all(name in value for name in _OF_SESSION)
    return is_one and isinstance(value.get(REQUESTS), list)


def _is_request(item: object) -> bool:
    return isinstance(item, dict) and "message" in item and not _OF_REQUEST.isdisjoint(item)
