"""What is read of OpenCode's database, and the rows of a session in the shape of its export.

A database that version 2 has taken over has a session in the tables of both versions: the older ones stay as they are,
with all that was said until then, and the newer ones have most of that in another form, with the same ids, and what was
said since. What both have is read from the older tables, and the newer row is kept with it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from heapq import merge
from typing import Any, Final

from archive_pipeline.readers.declaration import DatabaseReader
from archive_pipeline.readers.json.shapes import as_identifier, as_list, as_object, as_text, order_number

_OF_SESSION: Final = frozenset({"id", "project_id", "directory", "title"})
_OF_STORED: Final = frozenset({"id", "session_id", "data"})
_JSON_OF_SESSION: Final = frozenset({"fork_boundary", "summary_diffs", "revert", "permission", "model", "metadata"})
_JSON: Final = frozenset({"data"})
DATABASE: Final = DatabaseReader(
    layouts=(
        {"session": _OF_SESSION, "message": _OF_STORED, "part": _OF_STORED | {"message_id"}},
        {"session_v2": _OF_SESSION, "session_message": _OF_STORED | {"type"}},
        {"session": _OF_SESSION, "session_message": _OF_STORED | {"type"}},
    ),
    keys={
        "message": ("session_id",),
        "part": ("session_id",),
        "project": ("id",),
        "session": ("id", "project_id"),
        "session_message": ("session_id",),
        "session_v2": ("id", "project_id"),
        "todo": ("session_id",),
    },
    conversations="sources/opencode/conversations",
    rows="sources/opencode/rows",
    json={
        "message": _JSON,
        "part": _JSON,
        "project": frozenset({"sandboxes", "commands"}),
        "session": _JSON_OF_SESSION,
        "session_message": _JSON,
        "session_v2": _JSON_OF_SESSION,
    },
)

SAME: Final = "session_message"  # of a message: rows of the newer table that say the same
# What taking over makes of a part of a message, with the time of that message.
_MADE_OF_PARTS: Final = frozenset({"synthetic", "system"})
_NAMES: Final[Mapping[str, str]] = {
    "message_id": "messageID",
    "parent_id": "parentID",
    "project_id": "projectID",
    "session_id": "sessionID",
    "workspace_id": "workspaceID",
}
_TIME: Final = "time_"
_Row = dict[str, Any]


def as_export(value: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the object that OpenCode's export has of a session; ``tables`` has the rows that it has no place for."""
    tables = dict(as_object(value.get("tables")))
    messages = [*_messages(tables)]
    info = _info(tables)
    info.setdefault("id", value.get("conversation_id"))
    others = {name: item for name, item in value.items() if name != "tables"}
    return {**others, "info": info, "messages": messages, "tables": tables}


def _info(tables: dict[str, Any]) -> _Row:
    """Takes the row of the session: that of the newer table, if there is one."""
    for table in ("session_v2", "session"):
        rows = as_list(tables.get(table))
        if rows and isinstance(rows[0], dict):
            tables[table] = rows[1:]
            return _with_time(_renamed(rows[0]))
    return {}


def _with_time(row: _Row) -> _Row:
    if "time" in row:
        return row
    time = {name.removeprefix(_TIME): item for name, item in row.items() if name.startswith(_TIME)}
    return {**{name: item for name, item in row.items() if not name.startswith(_TIME)}, "time": time}


def _messages(tables: dict[str, Any]) -> Iterator[Any]:
    """Takes the rows of messages, in their order; what is no row comes last."""
    older, newer = _taken(tables, "message"), _taken(tables, SAME)
    parts = _parts(tables)
    messages = [_with_parts(row, parts) for row in sorted(_rows(older), key=_older_order)]
    if orphans := [row for rows in parts.values() for row in rows]:
        tables["part"] = [*as_list(tables.get("part")), *orphans]
    added = _added(messages, sorted(_rows(newer), key=_newer_order))
    yield from merge(messages, added, key=_moment)
    yield from (row for row in (*older, *newer) if not isinstance(row, dict))


def _taken(tables: dict[str, Any], table: str) -> list[Any]:
    rows = tables.get(table)
    if not isinstance(rows, list):
        return []
    del tables[table]
    return rows


def _rows(rows: list[Any]) -> list[_Row]:
    return [row for row in rows if isinstance(row, dict)]


def _parts(tables: dict[str, Any]) -> dict[str, list[_Row]]:
    """Takes the parts by the message that they are of."""
    found: dict[str, list[_Row]] = defaultdict(list)
    left: list[Any] = []
    for row in _taken(tables, "part"):
        name = as_identifier(row.get("message_id")) if isinstance(row, dict) else None
        if name is None:
            left.append(row)
        else:
            found[name].append(row)
    if left:
        tables["part"] = left
    return found


def _with_parts(row: _Row, parts: dict[str, list[_Row]]) -> _Row:
    own = parts.pop(as_identifier(row.get("id")) or "", [])
    return {"info": _said(row), "parts": [_said(part) for part in sorted(own, key=_id)]}


def _added(messages: list[_Row], rows: list[_Row]) -> list[_Row]:
    """Returns what the newer table has alone; its other rows go to the messages that say the same."""
    by_id = {as_identifier(each["info"].get("id")): each for each in messages}
    by_time = {each["info"].get("time_created"): each for each in messages if _moment(each)}
    added = []
    for row in rows:
        same = by_id.get(as_identifier(row.get("id")))
        if same is None and as_text(row.get("type")) in _MADE_OF_PARTS and order_number(row.get("time_created")):
            same = by_time.get(row["time_created"])
        if same is None:
            added.append(_said(row))
        else:
            same.setdefault(SAME, []).append(row)
    return added


def _said(row: _Row) -> _Row:
    """Returns what a row says in its column of JSON, and its other columns.

    Where both have a name, that is the column's, and the JSON stays besides.
    """
    columns = _renamed(row)
    data = columns.pop("data", None)
    if not isinstance(data, dict):
        return columns if data is None else {**columns, "data": data}
    is_plain = all(data.get(name, item) == item for name, item in columns.items())
    return {**data, **columns} if is_plain else {**data, **columns, "data": data}


def _renamed(row: _Row) -> _Row:
    """Returns the columns by the names that the export has for them."""
    return {_NAMES[name] if name in _NAMES and _NAMES[name] not in row else name: item for name, item in row.items()}


def _id(row: _Row) -> str:
    return as_identifier(row.get("id")) or ""


def _older_order(row: _Row) -> tuple[float, str]:
    return order_number(row.get("time_created")), _id(row)


def _newer_order(row: _Row) -> float:
    return order_number(row.get("seq"))


def _moment(message: _Row) -> float:
    return order_number(as_object(message.get("info", message)).get("time_created"))
