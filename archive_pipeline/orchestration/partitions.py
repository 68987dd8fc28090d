"""Partition keys: how dialogues appear in Dagster, and how a set of them becomes one range."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Final

import dagster as dg

from archive_pipeline.errors import UnknownDialogueError
from archive_pipeline.orchestration.pooled_storage import KEYS_PER_STATEMENT, PooledEventLogStorage
from archive_pipeline.settings import Partitioning, Settings

NAMES: Final = {Partitioning.PER_DIALOGUE: "dialogues", Partitioning.SHARDED: "dialogue_shards"}


def partitions_definition(settings: Settings) -> dg.DynamicPartitionsDefinition:
    """Return the definition whose keys are dialogues, or shards of them.

    The two granularities have different names, so that switching back and forth leaves the keys of both alone.
    """
    return dg.DynamicPartitionsDefinition(name=NAMES[settings.partitioning])


def register_keys(instance: dg.DagsterInstance, settings: Settings, keys: Collection[str]) -> None:
    """Add the keys that are not registered yet, sorted; the others stay where they are."""
    for chunk in _chunks(sorted(set(keys))):
        instance.add_dynamic_partitions(NAMES[settings.partitioning], chunk)


def contiguous(instance: dg.DagsterInstance, settings: Settings, keys: Collection[str]) -> dg.PartitionKeyRange:
    """Make the keys one range without gaps and return it.

    A run over many partitions covers one range, and a range of dynamic partitions is a slice of their order of
    insertion: dialogues that changed here and there in the archive would need one run per island. The order means
    nothing else, so keys that are no range yet are moved to its end, sorted (which also registers new ones). Keys that
    form a range already, such as those of one import, are left alone. Events and states of a key hang on its name and
    survive the move.

    A run that is under way over a range with moved keys fails; two runs over the same dialogues must not be started.
    """
    name, wanted = NAMES[settings.partitioning], set(keys)
    if not wanted:
        raise UnknownDialogueError("no dialogue to build was named")
    registered = instance.get_dynamic_partitions(name)
    places = [place for place, key in enumerate(registered) if key in wanted]
    if len(places) == len(wanted) == places[-1] - places[0] + 1:
        return dg.PartitionKeyRange(registered[places[0]], registered[places[-1]])
    order = sorted(wanted)
    _move_to_end(instance, name, order, registered=wanted.intersection(registered))
    return dg.PartitionKeyRange(order[0], order[-1])


def _move_to_end(instance: dg.DagsterInstance, name: str, keys: Sequence[str], *, registered: Collection[str]) -> None:
    storage = instance.event_log_storage
    if isinstance(storage, PooledEventLogStorage):
        storage.move_dynamic_partitions_to_end(name, keys)
        return
    for key in sorted(registered):
        instance.delete_dynamic_partition(name, key)
    for chunk in _chunks(keys):
        instance.add_dynamic_partitions(name, chunk)


def _chunks(keys: Sequence[str]) -> Iterator[list[str]]:
    for start in range(0, len(keys), KEYS_PER_STATEMENT):
        yield list(keys[start : start + KEYS_PER_STATEMENT])


def remove_key(instance: dg.DagsterInstance, settings: Settings, key: str) -> None:
    """Take a key out of the partitions; its events stay in the log, where nothing shows them."""
    instance.delete_dynamic_partition(NAMES[settings.partitioning], key)
