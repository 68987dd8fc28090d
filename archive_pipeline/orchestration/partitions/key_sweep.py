"""Partition keys against the archive: keys that no dialogue has any more go, dialogues without a key get theirs.

`llm-archive delete` leaves a key that a run is using, and each key if it is killed; dialogues come and go by SQL, by a
restored backup, or while the other granularity of partitions is in use. Keys of that other granularity are left alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import dagster as dg
import psycopg

from archive_pipeline.domain.choices import Partitioning
from archive_pipeline.orchestration.partitions.keys import NAMES, purge_events, register_keys, remove_keys
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.staleness import archive_keys


@dataclass(frozen=True, slots=True)
class KeyState:
    """The partition keys of one granularity.

    Attributes:
        registered: how many keys Dagster has.
        missing: keys of dialogues in the archive that Dagster does not have, in the order to build them.
        orphaned: keys of dialogues that Dagster has and the archive does not, sorted.
    """

    registered: int
    missing: list[str]
    orphaned: list[str]


@dataclass(frozen=True)
class Swept:
    """What a sweep did.

    Attributes:
        removed, added: how many keys.
        left: keys without a dialogue that are left because a run covers them.
    """

    removed: int
    added: int
    left: int


def key_state(
    instance: dg.DagsterInstance, connection: psycopg.Connection[Any], partitioning: Partitioning
) -> KeyState:
    """Compare the keys that Dagster has in a granularity with those of the archive."""
    registered = set(instance.get_dynamic_partitions(NAMES[partitioning]))
    wanted = archive_keys(connection, partitioning)
    return KeyState(
        registered=len(registered),
        missing=[key for key in wanted if key not in registered],
        orphaned=sorted(registered.difference(wanted)),
    )


def keys_of_deleted(instance: dg.DagsterInstance, database: Database) -> list[str]:
    """Return the per-dialogue keys that Dagster still has of dialogues that are no more.

    A command that deletes takes a key out last, so one that was killed is known by it. The caller holds the archive's
    writer lock.
    """
    with database.session() as connection:
        return key_state(instance, connection, Partitioning.PER_DIALOGUE).orphaned


def sweep_keys(instance: dg.DagsterInstance, database: Database, settings: Settings) -> Swept:
    """Make the partitions those of the archive, but for keys under runs; the caller holds the archive's writer lock."""
    with database.session() as connection:
        found = key_state(instance, connection, settings.partitioning)
    purge_events(instance, found.orphaned)
    removed = remove_keys(instance, settings, found.orphaned)
    register_keys(instance, settings, found.missing)
    return Swept(removed, len(found.missing), len(found.orphaned) - removed)
