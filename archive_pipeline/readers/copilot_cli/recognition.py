"""How a session of Copilot CLI is told: each of its lines is an event with data, and a pointer to the one before."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from archive_pipeline.readers.declaration import Evidence
from archive_pipeline.readers.json.shapes import as_object
from archive_pipeline.readers.json_lines import objects_of

START: Final = "session.start"
_PRODUCER: Final = "copilot"  # what names of programs that write such lines begin with
# What the data of events has, that no other product writes in such lines: all of the first, any of the second.
_OWN: Final[Mapping[str, tuple[frozenset[str], frozenset[str]]]] = {
    "session.resume": (frozenset(), frozenset({"resumeTime", "eventCount"})),
    "session.model_change": (frozenset({"newModel"}), frozenset()),
    "session.shutdown": (frozenset({"shutdownType"}), frozenset()),
    "user.message": (
        frozenset({"content"}),
        frozenset({"transformedContent", "attachments", "agentMode", "interactionId"}),
    ),
    "assistant.turn_start": (frozenset({"turnId"}), frozenset()),
    "assistant.turn_end": (frozenset({"turnId"}), frozenset()),
    "assistant.message": (
        frozenset({"messageId", "content"}),
        frozenset({"toolRequests", "apiCallId", "interactionId", "reasoningOpaque", "outputTokens", "turnId"}),
    ),
    "tool.execution_start": (frozenset({"toolCallId", "toolName"}), frozenset()),
    "tool.execution_complete": (frozenset({"toolCallId", "success"}), frozenset()),
}
_OF_EVENT: Final = frozenset({"type", "data", "id", "timestamp", "parentId"})


def is_line(value: Mapping[str, Any]) -> bool:
    """Tells an event of a session from anything else."""
    return is_start(value) or _is_own(value)


def is_start(value: object) -> bool:
    """Tells the first event of a session, which says what program wrote it."""
    event = as_object(value)
    data = as_object(event.get("data"))
    if event.get("type") != START or not isinstance(data.get("sessionId"), str):
        return False
    producer = data.get("producer")
    return "copilotVersion" in data or (isinstance(producer, str) and producer.startswith(_PRODUCER))


def recognise(value: Mapping[str, Any]) -> Evidence:
    """Judges a file's lines by their events."""
    objects = objects_of(value)
    if objects is None:
        return Evidence(0.0, "no lines of a session")
    if any(map(is_start, objects)):
        has_others = any(map(_has_data, objects))
        return Evidence(1.0, "session.start and others") if has_others else Evidence(0.6, "session.start alone")
    if any(map(_is_own, objects)):
        return Evidence(0.9, "events with data, id and parentId")
    return Evidence(0.0, "no session.start of Copilot's, and no events with its data and parentId")


def _has_data(value: Mapping[str, Any]) -> bool:
    kind = value.get("type")
    return isinstance(kind, str) and kind in _OWN and isinstance(value.get("data"), dict)


def _is_own(value: Mapping[str, Any]) -> bool:
    if not _has_data(value) or not value.keys() >= _OF_EVENT:
        return False
    needed, some = _OWN[value["type"]]
    return value["data"].keys() >= needed and not (some and some.isdisjoint(value["data"]))
