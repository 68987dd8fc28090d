"""Dagster's serialised form of a batch of events; those that only repeat the one before are not walked through.

The events of a range are the same event over and over, for another partition and a moment later: their metadata, tags
and handles are the same objects, or metadata of the same names and kinds that say something else of each partition.
Dagster's serialiser goes through all of them for each partition, which takes longer than writing the row.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from json.encoder import encode_basestring_ascii
from typing import Any, Final
from uuid import uuid4

from dagster import (
    EventLogEntry,
    IntMetadataValue,
    MarkdownMetadataValue,
    MetadataValue,
    TextMetadataValue,
    TimestampMetadataValue,
    UrlMetadataValue,
)
from dagster._core.events import StepMaterializationData
from dagster._serdes import serialize_value

# They stand for partition and time, and are found again in the text.
_ANY_PARTITION: Final = f"any partition {uuid4()}"
_ANY_TIME: Final = random.random()  # noqa: S311 (no secret)
_PARTITION_MARK: Final = json.dumps(_ANY_PARTITION)
_TIME_MARK: Final = json.dumps(_ANY_TIME)
# Kinds of metadata that are one text or number, which may be another one for each partition.
_ONE_TEXT: Final = frozenset({TextMetadataValue, MarkdownMetadataValue, UrlMetadataValue})
_ONE_VALUE: Final = frozenset({*_ONE_TEXT, IntMetadataValue, TimestampMetadataValue})


@dataclass(frozen=True, slots=True)
class SerializedEvent:
    """An event as Dagster stores it.

    Attributes:
        pieces: its text, cut at the stand-ins for what repeats of it say otherwise: these have the odd places. One
            piece if it cannot be cut.
        fillings: text of a stand-in -> text of what it stands for, in ASCII without line ends.
        partition: the asset's partition it is about, if any.
        is_repeat: all but partition, time and metadata are those of the event before it; the pieces are the same.
    """

    pieces: Sequence[str]
    fillings: Mapping[str, str]
    partition: str | None
    is_repeat: bool

    @property
    def text(self) -> str:
        """Letter by letter what Dagster's ``serialize_value`` returns."""
        return "".join(self.fillings.get(piece, piece) for piece in self.pieces)


@dataclass(frozen=True, slots=True)
class _Shape:
    """An event with stand-ins for what differs between the partitions of a range.

    Attributes:
        entry: it.
        fillings: text of a stand-in -> text of what it stands for.
    """

    entry: EventLogEntry
    fillings: dict[str, str]


def serialize_events(entries: Iterable[EventLogEntry]) -> Iterator[SerializedEvent]:
    """Serialise events of a run that are about assets, in their order."""
    last: EventLogEntry | None = None
    pieces: list[str] | None = None
    for entry in entries:
        partition, shape = _partition_and_shape(entry)
        is_repeat = shape is not None and _is_same(shape.entry, last)
        if not is_repeat:
            last, pieces = (None, None) if shape is None else (shape.entry, _pieces(shape))
        if pieces is None or shape is None:
            yield SerializedEvent([serialize_value(entry)], {}, partition, is_repeat)
        else:
            yield SerializedEvent(pieces, shape.fillings, partition, is_repeat)


def _partition_and_shape(entry: EventLogEntry) -> tuple[str | None, _Shape | None]:
    """Return the event's partition, and its shape (None for other kinds)."""
    event = entry.get_dagster_event()
    data: Any = event.event_specific_data
    fillings: dict[str, str] = {}
    if not isinstance(data, StepMaterializationData):
        return event.partition, None
    partition = data.materialization.partition
    metadata = _with_stand_ins(data.materialization.metadata, fillings)
    data = data._replace(materialization=data.materialization._replace(partition=_ANY_PARTITION, metadata=metadata))
    fillings[_PARTITION_MARK] = _encode(partition)
    fillings[_TIME_MARK] = _encode(entry.timestamp)
    shape = entry._replace(timestamp=_ANY_TIME, dagster_event=event._replace(event_specific_data=data))
    return partition, _Shape(shape, fillings)


def _with_stand_ins(
    metadata: Mapping[str, MetadataValue[Any]], fillings: dict[str, str]
) -> dict[str, MetadataValue[Any]]:
    """Put stand-ins for texts and numbers; add what they stand for to the fillings."""
    shape: dict[str, MetadataValue[Any]] = {}
    for place, (name, value) in enumerate(metadata.items()):
        kind = type(value)
        content = value.value if kind in _ONE_VALUE else None
        if content is None:
            shape[name] = value
        else:
            shape[name], mark = _stand_in(kind, place)
            fillings[mark] = _encode(content)
    return shape


def _encode(value: Any) -> str:
    """Return what `json.dumps` does, at once for what most values are."""
    if type(value) is str:
        return encode_basestring_ascii(value)
    return repr(value) if type(value) is int else json.dumps(value)


@cache
def _stand_in(kind: type[Any], _place: int) -> tuple[MetadataValue[Any], str]:
    """Return the stand-in for a value of a kind, another one for each place, and its text."""
    value: Any
    if kind in _ONE_TEXT:
        value = f"any text {uuid4()}"
    else:
        value = random.getrandbits(62) if kind is IntMetadataValue else random.random()  # noqa: S311 (no secret)
    return kind(value), json.dumps(value)


def _pieces(shape: _Shape) -> list[str] | None:
    """Return the text of the shape, cut at its stand-ins; None if it has one of them twice or not at all."""
    cut = re.split(f"({'|'.join(map(re.escape, shape.fillings))})", serialize_value(shape.entry))
    return cut if sorted(cut[1::2]) == sorted(shape.fillings) else None


def _is_same(one: Any, other: Any) -> bool:
    """Tell whether two values have the same text. Some that have are held for different, which only costs time."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, (str, int)):  # not floats: 0.0 equals -0.0
        return bool(one == other)
    these, those = _parts(one), _parts(other)
    if these is None or those is None or len(these) != len(those):
        return False
    return all(this is that or _is_same(this, that) for this, that in zip(these, those, strict=True))


def _parts(value: Any) -> list[Any] | None:
    """Return what a value is made of; None if it is none of the kinds that events are made of."""
    if isinstance(value, tuple):
        return [*tuple.__iter__(value)]  # Dagster's records are tuples that refuse to be iterated over
    if isinstance(value, dict):
        return [*value, *value.values()]
    return value if isinstance(value, list) else None
