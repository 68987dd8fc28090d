"""One event of an asset that stands for the events of all partitions of a run over a range."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import dagster as dg
from dagster._core.events import StepMaterializationData

Metadata = Mapping[str, dg.MetadataValue[Any]]


class PartitionSet(str):
    """The partition of an event that is about several of them. As a text it is the first one.

    Attributes:
        keys: the partitions, at least one.
        metadata: partition -> what only its event shows.
    """

    __slots__ = ("keys", "metadata")

    keys: Sequence[str]
    metadata: Mapping[str, Metadata]

    def __new__(cls, keys: Sequence[str], metadata: Mapping[str, Metadata]) -> Self:
        """Return what stands for the keys."""
        partition = super().__new__(cls, keys[0])
        partition.keys, partition.metadata = keys, metadata
        return partition


def of_partition(event: dg.DagsterEvent, partition: str, own: Metadata) -> dg.DagsterEvent:
    """Return a materialisation as that of one partition, which has metadata of its own."""
    data: Any = event.event_specific_data
    if not isinstance(data, StepMaterializationData):
        raise TypeError(f"no materialisation: {event.event_type_value}")
    metadata = {**data.materialization.metadata, **own}
    data = data._replace(materialization=data.materialization._replace(partition=partition, metadata=metadata))
    return event._replace(event_specific_data=data)
