"""What is read of Goose's database: sessions, their messages, and what each call of a model cost.

Tables of threads (schema versions 10 and 11) repeat messages of sessions in other pieces and are not read.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from archive_pipeline.readers.declaration import DatabaseReader
from archive_pipeline.readers.json.shapes import as_identifier, as_list, order_number

MESSAGES: Final = "messages"
SESSIONS: Final = "sessions"
USAGE: Final = "usage_ledger"
DATABASE: Final = DatabaseReader(
    layouts=(
        {
            SESSIONS: frozenset({"id", "working_dir", "created_at"}),
            MESSAGES: frozenset({"id", "session_id", "role", "content_json", "created_timestamp"}),
        },
    ),
    keys={
        MESSAGES: ("session_id",),
        SESSIONS: ("id", "parent_session_id"),
        USAGE: ("session_id",),
    },
    conversations="sources/goose/conversations",
    rows="sources/goose/rows",
    json={
        MESSAGES: frozenset({"content_json", "metadata_json"}),
        SESSIONS: frozenset(
            {"extension_data", "recipe_json", "user_recipe_values_json", "model_config_json", "parent_delegation"}
        ),
    },
)
# Columns by the names that messages have in exports and files.
_NAMES: Final[Mapping[str, str]] = {
    "id": "row",
    "message_id": "id",
    "created_timestamp": "created",
    "content_json": "content",
    "metadata_json": "metadata",
}
_Row = dict[str, Any]


def messages_of(tables: Mapping[str, Any], session: str | None) -> list[Any]:
    """Returns the messages of rows as exports have them, in the order that Goose reads them in."""
    rows = as_list(tables.get(MESSAGES))
    ordered = sorted((row for row in rows if isinstance(row, dict)), key=_order)
    return [*(_message(row, session) for row in ordered), *(row for row in rows if not isinstance(row, dict))]


def row_of(tables: Mapping[str, Any], session: object) -> _Row:
    """Returns the row of a session; ``{}`` if there is none."""
    rows = (row for row in as_list(tables.get(SESSIONS)) if isinstance(row, dict))
    name = as_identifier(session)
    return next((row for row in rows if name is not None and as_identifier(row.get("id")) == name), {})


def _order(row: _Row) -> tuple[float, float]:
    return order_number(row.get("created_timestamp")), order_number(row.get("id"))


def _message(row: _Row, session: str | None) -> _Row:
    said = {name: item for name, item in row.items() if (name, item) != ("session_id", session)}
    taken = row.keys() - _NAMES.keys()
    return {name if _NAMES.get(name, name) in taken else _NAMES.get(name, name): item for name, item in said.items()}
