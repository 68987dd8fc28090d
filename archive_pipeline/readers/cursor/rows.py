"""The rows of a conversation put together: what is said of it, and its messages in their order.

Versions differ in where messages are: rows of their own, of which the conversation has a list; an array or an object in
the conversation; an array in a tab of the former chat. What is read is the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

from archive_pipeline.readers.cursor.database import (
    BUBBLE,
    BY_ID,
    HEADERS,
    HEADS,
    INLINE,
    KEY,
    NEWER,
    OLDER,
    VALUE,
    ids_in,
)
from archive_pipeline.readers.json.fields import is_empty
from archive_pipeline.readers.json.parsing import parse_json
from archive_pipeline.readers.json.shapes import as_identifier, as_list, as_object, as_text
from archive_pipeline.readers.timestamps import read_timestamp

_CREATED: Final = "createdAt"
_BEFORE: Final = datetime.min.replace(tzinfo=UTC)
# Of versions that have no calls of tools in messages.
_CAPABILITIES: Final = "capabilities"
_CALLS: Final = "bubbleDataMap"


@dataclass(slots=True)
class Conversation:
    """A conversation as its rows have it.

    Attributes:
        about: what is said of it.
        head: what the list of conversations says of it.
        messages: in their order.
        headers: what the conversation says of its messages, by their ids.
        apart: messages that it does not name: of an answer that was made again, of a prompt that was edited.
        missing: how many of those that it names are not there.
        left: rows that are neither.
    """

    about: dict[str, Any]
    head: Mapping[str, Any]
    messages: list[Any]
    headers: Mapping[str, Mapping[str, Any]]
    apart: list[Any]
    missing: int
    left: dict[str, Any]


@dataclass(slots=True)
class _Rows:
    """The rows of a conversation by what they are."""

    about: dict[str, Any] = field(default_factory=dict)
    messages: list[Any] = field(default_factory=list)
    left: list[Any] = field(default_factory=list)


def put_together(tables: Mapping[str, Any]) -> Conversation:
    """Returns what rows say of a conversation, by their tables."""
    left = dict(tables)
    rows = _Rows()
    for table in (OLDER, NEWER):
        for row in as_list(left.get(table)):
            _add(rows, row)
        if isinstance(left.get(table), list):
            del left[table]
    if rows.left:
        left[NEWER] = rows.left
    head = next((as_object(row.get(VALUE)) for row in as_list(left.get(HEADS)) if isinstance(row, dict)), {})
    inline = [item for name in INLINE if isinstance(rows.about.get(name), list) for item in rows.about.pop(name)]
    headers = {name: each for each in as_list(rows.about.get(HEADERS)) if (name := _id(each)) is not None}
    if isinstance(rows.about.get(BY_ID), dict):
        found = rows.about.pop(BY_ID)
        items = {name: item for name, item in found.items() if isinstance(item, dict)}
        rows.messages += [_with_row(_with_id(item, name), {KEY: name}) for name, item in items.items()]
        rows.about[BY_ID] = {name: item for name, item in found.items() if name not in items}
    messages, apart = _in_order(inline, rows.messages, headers)
    there = {_id(item) for item in messages}
    missing = sum(name not in there for name in headers)
    return Conversation(rows.about, head, messages, headers, apart, missing, left)


def _add(rows: _Rows, row: Any) -> None:
    """Adds a row; it is one of a message if its key names one."""
    key, value = (as_text(row.get(KEY)), row.get(VALUE)) if isinstance(row, dict) else (None, None)
    if key is None or not isinstance(value, dict):
        rows.left.append(row)
        return
    kind, *ids = ids_in(key)
    beside = {name: item for name, item in row.items() if name != VALUE and not is_empty(item)}
    if kind == BUBBLE:
        rows.messages.append(_with_row(_with_id(value, ids[-1]) if ids else value, beside))
    elif rows.about:
        rows.left.append(row)
    else:
        rows.about = _with_row(value, beside)


def _with_row(value: dict[str, Any], beside: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a value with what its row has beside it; under a name of its own where the value has such a field."""
    return {**value, **beside} if value.keys().isdisjoint(beside) else {**value, "row": beside, "value": value}


def _with_id(value: Any, name: str) -> Any:
    return {**value, BUBBLE: name} if isinstance(value, dict) and is_empty(value.get(BUBBLE)) else value


def _id(item: object) -> str | None:
    return as_identifier(as_object(item).get(BUBBLE))


def _in_order(inline: list[Any], rows: list[Any], headers: Mapping[str, Any]) -> tuple[list[Any], list[Any]]:
    """Returns the messages in their order, and those that the conversation does not name.

    An array has them in their order. Rows are in that of the list; where that names none which is there, in that of
    their times.
    """
    places = {name: place for place, name in enumerate(headers)}
    named = sorted((item for item in rows if _id(item) in places), key=lambda item: places[_id(item) or ""])
    if inline or named:
        return [*inline, *named], [item for item in rows if _id(item) not in places]
    return sorted(rows, key=_moment), []


def _moment(item: object) -> datetime:
    """Returns when a message was written, in whichever notation; one that does not say so is before the others."""
    unread: Counter[str] = Counter()  # counted where the message is read
    return read_timestamp(as_object(item).get(_CREATED), unread) or _BEFORE


def former_calls(about: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns the calls of tools that earlier versions have beside the messages, by the ids of these."""
    found: dict[str, Any] = {}
    for item in as_list(about.get(_CAPABILITIES)):
        calls = as_object(as_object(item).get("data")).get(_CALLS)
        found |= as_object(_parsed(calls) if isinstance(calls, str) else calls)
    return found


def _parsed(text: str) -> Any:
    try:
        return parse_json(text.encode("utf-8", "surrogatepass"))[0]
    except ValueError:
        return None
