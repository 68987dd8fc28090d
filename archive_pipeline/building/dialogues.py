"""Dialogues as the engine builds them, and the builds of their assets.

Called by the Dagster assets and, without Dagster, by tests and benchmarks.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

import psycopg

from archive_pipeline.building.engine import BuildResult, build
from archive_pipeline.building.source import Read, Source
from archive_pipeline.building.spilled_batches import SpilledBatches
from archive_pipeline.derive.asset import DerivedAsset
from archive_pipeline.derive.registry import ASSETS, effective_version
from archive_pipeline.domain.batch import DialogueBatch
from archive_pipeline.domain.progress import Progress, no_progress
from archive_pipeline.settings import Settings
from archive_pipeline.store.batches import load_batch, read_batch
from archive_pipeline.store.copy import EncodedRows
from archive_pipeline.store.database import Database
from archive_pipeline.store.replace import quarantine, replace_rows
from archive_pipeline.store.sql_files import load_query
from archive_pipeline.store.staleness import DialogueRef, stale_dialogues, text_bytes


class DialogueSource(Source[DialogueRef, DialogueBatch]):
    """The description of dialogues: read as Arrow, recorded in ``derived.build_state`` and ``derived.build_errors``."""

    noun = "dialogues"
    unit = "messages"
    owner = "dialogue_id"
    # Larger chunks were no faster.
    max_items = 1_000
    max_size = 4_000
    # What is computed of a chunk takes some twenty times as much.
    max_bytes = 4_000_000
    max_sampled_size = 5_000

    @property
    def assets(self) -> Mapping[str, DerivedAsset[DialogueBatch]]:
        """The derived assets."""
        return ASSETS

    def size(self, item: DialogueRef) -> int:
        """Return how many live messages a dialogue has."""
        return item.message_count

    def text_bytes(self, database: Database, items: Sequence[DialogueRef]) -> Mapping[str, int]:
        """Return the bytes of the texts of dialogues, those of calls and deleted messages among them."""
        with database.session() as connection:
            return text_bytes(connection, [item.id for item in items])

    def label(self, item: DialogueRef) -> str:
        """Return its partition key."""
        return item.partition_key

    def ids(self, batch: DialogueBatch) -> Sequence[str]:
        """Return the dialogues of a batch."""
        return batch.dialogue_ids

    @contextmanager
    def reader(self, database: Database) -> Iterator[Read[DialogueBatch]]:
        """Yield what reads batches on one connection."""
        with database.arrow() as connection:
            yield partial(read_batch, connection)

    def present(self, database: Database, items: Sequence[DialogueRef]) -> list[DialogueRef]:
        """Return all: a batch leaves out those that are gone, and those that changed since are stale again."""
        del database
        return list(items)

    def replace(
        self,
        connection: psycopg.Connection[Any],
        asset: DerivedAsset[DialogueBatch],
        rows: Mapping[str, EncodedRows],
        items: Sequence[DialogueRef],
        version: str,
    ) -> Mapping[str, int]:
        """Replace rows (`replace_rows`)."""
        return replace_rows(connection, asset.name, rows, fingerprints=fingerprints_of(items), code_version=version)

    def set_aside(
        self,
        connection: psycopg.Connection[Any],
        asset: DerivedAsset[DialogueBatch],
        errors: Mapping[str, str],
        items: Sequence[DialogueRef],
        version: str,
    ) -> None:
        """Quarantine the dialogues: they have no rows and are tried again when content or code change."""
        fingerprints = fingerprints_of(items)
        quarantine(connection, asset.name, asset.tables, errors, fingerprints=fingerprints, code_version=version)

    def everything(self, connection: psycopg.Connection[Any]) -> list[DialogueRef]:
        """Return every dialogue: nothing was ever built by that name."""
        return stale_dialogues(connection, "", "")

    def sample(
        self, connection: psycopg.Connection[Any], versions: Mapping[str, str], *, number: int, seed: str
    ) -> list[str]:
        """Return dialogues that are up to date for every asset."""
        parameters = {
            "assets": list(versions),
            "code_versions": list(versions.values()),
            "max_messages": self.max_sampled_size,
            "seed": seed,
            "number": number,
        }
        return [row[0] for row in connection.execute(load_query("verify/sample_current_dialogues"), parameters)]

    def fingerprints(self, connection: psycopg.Connection[Any], ids: Sequence[str]) -> dict[str, Hashable]:
        """Return the fingerprints of the dialogues that are there."""
        return dict(connection.execute(load_query("verify/fingerprints"), {"dialogue_ids": list(ids)}).fetchall())

    def current(
        self, connection: psycopg.Connection[Any], versions: Mapping[str, str], ids: Sequence[str]
    ) -> Mapping[str, Sequence[str]]:
        """Return, per asset, the dialogues whose rows are up to date."""
        parameters = {
            "assets": list(versions),
            "code_versions": list(versions.values()),
            "dialogue_ids": list(ids),
        }
        found: defaultdict[str, list[str]] = defaultdict(list)
        for asset, dialogue in connection.execute(load_query("verify/current_dialogues"), parameters):
            found[asset].append(dialogue)
        return found


DIALOGUES: Final = DialogueSource()


@dataclass
class BatchCache:
    """Batches that were read, so that the assets of one run read each chunk once.

    It fills up to a budget and keeps what it has: evicting the oldest would throw away every chunk just before the
    next asset asks for it. What does not fit is kept in a temporary file, and read again beyond the budget of that.

    Attributes:
        budget: bytes of memory to keep.
        disk_budget: bytes of the temporary file.
    """

    budget: int = 32_000_000
    disk_budget: int = 4_000_000_000
    _batches: dict[tuple[tuple[str, str], ...], DialogueBatch] = field(default_factory=dict)
    _used: int = 0
    _text_bytes: dict[tuple[str, str], int] = field(default_factory=dict, repr=False)
    _spilled: SpilledBatches = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._spilled = SpilledBatches(self.disk_budget)

    def chunks(self, database: Database, dialogues: Sequence[DialogueRef]) -> Iterator[list[DialogueRef]]:
        """Return the dialogues in chunks; the texts of each are measured once."""
        new = [dialogue for dialogue in dialogues if (dialogue.id, dialogue.fingerprint) not in self._text_bytes]
        measured = DIALOGUES.text_bytes(database, new) if new else {}
        self._text_bytes |= {(each.id, each.fingerprint): measured.get(each.id, 0) for each in new}
        return DIALOGUES.chunks(dialogues, {each.id: self._text_bytes[each.id, each.fingerprint] for each in dialogues})

    def load(self, database: Database, dialogues: Sequence[DialogueRef]) -> DialogueBatch:
        """Return the batch of the given dialogues, with their present content."""
        key = tuple((dialogue.id, dialogue.fingerprint) for dialogue in dialogues)
        batch = self._batches.get(key)
        if batch is None:
            batch = self._spilled.get(key)
        if batch is None:
            batch = load_batch(database, [dialogue.id for dialogue in dialogues])
            size = batch.memory_bytes
            if self._used + size <= self.budget:
                self._batches[key] = batch
                self._used += size
            else:
                self._spilled.put(key, batch)
        return batch


def build_asset(
    database: Database,
    settings: Settings,
    name: str,
    dialogues: Sequence[DialogueRef],
    *,
    cache: BatchCache | None = None,
    progress: Progress = no_progress,
) -> BuildResult:
    """Build one asset for the given dialogues.

    Args:
        database: the archive.
        settings: how to build.
        name: the asset.
        dialogues: what to build.
        cache: shared by the assets of one run.
        progress: told of messages by the asset's name.

    Raises:
        NothingCanBeBuiltError: too many dialogues failed, and none did not.
        Exception: what is no dialogue's own fault (`is_systemic`).
    """
    cache = BatchCache() if cache is None else cache
    return build(
        database,
        settings,
        DIALOGUES,
        ASSETS[name],
        effective_version(name, settings),
        dialogues,
        chunks=cache.chunks(database, dialogues),
        load=partial(cache.load, database),
        progress=progress,
    )


def build_stale(database: Database, settings: Settings, *, progress: Progress = no_progress) -> dict[str, BuildResult]:
    """Build whatever is stale of every asset, without Dagster; parents before children."""
    cache = BatchCache()
    results: dict[str, BuildResult] = {}
    for name in ASSETS:
        with database.session() as connection:
            dialogues = stale_dialogues(connection, name, effective_version(name, settings))
        results[name] = build_asset(database, settings, name, dialogues, cache=cache, progress=progress)
    return results


def fingerprints_of(dialogues: Sequence[DialogueRef]) -> dict[str, str]:
    """Return id -> fingerprint."""
    return {dialogue.id: dialogue.fingerprint for dialogue in dialogues}
