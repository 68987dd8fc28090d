"""Dagster's serialised form of an event of each partition of a set.

They are the same event over and over, for another partition, with metadata of the same names and kinds that say
something else of each. Dagster's serialiser goes through the whole event each time, which takes longer than writing the
row; here it does so once, and texts are put into what came of it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
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

from archive_pipeline.orchestration.instance.partition_set import Metadata

# Stands for a partition, and is found again in the text.
_ANY_PARTITION: Final = f"any partition {uuid4()}"
_PARTITION_MARK: Final = json.dumps(_ANY_PARTITION)
# Kinds of metadata that are one text or number, which may be another one for each partition.
_ONE_TEXT: Final = frozenset({TextMetadataValue, MarkdownMetadataValue, UrlMetadataValue})
_ONE_VALUE: Final = frozenset({*_ONE_TEXT, IntMetadataValue, TimestampMetadataValue})

# Names and kinds of an event's own metadata.
_Shape = tuple[tuple[str, type[Any]], ...]


def event_of(entry: EventLogEntry, partition: str, own: Metadata) -> EventLogEntry:
    """Return a materialisation as that of one partition, which has metadata of its own."""
    event = entry.get_dagster_event()
    data: Any = event.event_specific_data
    if not isinstance(data, StepMaterializationData):
        raise TypeError(f"no materialisation: {event.event_type_value}")
    metadata = {**data.materialization.metadata, **own}
    data = data._replace(materialization=data.materialization._replace(partition=partition, metadata=metadata))
    return entry._replace(dagster_event=event._replace(event_specific_data=data))


def event_texts(entry: EventLogEntry, partitions: Iterable[tuple[str, Metadata]]) -> Iterator[str]:
    """Yield letter by letter what Dagster's ``serialize_value`` returns for the event of each partition.

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
            fillings = {mark: _encode(value.value) for mark, value in zip(_marks(shape), own.values(), strict=True)}
            fillings[_PARTITION_MARK] = _encode(partition)
            yield "".join(fillings.get(piece, piece) for piece in templates[shape])
        else:
            yield serialize_value(event_of(entry, partition, own))


def _template(entry: EventLogEntry, shape: _Shape) -> list[str]:
    """Return the text of an event with stand-ins for what differs between partitions, cut at them."""
    own: dict[str, MetadataValue[Any]] = {name: _stand_in(kind, place)[0] for place, (name, kind) in enumerate(shape)}
    marks = "|".join(map(re.escape, [_PARTITION_MARK, *_marks(shape)]))
    return re.split(f"({marks})", serialize_value(event_of(entry, _ANY_PARTITION, own)))


@cache
def _marks(shape: _Shape) -> tuple[str, ...]:
    return tuple(_stand_in(kind, place)[1] for place, (_, kind) in enumerate(shape))


@cache
def _stand_in(kind: type[Any], _place: int) -> tuple[MetadataValue[Any], str]:
    """Return the stand-in for a value of a kind, another one for each place, and its text."""
    value: Any
    if kind in _ONE_TEXT:
        value = f"any text {uuid4()}"
    else:
        number = uuid4().int  # not of `random`, whose seed anybody may set
        value = number >> 64 if kind is IntMetadataValue else number / 2**128
    return kind(value), json.dumps(value)


def _encode(value: Any) -> str:
    """Return what `json.dumps` does, at once for what most values are."""
    if type(value) is str:
        return encode_basestring_ascii(value)
    return repr(value) if type(value) is int else json.dumps(value)
