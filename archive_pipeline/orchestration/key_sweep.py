"""Partition keys against the archive: keys that no dialogue has any more go, dialogues without a key get theirs.

`llm-archive delete` leaves a key that a run is using; dialogues come and go by SQL, by a restored backup, or while the
other granularity of partitions is in use. Keys of that other granularity are left alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import dagster as dg

from archive_pipeline.orchestration.partitions import NAMES, register_keys, remove_keys
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.sql_files import load_sql
from archive_pipeline.store.staleness import KEY_COLUMNS


@dataclass(frozen=True)
class KeyDifferences:
    """How the partitions and the archive differ.

    Attributes:
        keys_without_dialogue: registered keys that no dialogue has, in their order.
        dialogues_without_key: keys of dialogues that are not registered, sorted.
    """

    keys_without_dialogue: list[str]
    dialogues_without_key: list[str]


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


def key_differences(instance: dg.DagsterInstance, database: Database, settings: Settings) -> KeyDifferences:
    """Compare the registered keys with those of the archive's dialogues, in the granularity of the settings."""
    query = load_sql("queries/archive_keys").replace("{key_column}", KEY_COLUMNS[settings.partitioning])
    with database.session() as connection:
        present = [key for (key,) in connection.execute(query)]
    registered = instance.get_dynamic_partitions(NAMES[settings.partitioning])
    known, wanted = set(registered), set(present)
    return KeyDifferences(
        [key for key in registered if key not in wanted], [key for key in present if key not in known]
    )


def sweep_keys(instance: dg.DagsterInstance, database: Database, settings: Settings) -> Swept:
    """Make the partitions those of the archive, but for keys under runs; the caller holds the archive's writer lock."""
    found = key_differences(instance, database, settings)
    removed = remove_keys(instance, settings, found.keys_without_dialogue)
    register_keys(instance, settings, found.dialogues_without_key)
    return Swept(removed, len(found.dialogues_without_key), len(found.keys_without_dialogue) - removed)
