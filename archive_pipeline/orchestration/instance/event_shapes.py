"""Events of a batch as PostgreSQL keeps them: what they have in common once, and of each event what it says otherwise.

The events of a range differ in partition, time and some metadata; in full they would take three kilobytes each. The
common text is a row of ``dagster.event_shapes``, in the form that SQL's ``format`` takes. The text of an event is then
the id of its shape and what goes into its gaps, a line each. ``dagster.event_text`` puts them together again, so
that whoever reads events by this engine gets Dagster's own text. Other events are stored as they are, as JSON objects.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

import sqlalchemy
from dagster._core.storage.event_log import SqlEventLogStorageTable

from archive_pipeline.orchestration.instance.event_texts import SerializedEvent

EventShapesTable: Final = sqlalchemy.Table(
    "event_shapes",
    sqlalchemy.MetaData(),
    sqlalchemy.Column("id", sqlalchemy.BigInteger, primary_key=True),
    sqlalchemy.Column("last_event_id", sqlalchemy.BigInteger),
    sqlalchemy.Column("text", sqlalchemy.Text),
)
_GAP: Final = "%s"
_STORED_EVENT: Final = SqlEventLogStorageTable.c.event
_WHOLE_EVENT: Final = sqlalchemy.func.dagster.event_text(_STORED_EVENT).label(_STORED_EVENT.name)


def fold_events(events: Sequence[SerializedEvent], ids: Sequence[int]) -> tuple[list[str], list[dict[str, object]]]:
    """Return the stored texts of the events, which have these ids, in their order, and the rows of their shapes.

    A shape has the id of its first event. An event whose form no other one has is stored as it is.
    """
    texts = [""] * len(events)
    shapes: list[dict[str, object]] = []
    for positions in _by_form(events):
        alike = [events[position] for position in positions]
        if len(alike) == 1:
            texts[positions[0]] = alike[0].text
            continue
        gaps = _gaps(alike)
        number, last = ids[positions[0]], ids[positions[-1]]
        shapes.append({"id": number, "last_event_id": last, "text": _shape(alike[0], gaps)})
        for position, event in zip(positions, alike, strict=True):
            texts[position] = "\n".join([str(number), *map(event.fillings.__getitem__, gaps)])
    return texts, shapes


def read_whole_events(engine: sqlalchemy.Engine) -> None:
    """Have the engine's queries return Dagster's own text wherever they select the text of events."""
    sqlalchemy.event.listen(engine, "before_execute", _with_whole_events, retval=True)


def _with_whole_events(
    _connection: sqlalchemy.Connection, statement: Any, many: Any, parameters: Any, _options: Any
) -> tuple[Any, Any, Any]:
    if isinstance(statement, sqlalchemy.Select):
        columns = list(statement.selected_columns)
        if any(column is _STORED_EVENT for column in columns):
            whole = [_WHOLE_EVENT if column is _STORED_EVENT else column for column in columns]
            statement = statement.with_only_columns(*whole, maintain_column_froms=True)
    return statement, many, parameters


def _by_form(events: Sequence[SerializedEvent]) -> Iterable[list[int]]:
    """Return the positions of the events of each form."""
    positions: dict[int, list[int]] = {}
    for position, event in enumerate(events):
        positions.setdefault(id(event.pieces), []).append(position)
    return positions.values()


def _gaps(events: Sequence[SerializedEvent]) -> list[str]:
    """Return the stand-ins, in their order, that are not filled with the same text in all events."""
    first = events[0]
    return [
        mark for mark in first.pieces[1::2] if any(event.fillings[mark] != first.fillings[mark] for event in events)
    ]


def _shape(event: SerializedEvent, gaps: Sequence[str]) -> str:
    return "".join(_shape_pieces(event, frozenset(gaps)))


def _shape_pieces(event: SerializedEvent, gaps: frozenset[str]) -> Iterator[str]:
    for piece in event.pieces:
        yield _GAP if piece in gaps else event.fillings.get(piece, piece).replace("%", "%%")
