"""How a session of Hermes is told from other objects that have messages with roles."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from archive_pipeline.readers.declaration import Evidence
from archive_pipeline.readers.json.shapes import as_object

SOURCE: Final = "hermes"
_OF_SESSION: Final = frozenset({"id", "source", "started_at"})
_OF_MESSAGE: Final = frozenset({"session_id", "role", "timestamp"})


def recognise(value: Mapping[str, Any]) -> Evidence:
    """Judges an object by the columns of its session and messages, or by the database that it was read from."""
    if "database" in value:
        is_own = value["database"] == SOURCE and isinstance(value.get("tables"), dict)
        return Evidence(1.0, "rows of its database") if is_own else Evidence(0.0, "no row of its database")
    messages = value.get("messages")
    if not isinstance(messages, list) or not value.keys() >= _OF_SESSION:
        return Evidence(0.0, "no messages beside id, source and started_at")
    if any(as_object(item).keys() >= _OF_MESSAGE for item in messages):
        return Evidence(1.0, "messages with session_id, of a session with source and started_at")
    if not messages and "message_count" in value:
        return Evidence(0.6, "a session without messages")
    return Evidence(0.1, "a session, but no message with session_id")
