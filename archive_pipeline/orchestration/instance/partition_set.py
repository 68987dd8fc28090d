"""One event of an asset that stands for the events of all partitions of a run over a range."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import dagster as dg

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
