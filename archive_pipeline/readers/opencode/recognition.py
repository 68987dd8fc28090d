"""How a session of OpenCode is told from other objects that have messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from archive_pipeline.readers.declaration import Evidence
from archive_pipeline.readers.json.shapes import as_object, as_text

SOURCE: Final = "opencode"
# What stands between the messages of version 2 and is none: another model, agent or folder, or that all is done.
NO_MESSAGES: Final = frozenset({"agent-switched", "model-switched", "location-switched", "compaction-status", "idle"})
_ENTRIES: Final = NO_MESSAGES | {"user", "synthetic", "system", "skill", "shell", "assistant", "compaction"}
_ROLES: Final = frozenset({"user", "assistant"})
# Of a session: version 1 has the folder by itself, version 2 below ``location``.
_PLACES: Final = ("directory", "location")


def recognise(value: Mapping[str, Any]) -> Evidence:
    """Judges an object by its messages and what it says of its session, or by the database that it was read from."""
    if "database" in value:
        is_own = value["database"] == SOURCE and isinstance(value.get("tables"), dict)
        return Evidence(1.0, "rows of its database") if is_own else Evidence(0.0, "no row of its database")
    info, messages = value.get("info"), value.get("messages")
    if not isinstance(info, dict) or not isinstance(messages, list):
        return Evidence(0.0, _part_of(value) or "no messages beside info")
    if any(map(_is_message, messages)):
        return Evidence(1.0, "messages with info and parts of a session")
    is_session = isinstance(info.get("id"), str) and "projectID" in info and any(name in info for name in _PLACES)
    if is_session and any(map(_is_entry, messages)):
        return Evidence(1.0, "messages with a type and time of a session")
    if is_session and not messages:
        return Evidence(0.6, "a session without messages")
    return Evidence(0.1 if is_session else 0.0, "messages beside info, but none of a session")


def _is_message(item: object) -> bool:
    info = as_object(as_object(item).get("info"))
    return (
        as_text(info.get("role")) in _ROLES and "sessionID" in info and isinstance(as_object(item).get("parts"), list)
    )


def _is_entry(item: object) -> bool:
    entry = as_object(item)
    return as_text(entry.get("type")) in _ENTRIES and "created" in as_object(entry.get("time")) and "id" in entry


def _part_of(value: Mapping[str, Any]) -> str | None:
    """Returns what a file of OpenCode's older folder ``storage`` is: each has a message, a part, or a title."""
    is_piece = "sessionID" in value or {"id", "projectID", "directory"} <= value.keys()
    return "a piece of a session, as its folder storage has them; export the session instead" if is_piece else None
