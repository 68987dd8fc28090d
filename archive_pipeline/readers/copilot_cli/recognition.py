"""How a session of Copilot CLI is told: each of its lines is an event with data, and a pointer to the one before."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from archive_pipeline.readers.declaration import Evidence
from archive_pipeline.readers.json.shapes import as_object
from archive_pipeline.readers.json_lines import objects_of

START: Final = "session.start"
_OF_START: Final = frozenset({"producer", "copilotVersion", "startTime"})
# Events that no other product writes in such lines.
_OWN: Final = frozenset(
    {
        *("session.resume", "session.model_change", "session.shutdown", "user.message", "assistant.message"),
        *("assistant.turn_start", "assistant.turn_end", "tool.execution_start", "tool.execution_complete"),
    }
)
_OF_EVENT: Final = frozenset({"type", "data", "id", "timestamp", "parentId"})


def is_line(value: Mapping[str, Any]) -> bool:
    """Tells an event of a session from anything else."""
    kind = value.get("type")
    if not isinstance(kind, str) or not isinstance(value.get("data"), dict):
        return False
    if kind == START:
        return isinstance(value["data"].get("sessionId"), str) and not _OF_START.isdisjoint(value["data"])
    return kind in _OWN and value.keys() >= _OF_EVENT


def recognise(value: Mapping[str, Any]) -> Evidence:
    """Judges a file's lines by their events."""
    objects = objects_of(value)
    if objects is None:
        return Evidence(0.0, "no lines of a session")
    has_start = any(line.get("type") == START and is_line(line) for line in objects)
    has_others = any(as_object(line).get("type") != START and is_line(line) for line in objects)
    if has_others:
        return Evidence(1.0 if has_start else 0.9, "events with data, id and parentId")
    return Evidence(0.6, "session.start alone") if has_start else Evidence(0.0, "no events with data and parentId")
