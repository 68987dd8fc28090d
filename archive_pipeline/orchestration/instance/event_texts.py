"""Dagster's serialised form of an event of each partition of a set.

They are the same event over and over, for another partition, with metadata of the same names and kinds that say
something else of each. Dagster's serialiser goes through the whole event each time, which takes longer than writing the
row; here it does so once, and texts are put into what came of it.
"""

from __future__ import annotations

import json
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
from dagster._serdes import serialize_value

from archive_pipeline.orchestration.instance.partition_set import Metadata, of_partition

# Stands for a partition, and is found again in the text.
_ANY_PARTITION: Final = f"any partition {uuid4()}"
_PARTITION_MARK: Final = json.dumps(_ANY_PARTITION)
# Kinds of metadata that are one text or number, which may be another one for each partition.
_ONE_TEXT: Final = frozenset({TextMetadataValue, MarkdownMetadataValue, UrlMetadataValue})
_ONE_VALUE: Final = frozenset({*_ONE_TEXT, IntMetadataValue, TimestampMetadataValue})

# Names and kinds of an event's own metadata.
_Shape = tuple[tuple[str, type[Any]], ...]


@dataclass(frozen=True, slots=True)
class SerializedEvent:
    """An event of one partition as Dagster stores it.

    Attributes:
        pieces: its text, cut at the stand-ins for what other partitions say otherwise, which have the odd places.
            Events of the same form share the list. One piece if it cannot be cut.
        fillings: text of a stand-in -> text of what it stands for, as JSON: in ASCII without line ends.
    """

    pieces: Sequence[str]
    fillings: Mapping[str, str]

    @property
    def text(self) -> str:
        """Letter by letter what Dagster's ``serialize_value`` returns."""
        return "".join(self.fillings.get(piece, piece) for piece in self.pieces)


def event_of(entry: EventLogEntry, partition: str, own: Metadata) -> EventLogEntry:
    """Return a materialisation as that of one partition, which has metadata of its own."""
    return entry._replace(dagster_event=of_partition(entry.get_dagster_event(), partition, own))


def serialize_events(entry: EventLogEntry, partitions: Iterable[tuple[str, Metadata]]) -> Iterator[SerializedEvent]:
    """Yield the event of each partition.

    Args:
        entry: a materialisation, whichever partition it is about.
        partitions: each with the metadata that only its event has.
    """
    templates: dict[_Shape, list[str]] = {}
    for partition, own in partitions:
        shape = tuple((name, type(value)) for name, value in own.items())
        if all(kind in _ONE_VALUE for _, kind in shape):
            if shape not in templates:
                templates[shape] = _template(entry, shape)
            contents = (_encode(value.value) for value in own.values())
            fillings = dict(zip(_stand_ins(shape), contents, strict=True))
            fillings[_PARTITION_MARK] = _encode(partition)
            yield SerializedEvent(templates[shape], fillings)
        else:
            yield SerializedEvent([serialize_value(event_of(entry, partition, own))], {})


def _template(entry: EventLogEntry, shape: _Shape) -> list[str]:
    """Return the text of an event with stand-ins for what differs between partitions, cut at them."""
    stand_ins = _stand_ins(shape)
    own = {name: value for (name, _), value in zip(shape, stand_ins.values(), strict=True)}
    marks = "|".join(map(re.escape, [_PARTITION_MARK, *stand_ins]))
    return re.split(f"({marks})", serialize_value(event_of(entry, _ANY_PARTITION, own)))


@cache
def _stand_ins(shape: _Shape) -> dict[str, MetadataValue[Any]]:
    """Return a stand-in for each value of a shape, by its text."""
    return dict(map(_stand_in, (kind for _, kind in shape)))


def _stand_in(kind: type[Any]) -> tuple[str, MetadataValue[Any]]:
    number = uuid4().int  # not of `random`, whose seed anybody may set
    value: Any
    if kind in _ONE_TEXT:
        value = f"any text {number}"
    else:
        value = number >> 64 if kind is IntMetadataValue else number / 2**128
    return json.dumps(value), kind(value)


def _encode(value: Any) -> str:
    """Return what `json.dumps` does, at once for what most values are."""
    if type(value) is str:
        return encode_basestring_ascii(value)
    return repr(value) if type(value) is int else json.dumps(value)
