"""Building derived tables in chunks: one is computed while the next one is read and the one before it is written.

Called by the Dagster assets and, without Dagster, by tests and benchmarks.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Final

from archive_pipeline.derive.batch import DialogueBatch
from archive_pipeline.derive.registry import ASSETS, DerivedAsset, effective_version
from archive_pipeline.settings import Settings
from archive_pipeline.store.batches import load_batch
from archive_pipeline.store.copy import EncodedRows
from archive_pipeline.store.database import Database
from archive_pipeline.store.replace import DialoguesGoneError, encode_frames, replace_rows
from archive_pipeline.store.staleness import DialogueRef, stale_dialogues

# A chunk is one transaction and one batch in memory. Larger chunks were no faster.
CHUNK_MESSAGES: Final = 10_000
CHUNK_DIALOGUES: Final = 1_000

Progress = Callable[[str, int], None]


@dataclass
class BatchCache:
    """Batches that were read, so that the assets of one run read each chunk once.

    It fills up to a budget and keeps what it has: evicting the oldest would throw away every chunk just before the
    next asset asks for it. What does not fit is read again.

    Attributes:
        budget: characters of text to keep.
    """

    budget: int = 128_000_000
    _batches: dict[tuple[tuple[str, str], ...], DialogueBatch] = field(default_factory=dict)
    _used: int = 0

    def load(self, database: Database, dialogues: Sequence[DialogueRef]) -> DialogueBatch:
        """Return the batch of the given dialogues, with their present content."""
        key = tuple((dialogue.id, dialogue.fingerprint) for dialogue in dialogues)
        batch = self._batches.get(key)
        if batch is None:
            batch = load_batch(database, [dialogue.id for dialogue in dialogues])
            size = batch.text_bytes
            if self._used + size <= self.budget:
                self._batches[key] = batch
                self._used += size
        return batch


@dataclass(frozen=True)
class BuildResult:
    """What a build did.

    Attributes:
        rows: rows written per table.
        dialogues, messages: how many were built.
        seconds: wall time.
    """

    rows: Counter[str]
    dialogues: int
    messages: int
    seconds: float


def build_asset(
    database: Database,
    settings: Settings,
    name: str,
    dialogues: Sequence[DialogueRef],
    *,
    cache: BatchCache | None = None,
    progress: Progress = lambda _asset, _messages: None,
) -> BuildResult:
    """Build one asset for the given dialogues and record it in ``derived.build_state``.

    Each chunk is one transaction, so an interrupted build keeps the chunks that were done.

    Args:
        database: the archive.
        settings: how to build.
        name: the asset.
        dialogues: what to build.
        cache: shared by the assets of one run.
        progress: called with the asset and the number of messages after each chunk.
    """
    started = time.perf_counter()
    asset, version = ASSETS[name], effective_version(name, settings)
    cache = BatchCache() if cache is None else cache
    rows: Counter[str] = Counter(dict.fromkeys(asset.tables, 0))
    messages = 0
    with (
        ThreadPoolExecutor(max_workers=1, thread_name_prefix="read") as reader,
        ThreadPoolExecutor(max_workers=1, thread_name_prefix="copy") as writer,
    ):
        pending: Future[dict[str, int]] | None = None
        for chunk, batch in _read_ahead(reader, database, cache, chunks(dialogues)):
            # Encoded here: the writer then only waits for PostgreSQL, while the next chunk is computed.
            encoded = encode_frames(asset.derive(batch, settings))
            if pending is not None:
                rows.update(pending.result())
            pending = writer.submit(_write, database, settings, asset, version, chunk, encoded)
            messages += len(batch)
            progress(name, len(batch))
        if pending is not None:
            rows.update(pending.result())
    return BuildResult(rows, len(dialogues), messages, time.perf_counter() - started)


def _read_ahead(
    reader: ThreadPoolExecutor, database: Database, cache: BatchCache, refs: Iterable[list[DialogueRef]]
) -> Iterator[tuple[list[DialogueRef], DialogueBatch]]:
    """Yield each chunk with its batch, while the next one is read."""
    pending: tuple[list[DialogueRef], Future[DialogueBatch]] | None = None
    for chunk in refs:
        following = (chunk, reader.submit(cache.load, database, chunk))
        if pending is not None:
            yield pending[0], pending[1].result()
        pending = following
    if pending is not None:
        yield pending[0], pending[1].result()


def build_stale(
    database: Database, settings: Settings, *, progress: Progress = lambda _asset, _messages: None
) -> dict[str, BuildResult]:
    """Build whatever is stale of every asset, without Dagster; parents before children."""
    cache = BatchCache()
    results: dict[str, BuildResult] = {}
    for name in ASSETS:
        with database.session() as connection:
            dialogues = stale_dialogues(connection, name, effective_version(name, settings))
        results[name] = build_asset(database, settings, name, dialogues, cache=cache, progress=progress)
    return results


def chunks(dialogues: Sequence[DialogueRef]) -> Iterator[list[DialogueRef]]:
    """Cut the dialogues into chunks of bounded size; a dialogue is never cut."""
    chunk: list[DialogueRef] = []
    messages = 0
    for dialogue in dialogues:
        if chunk and (messages + dialogue.message_count > CHUNK_MESSAGES or len(chunk) == CHUNK_DIALOGUES):
            yield chunk
            chunk, messages = [], 0
        chunk.append(dialogue)
        messages += dialogue.message_count
    if chunk:
        yield chunk


def _write(
    database: Database,
    settings: Settings,
    asset: DerivedAsset,
    version: str,
    chunk: Sequence[DialogueRef],
    encoded: Mapping[str, EncodedRows],
) -> dict[str, int]:
    fingerprints = {dialogue.id: dialogue.fingerprint for dialogue in chunk}
    try:
        with database.session() as connection:
            return replace_rows(connection, asset.name, encoded, fingerprints=fingerprints, code_version=version)
    except DialoguesGoneError:
        batch = load_batch(database, list(fingerprints))
        left = {dialogue: fingerprints[dialogue] for dialogue in batch.dialogue_ids}
        encoded = encode_frames(asset.derive(batch, settings))
        with database.session() as connection:
            return replace_rows(connection, asset.name, encoded, fingerprints=left, code_version=version)
