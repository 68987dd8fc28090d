"""Computing the duplicates of an archive anew and replacing the stored clusters in one transaction.

The signatures of dialogues, which are nearly all of the work, are tasks of an executor. This process adds them to the
finder, compares what they have in common, and writes.
"""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from archive_pipeline.building.dialogue_source import DIALOGUES, fingerprints_of
from archive_pipeline.building.executors.executor import Executor
from archive_pipeline.building.executors.local import LocalExecutor
from archive_pipeline.building.executors.opening import executor_for
from archive_pipeline.building.tasks import named
from archive_pipeline.derive.registry import effective_version
from archive_pipeline.domain.batch import DialogueBatch
from archive_pipeline.domain.choices import DUPLICATE_METHODS
from archive_pipeline.domain.progress import Progress, no_progress
from archive_pipeline.duplicates.finder import CODE_VERSION, duplicate_finder
from archive_pipeline.duplicates.paths import linked_id
from archive_pipeline.duplicates.signatures import Signatures, signatures_of
from archive_pipeline.settings import Settings
from archive_pipeline.store.batches import load_batch
from archive_pipeline.store.database import Database
from archive_pipeline.store.duplicates import DUPLICATES
from archive_pipeline.store.home import prepare_home
from archive_pipeline.store.replace import TABLES, ItemsChangedError, replace_rows
from archive_pipeline.store.row_spool import spooled_rows
from archive_pipeline.store.rows import fetch_rows
from archive_pipeline.store.staleness import DialogueRef
from archive_pipeline.text.runtime import UNICODE

if TYPE_CHECKING:
    import pandas as pd

UPSTREAM = ("message_paths", "exchanges", "content_hashes")
# So many take one process as long as workers take to start (docs/scaling.md).
FEW_MESSAGES: Final = 50_000

# Some dialogues, and of those with exact links message -> what it is known by.
_Batch = tuple[DialogueBatch, Mapping[str, int]]


class _LinkedMessage(NamedTuple):
    """A row of ``linked_messages``."""

    message_id: str
    source: str
    source_id: str


@dataclass(frozen=True)
class RefreshResult:
    """What was found.

    Attributes:
        clusters: how many, per method.
        rows: members of clusters, over all methods.
        content_copies, prefix_copies: members that are not kept, over all methods, by what they are copies of.
        compared: texts that are long enough, per kind of entity.
        dialogues, messages: how many were read.
        seconds: wall time.
    """

    clusters: dict[str, int]
    rows: int
    content_copies: int
    prefix_copies: int
    compared: dict[str, int]
    dialogues: int
    messages: int
    seconds: float


def duplicates_version(settings: Settings) -> str:
    """Return the version that ``derived.build_state`` records: of the code, of its settings and of its upstream."""
    parts = [
        CODE_VERSION,
        UNICODE,
        *settings.hash_normalizations,
        *(effective_version(name, settings) for name in UPSTREAM),
    ]
    return f"{CODE_VERSION}-{hashlib.sha256('|'.join(parts).encode()).hexdigest()[:12]}"


@dataclass(frozen=True, slots=True)
class SignatureTask:
    """The signatures of some dialogues, to be made (`Task`).

    Attributes:
        version: of what is made of them.
        settings: the normalisations, among others.
        items: references to the dialogues.
    """

    version: str
    settings: Settings
    items: tuple[DialogueRef, ...]

    asset = DUPLICATES
    is_of_shared_batch = False

    @property
    def own_version(self) -> str:
        """The version in this process."""
        return duplicates_version(self.settings)

    @property
    def size(self) -> int:
        """How many messages the dialogues have."""
        return sum(map(DIALOGUES.size, self.items))

    @property
    def label(self) -> str:
        """The asset and the dialogues."""
        return named(DUPLICATES, [*map(DIALOGUES.label, self.items)], DIALOGUES.noun)

    def load(self, database: Database) -> _Batch:
        """Read the dialogues."""
        batch = load_batch(database, [dialogue.id for dialogue in self.items])
        return batch, _linked_ids(database, batch)

    def computed(self, database: Database, load: Callable[[], _Batch]) -> Callable[[], Signatures]:
        """Make the signatures; nothing is written."""
        del database
        batch, linked = load()
        made = signatures_of(batch, self.settings.hash_normalizations, linked)
        return lambda: made


