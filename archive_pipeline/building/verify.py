"""Derived rows computed anew from ``raw`` and compared with what is stored, row by row: nothing is written.

Every derived row is a function of raw rows, so whatever differs is drift: a defect, or a hand in the database. Rows of
a dialogue or document that is stale for an asset are not compared; they are to be built, not wrong.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field

from archive_pipeline.building.source import Ref, Source
from archive_pipeline.building.sources import SOURCES
from archive_pipeline.derive.asset import Batch
from archive_pipeline.derive.registry import effective_version
from archive_pipeline.domain.progress import Progress, no_progress
from archive_pipeline.settings import Settings
from archive_pipeline.store.compare import TableDrift, compare_rows
from archive_pipeline.store.database import Database
from archive_pipeline.store.lexical_compare import compare_next
from archive_pipeline.store.replace import TABLES
from archive_pipeline.store.tables import search_postings


@dataclass
class Verification:
    """What a verification found.

    Attributes:
        counts: how many dialogues, messages, documents and pages were looked at.
        compared: ids of the dialogues or documents that were looked at, of a sample.
        tables: per derived table, what is wrong with it. A row of ``search_postings`` is a term in a chunk; these are
            looked at where the whole archive is.
        stale: per asset, dialogues or documents that were left out because they are stale.
        seconds: wall time.
    """

    counts: Counter[str] = field(
        default_factory=lambda: Counter({name: 0 for source in SOURCES.values() for name in (source.noun, source.unit)})
    )
    compared: list[str] = field(default_factory=list)
    tables: dict[str, TableDrift] = field(
        default_factory=lambda: {
            table: TableDrift()
            for source in SOURCES.values()
            for asset in source.assets.values()
            for table in asset.tables
        }
    )
    stale: Counter[str] = field(
        default_factory=lambda: Counter({name: 0 for source in SOURCES.values() for name in source.assets})
    )
    seconds: float = 0.0

    @property
    def rows(self) -> int:
        """How many rows were computed."""
        return sum(drift.rows for drift in self.tables.values())

    @property
    def drift(self) -> dict[str, TableDrift]:
        """The tables that are not as they should be."""
        return {name: drift for name, drift in self.tables.items() if drift.total}


def verify_archive(database: Database, settings: Settings, *, progress: Progress = no_progress) -> Verification:
    """Verify every table of the whole archive that is derived from dialogues or documents, and the lexical index.

    Args:
        database: the archive's.
        settings: the archive's.
        progress: told of ``verifying messages``, then of ``verifying pages``, after each chunk.
    """
    started = time.perf_counter()
    found = Verification()
    for source in SOURCES.values():
        with database.session() as connection:
            everything = source.everything(connection)
        stage, done, total = f"verifying {source.unit}", 0, sum(map(source.size, everything))
        progress(stage, done, total)
        for chunk in source.chunks(everything, source.text_bytes(database, everything)):
            _verify(database, settings, source, [item.id for item in chunk], found)
            done += sum(map(source.size, chunk))
            progress(stage, done, total)
    found.tables[search_postings.name] = _verify_index(database)
    found.seconds = time.perf_counter() - started
    return found


def _verify_index(database: Database) -> TableDrift:
    """Compare the lexical index with the stored chunks, some thousand of them at a time, each as of one snapshot."""
    drift = TableDrift()
    last: int | None = -1
    while last is not None:
        with database.snapshot() as connection:
            found, last = compare_next(connection, last)
        drift.add(found)
    return drift


def verify_sample(
    database: Database, settings: Settings, source: Source[Ref, Batch], *, number: int, seed: str
) -> Verification:
    """Verify up to ``number`` dialogues or documents that are up to date, all if there are no more.

    Args:
        database: the archive's.
        settings: the archive's.
        source: which of both.
        number: how many.
        seed: another seed chooses others.
    """
    found = Verification()
    with database.session() as connection:
        found.compared = source.sample(connection, _versions(source, settings), number=number, seed=seed)
    for start in range(0, len(found.compared), source.max_items):
        _verify(database, settings, source, found.compared[start : start + source.max_items], found)
    return found


def _verify(
    database: Database, settings: Settings, source: Source[Ref, Batch], ids: Sequence[str], found: Verification
) -> None:
    """Verify some items, as of one snapshot: a build or import meanwhile makes no difference."""
    with database.snapshot() as connection:
        fingerprints = source.fingerprints(connection, ids)
        current = source.current(connection, _versions(source, settings), ids)
        batches: dict[frozenset[str], Batch] = {}
        for name, asset in source.assets.items():
            wanted = frozenset(current.get(name, ()))
            if wanted not in batches:
                batches[wanted] = _load(database, source, {item: fingerprints[item] for item in sorted(wanted)})
            batch = batches[wanted]
            compared = source.ids(batch)
            for table, frame in asset.derive(batch, settings).items():
                found.tables[table].add(compare_rows(connection, TABLES[table], frame, compared, owner=source.owner))
            found.stale[name] += len(fingerprints) - len(compared)
    found.counts[source.noun] += len(fingerprints)
    found.counts[source.unit] += max((len(batch) for batch in batches.values()), default=0)


def _load(database: Database, source: Source[Ref, Batch], fingerprints: Mapping[str, Hashable]) -> Batch:
    """Read items as the snapshot has them; those that change meanwhile are left out."""
    while True:
        with source.reader(database) as read:
            batch = read(list(fingerprints))
        with database.session() as connection:
            now = source.fingerprints(connection, list(fingerprints))
        same = {item: found for item, found in fingerprints.items() if now.get(item) == found}
        if len(same) == len(fingerprints):
            return batch
        fingerprints = same


def _versions(source: Source[Ref, Batch], settings: Settings) -> dict[str, str]:
    return {name: effective_version(name, settings) for name in source.assets}
