"""What is read of OpenClaw's database, and a session of it as the file of lines that earlier versions wrote.

The table of events has the lines as they were. Logins, memories and the queues of the gateway are in other tables of
the same database, which are not read; those of runs, search and branches repeat what the lines say.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from archive_pipeline.readers.declaration import DatabaseReader
from archive_pipeline.readers.json.shapes import as_list, as_object, as_text
from archive_pipeline.readers.json_lines import LINES
from archive_pipeline.readers.pi.recognition import TABLES, is_of_database

_EVENTS: Final = "transcript_events"
_LINE: Final = "event_json"
_SESSION: Final = "session_id"
# Of the names of a session, the first that it has is what OpenClaw shows.
_NAMES: Final = (("session_nodes", "label"), ("session_nodes", "display_name"), ("session_windows", "display_name"))

DATABASE: Final = DatabaseReader(
    layouts=({_EVENTS: frozenset({_SESSION, "seq", _LINE})},),
    keys={
        _EVENTS: (_SESSION, "seq"),
        "session_nodes": ("current_session_id",),
        "session_windows": (_SESSION,),
    },
    conversations="sources/pi/conversations",
    rows="sources/pi/rows",
    json={_EVENTS: frozenset({_LINE}), "session_nodes": frozenset({"entry_json"})},
)


def as_file(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns the object that a file of a session's lines is read as; ``tables`` has what the rows say beside them."""
    tables = as_object(value.get(TABLES))
    rows = tables.get(_EVENTS)
    if not is_of_database(value) or not isinstance(rows, list):
        return value
    lines = [row[_LINE] if _is_event(row) else row for row in rows]
    session = value.get("conversation_id")
    beside = [_without_line(row, session) for row in rows if _is_event(row)]
    return {**value, LINES: lines, TABLES: {**tables, _EVENTS: beside}}


def shown_name(value: Mapping[str, Any]) -> str | None:
    """Returns the name that OpenClaw shows of a session; None if its rows have none, or it is read from a file."""
    tables = as_object(value.get(TABLES))
    found = (as_text(as_object(row).get(column)) for table, column in _NAMES for row in as_list(tables.get(table)))
    return next((name for name in found if name is not None), None)


def _is_event(row: object) -> bool:
    return isinstance(row, dict) and _LINE in row


def _without_line(row: dict[str, Any], session: object) -> dict[str, Any]:
    return {name: item for name, item in row.items() if name != _LINE and (name, item) != (_SESSION, session)}