def refresh_duplicates(
    database: Database, settings: Settings, *, executor: Executor | None = None, progress: Progress = no_progress
) -> RefreshResult:
    """Find the duplicates of the whole archive and store them in place of the ones before.

    They are computed from ``raw``, like all derived rows, so that it does not matter whether other derived tables are
    up to date. What is imported meanwhile counts as changed since.

    Args:
        database: the archive.
        settings: its settings; shingles go to a file in its home while it works.
        executor: where signatures are made; by default one of the settings. Those of a small archive are made here.
        progress: told of messages by the asset's name, after each batch.
    """
    prepare_home(settings.home)
    while True:
        with database.session() as connection:
            dialogues = DIALOGUES.everything(connection)
        try:
            with _executor(database, settings, dialogues, executor) as used:
                return _refresh(database, settings, used, dialogues, progress)
        except ItemsChangedError:  # one was deleted since, so some clusters are about texts that are gone
            continue


def _executor(
    database: Database, settings: Settings, dialogues: Sequence[DialogueRef], given: Executor | None
) -> AbstractContextManager[Executor]:
    if sum(map(DIALOGUES.size, dialogues)) < FEW_MESSAGES:
        return nullcontext(LocalExecutor(database))
    return executor_for(database, settings, given)


def _refresh(
    database: Database, settings: Settings, executor: Executor, dialogues: Sequence[DialogueRef], progress: Progress
) -> RefreshResult:
    started = time.perf_counter()
    messages, total, tally = 0, sum(map(DIALOGUES.size, dialogues)), _Tally()
    progress(DUPLICATES, messages, total)
    version = duplicates_version(settings)
    chunks = DIALOGUES.chunks(dialogues, DIALOGUES.text_bytes(database, dialogues))
    tasks = [SignatureTask(version, settings, tuple(chunk)) for chunk in chunks]
    with (
        duplicate_finder(settings.hash_normalizations, settings.home) as finder,
        closing(executor.map_batches(tasks)) as results,
    ):
        for _, signatures in results:
            finder.add(signatures)
            messages += signatures.messages
            progress(DUPLICATES, messages, max(messages, total))
        with (
            spooled_rows(TABLES[DUPLICATES], tally.counted(finder.clusters()), settings.home) as rows,
            database.session() as connection,
        ):
            replace_rows(
                connection,
                DUPLICATES,
                {DUPLICATES: rows},
                fingerprints=fingerprints_of(dialogues),
                code_version=version,
            )
        compared = finder.compared
    return RefreshResult(
        {method: tally.kept[method] for method in DUPLICATE_METHODS if method in tally.kept},
        rows.count,
        tally.copies["content"],
        tally.copies["prefix"],
        compared,
        len(dialogues),
        messages,
        time.perf_counter() - started,
    )


@dataclass
class _Tally:
    """What is counted of rows that pass by.

    Attributes:
        kept: kept members per method, which are as many as there are clusters.
        copies: the other members, by what they are copies of.
    """

    kept: Counter[str] = field(default_factory=Counter)
    copies: Counter[str] = field(default_factory=Counter)

    def counted(self, frames: Iterable[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        """Yield the frames once they are counted."""
        for rows in frames:
            self.kept.update(rows.loc[rows["is_kept"], "method"])
            self.copies.update(rows["copy_kind"].dropna())
            yield rows


def _linked_ids(database: Database, batch: DialogueBatch) -> dict[str, int]:
    with database.session() as connection:
        rows = fetch_rows(connection, "duplicates/linked_messages", _LinkedMessage, {"ids": batch.dialogue_ids})
    return {row.message_id: linked_id(row.source, row.source_id) for row in rows}
