"""What is read of Crush's database: sessions, their messages, and the files that they changed or read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from archive_pipeline.readers.declaration import DatabaseReader
from archive_pipeline.readers.json.shapes import as_identifier, as_list, order_number

MESSAGES: Final = "messages"
SESSIONS: Final = "sessions"
DATABASE: Final = DatabaseReader(
    layouts=(
        {
            SESSIONS: frozenset({"id", "parent_session_id", "title", "message_count", "prompt_tokens", "created_at"}),
            MESSAGES: frozenset({"id", "session_id", "role", "parts", "model", "created_at", "finished_at"}),
        },
    ),
    keys={
        "files": ("session_id",),
        MESSAGES: ("session_id",),
        "read_files": ("session_id",),
        SESSIONS: ("id",),
    },
    conversations="sources/crush/conversations",
    rows="sources/crush/rows",
    json={MESSAGES: frozenset({"parts"}), SESSIONS: frozenset({"todos"})},
)


def messages_of(tables: Mapping[str, Any]) -> list[Any]:
    """Returns the rows of messages in the order that Crush reads them in: by seconds, else as they were written."""
    rows = as_list(tables.get(MESSAGES))
    ordered = sorted((row for row in rows if isinstance(row, dict)), key=_moment)
    return [*ordered, *(row for row in rows if not isinstance(row, dict))]


def row_of(tables: Mapping[str, Any], session: object) -> dict[str, Any]:
    """Returns the row of a session; ``{}`` if there is none."""
    rows = (row for row in as_list(tables.get(SESSIONS)) if isinstance(row, dict))
    name = as_identifier(session)
    return next((row for row in rows if name is not None and as_identifier(row.get("id")) == name), {})


def _moment(row: Mapping[str, Any]) -> float:
    return order_number(row.get("created_at"))
