"""Partition keys: how dialogues appear in Dagster, and how many of them become one range. None moves under a run."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import groupby
from typing import Final

import dagster as dg
from more_itertools import chunked

from archive_pipeline.domain.choices import Partitioning
from archive_pipeline.errors import UnknownDialogueError
from archive_pipeline.orchestration.instance.event_log_storage import KEYS_PER_STATEMENT, PooledEventLogStorage
from archive_pipeline.orchestration.instance.in_flight import covered_keys
from archive_pipeline.settings import Settings

# Keys of a run that Dagster launches. Its process takes as long to start as 600 small dialogues to build; what a killed
# run had built is kept, so a larger one loses little. Shards hold a thousandth of the archive each.
KEYS_PER_RUN: Final = {Partitioning.PER_DIALOGUE: 2_500, Partitioning.SHARDED: 32}
NAMES: Final = {Partitioning.PER_DIALOGUE: "dialogues", Partitioning.SHARDED: "dialogue_shards"}


def partitions_definition(settings: Settings) -> dg.DynamicPartitionsDefinition:
    """Return the definition whose keys are dialogues, or shards of them.

    The two granularities have different names, so that switching back and forth leaves the keys of both alone.
    """
    return dg.DynamicPartitionsDefinition(name=NAMES[settings.partitioning])


def in_order(settings: Settings, keys: Sequence[str]) -> list[str]:
    """Return each key once: shards sorted, dialogues as they come: by source and id where many are built."""
    return sorted(set(keys)) if settings.partitioning is Partitioning.SHARDED else list(dict.fromkeys(keys))


def register_keys(instance: dg.DagsterInstance, settings: Settings, keys: Sequence[str]) -> None:
    """Add the keys that are not registered yet, `in_order`; the others stay where they are."""
    name = NAMES[settings.partitioning]
    registered = set(instance.get_dynamic_partitions(name))  # kept by the storage: Dagster looks at each key again
    for chunk in chunked((key for key in in_order(settings, keys) if key not in registered), KEYS_PER_STATEMENT):
        instance.add_dynamic_partitions(name, chunk)


def contiguous_ranges(
    instance: dg.DagsterInstance, settings: Settings, keys: Sequence[str]
) -> list[dg.PartitionKeyRange]:
    """Make the keys one range without gaps, or few, and return it: each key is in one of them, and no other key.

    A run over many partitions covers one range, and a range of dynamic partitions is a slice of their order of
    insertion: dialogues that changed here and there in the archive would need one run per island. Backfills go in that
    order, and nothing else depends on it, so keys that are no range yet are moved to its end, `in_order` (which also
    registers new ones). Keys that form a range already, such as those of one import, are left alone. Events and states
    of a key hang on its name and survive the move.

    Keys that runs in flight cover stay where they are, in ranges of their own.
    """
    name, ordered = NAMES[settings.partitioning], in_order(settings, keys)
    wanted = set(ordered)
    if not wanted:
        raise UnknownDialogueError("no dialogue to build was named")
    registered = instance.get_dynamic_partitions(name)
    islands = adjacent(registered, wanted)
    if len(islands) == 1 and len(islands[0]) == len(wanted):
        return [_range(islands[0])]
    staying = wanted & covered_keys(instance, registered)
    moving = [key for key in ordered if key not in staying]
    if moving:
        _move_to_end(instance, name, moving, registered=wanted.intersection(registered) - staying)
    return [_range(island) for island in (*adjacent(registered, staying), moving) if island]


def adjacent(order: Iterable[str], wanted: Collection[str]) -> list[list[str]]:
    """Return the wanted keys of the order, those together that have no other key between them."""
    groups = groupby(order, key=lambda key: key in wanted)
    return [list(group) for is_wanted, group in groups if is_wanted]


def _range(keys: Sequence[str]) -> dg.PartitionKeyRange:
    return dg.PartitionKeyRange(keys[0], keys[-1])


def _move_to_end(instance: dg.DagsterInstance, name: str, keys: Sequence[str], *, registered: Collection[str]) -> None:
    storage = instance.event_log_storage
    if isinstance(storage, PooledEventLogStorage):
        storage.move_dynamic_partitions_to_end(name, keys)
        return
    for key in sorted(registered):
        instance.delete_dynamic_partition(name, key)
    for chunk in chunked(keys, KEYS_PER_STATEMENT):
        instance.add_dynamic_partitions(name, chunk)


def remove_keys(instance: dg.DagsterInstance, settings: Settings, keys: Collection[str]) -> int:
    """Take keys out of the partitions, but for those that runs in flight cover; return how many were taken.

    Events of a key outlive it until they are old (see ``housekeeping``), if nothing purges them; a key that comes back
    shows them again.
    """
    if not keys:
        return 0
    name = NAMES[settings.partitioning]
    registered = instance.get_dynamic_partitions(name)
    chosen = sorted(set(keys).intersection(registered) - covered_keys(instance, registered))
    storage = instance.event_log_storage
    if isinstance(storage, PooledEventLogStorage):
        storage.delete_dynamic_partitions(name, chosen)
    else:
        for key in chosen:
            instance.delete_dynamic_partition(name, key)
    return len(chosen)


def remove_dialogues(instance: dg.DagsterInstance, settings: Settings, keys: Collection[str]) -> list[str]:
    """Take deleted dialogues out of the partitions, also if shards are in use; shards stay, empty or not.

    Their titles and texts, which events have, are purged, but for those of runs in flight: a later sweep does so.

    Args:
        instance: the archive's.
        settings: the archive's.
        keys: per-dialogue keys.

    Returns:
        Keys that are left because runs in flight cover them; a later sweep removes them.
    """
    purge_events(instance, keys)  # first: a sweep that follows an interruption finds the keys
    remove_keys(instance, settings.with_values(partitioning=Partitioning.PER_DIALOGUE), keys)
    left = set(keys).intersection(instance.get_dynamic_partitions(NAMES[Partitioning.PER_DIALOGUE])) if keys else set()
    return sorted(left)


def purge_events(instance: dg.DagsterInstance, keys: Collection[str]) -> None:
    """Delete what events say of dialogues that are no more. Stock storage keeps it: it deletes no events."""
    storage = instance.event_log_storage
    if keys and isinstance(storage, PooledEventLogStorage):
        storage.delete_partition_events(sorted(keys))
