"""Computing the duplicates of an archive anew and replacing the stored clusters in one transaction."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple

import pandas as pd

from archive_pipeline.building.dialogue_source import DIALOGUES, fingerprints_of
from archive_pipeline.building.read_ahead import read_ahead
from archive_pipeline.derive.registry import effective_version
from archive_pipeline.domain.batch import DialogueBatch
from archive_pipeline.domain.choices import DUPLICATE_METHODS
from archive_pipeline.domain.progress import Progress, no_progress
from archive_pipeline.duplicates.finder import CODE_VERSION, duplicate_finder
from archive_pipeline.duplicates.paths import linked_id
from archive_pipeline.settings import Settings
from archive_pipeline.store.batches import load_batch
from archive_pipeline.store.database import Database
from archive_pipeline.store.duplicates import DUPLICATES
from archive_pipeline.store.home import prepare_home
from archive_pipeline.store.replace import ItemsChangedError, encode_frames, replace_rows
from archive_pipeline.store.rows import fetch_rows
from archive_pipeline.store.staleness import DialogueRef
from archive_pipeline.text.runtime import UNICODE

UPSTREAM = ("message_paths", "exchanges", "content_hashes")


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


def refresh_duplicates(database: Database, settings: Settings, *, progress: Progress = no_progress) -> RefreshResult:
    """Find the duplicates of the whole archive and store them in place of the ones before.

    They are computed from ``raw``, like all derived rows, so that it does not matter whether other derived tables are
    up to date. What is imported meanwhile counts as changed since.

    Args:
        database: the archive.
        settings: its settings; shingles go to a file in its home while it works.
        progress: told of messages by the asset's name, after each batch.
    """
    prepare_home(settings.home)
    while True:
        with database.session() as connection:
            dialogues = DIALOGUES.everything(connection)
        try:
            return _refresh(database, settings, dialogues, progress)
        except ItemsChangedError:  # one was deleted since, so some clusters are about texts that are gone
            continue


def _refresh(
    database: Database, settings: Settings, dialogues: Sequence[DialogueRef], progress: Progress
) -> RefreshResult:
    started = time.perf_counter()
    messages, total = 0, sum(map(DIALOGUES.size, dialogues))
    progress(DUPLICATES, messages, total)

    def load(chunk: Sequence[DialogueRef]) -> DialogueBatch:
        return load_batch(database, [dialogue.id for dialogue in chunk])

    with (
        duplicate_finder(settings.hash_normalizations, settings.home) as finder,
        ThreadPoolExecutor(max_workers=1, thread_name_prefix="read") as reader,
    ):
        chunks = DIALOGUES.chunks(dialogues, DIALOGUES.text_bytes(database, dialogues))
        for _, reading in read_ahead(reader, load, chunks):
            batch = reading.result()
            finder.add(batch, _linked_ids(database, batch))
            messages += len(batch)
            progress(DUPLICATES, messages, max(messages, total))
        rows = finder.clusters()
        compared = finder.compared
    fingerprints = fingerprints_of(dialogues)
    version = duplicates_version(settings)
    with database.session() as connection:
        replace_rows(
            connection, DUPLICATES, encode_frames({DUPLICATES: rows}), fingerprints=fingerprints, code_version=version
        )
    return RefreshResult(
        _clusters(rows),
        len(rows),
        int((rows["copy_kind"] == "content").sum()),
        int((rows["copy_kind"] == "prefix").sum()),
        compared,
        len(dialogues),
        messages,
        time.perf_counter() - started,
    )


def _linked_ids(database: Database, batch: DialogueBatch) -> dict[str, int]:
    with database.session() as connection:
        rows = fetch_rows(connection, "duplicates/linked_messages", _LinkedMessage, {"ids": batch.dialogue_ids})
    return {row.message_id: linked_id(row.source, row.source_id) for row in rows}


def _clusters(rows: pd.DataFrame) -> dict[str, int]:
    kept = rows.loc[rows["is_kept"], "method"].value_counts()
    return {method: int(kept[method]) for method in DUPLICATE_METHODS if method in kept}
