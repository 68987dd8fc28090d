"""Building derived rows in chunks: one is computed while the next one is read and the one before it is written.

A chunk that fails is bisected until the items that cannot be built are known. These are set aside, the others are
built. The engine knows dialogues and documents by their description only (`Source`).
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import Final, Generic

from archive_pipeline.building.isolation import bisect_failures, describe
from archive_pipeline.building.source import Read, Ref, Source
from archive_pipeline.derive.asset import Batch, DerivedAsset
from archive_pipeline.domain.progress import Progress, no_progress
from archive_pipeline.errors import NothingCanBeBuiltError
from archive_pipeline.ingest.collection import seldom_collected
from archive_pipeline.settings import Settings
from archive_pipeline.store.copy import EncodedRows
from archive_pipeline.store.database import Database
from archive_pipeline.store.failures import is_systemic
from archive_pipeline.store.replace import ItemsChangedError, encode_frames

# So many that fail, and none that does not, are no accident of the data: a build stops instead of emptying its table.
MOST_FAILURES_WITHOUT_SUCCESS: Final = 50


@dataclass(frozen=True)
class BuildResult:
    """What a build did.

    Attributes:
        rows: rows written per table.
        built: how many dialogues or documents were built.
        size: the messages or pages of these.
        failures: per dialogue or document that could not be built, its id and the error.
        seconds: wall time.
    """

    rows: Counter[str]
    built: int = 0
    size: int = 0
    failures: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 0.0


def build(
    database: Database,
    settings: Settings,
    source: Source[Ref, Batch],
    asset: DerivedAsset[Batch],
    version: str,
    items: Sequence[Ref],
    *,
    chunks: Iterable[list[Ref]] | None = None,
    load: Callable[[Sequence[Ref]], Batch] | None = None,
    progress: Progress = no_progress,
) -> BuildResult:
    """Build one asset for the given items and record what its rows were built from.

    Each chunk is one transaction, so an interrupted build keeps the chunks that were done. Items that fail by
    themselves, when they are read, computed, encoded or written, are set aside (`Source.set_aside`).

    Args:
        database: the archive.
        settings: how to build.
        source: the description of the items.
        asset: what to build.
        version: the version that is recorded.
        items: what to build it for.
        chunks: the items in chunks, where these were measured before.
        load: reads the batch of a chunk, in a thread of its own; by default from the database.
        progress: told of messages or pages by the asset's name, after each chunk.

    Raises:
        NothingCanBeBuiltError: too many items failed, and none did not.
        Exception: what is no item's own fault (`is_systemic`).
    """
    started = time.perf_counter()
    state = _AssetBuild(database, settings, source, asset, version)
    done, total = 0, sum(map(source.size, items))
    progress(asset.name, done, total)
    if chunks is None:
        chunks = source.chunks(items, source.text_bytes(database, items))
    with (
        seldom_collected(),
        ThreadPoolExecutor(max_workers=1, thread_name_prefix="read") as reader,
        ThreadPoolExecutor(max_workers=1, thread_name_prefix="copy") as writer,
    ):
        pending: Future[None] | None = None
        for chunk, batch in read_ahead(reader, load or state.load, chunks):
            # Computed and encoded here: the writer then only waits for PostgreSQL, while the next chunk is computed.
            step = state.computed(chunk, batch)
            if pending is not None:
                pending.result()
            pending = writer.submit(step)
            done += sum(map(source.size, chunk))
            progress(asset.name, done, total)
        if pending is not None:
            pending.result()
    return BuildResult(state.rows, state.built, state.size, state.failures, time.perf_counter() - started)


def read_ahead(
    reader: ThreadPoolExecutor, load: Callable[[Sequence[Ref]], Batch], chunks: Iterable[list[Ref]]
) -> Iterator[tuple[list[Ref], Future[Batch]]]:
    """Yield each chunk with its batch, while the thread of ``reader`` reads the next one."""
    pending: tuple[list[Ref], Future[Batch]] | None = None
    for chunk in chunks:
        following = (chunk, reader.submit(load, chunk))
        if pending is not None:
            yield pending
        pending = following
    if pending is not None:
        yield pending


class _AssetBuild(Generic[Ref, Batch]):
    """The build of one asset; one thread at a time takes its steps and changes its counts."""

    def __init__(
        self,
        database: Database,
        settings: Settings,
        source: Source[Ref, Batch],
        asset: DerivedAsset[Batch],
        version: str,
    ) -> None:
        self.rows: Counter[str] = Counter(dict.fromkeys(asset.tables, 0))
        self.built = self.size = 0
        self.failures: dict[str, str] = {}
        self._database = database
        self._settings = settings
        self._source = source
        self._asset = asset
        self._version = version

    def load(self, chunk: Sequence[Ref]) -> Batch:
        """Read the batch of a chunk."""
        with self._source.reader(self._database) as read:
            return read([item.id for item in chunk])

    def computed(self, chunk: Sequence[Ref], batch: Future[Batch]) -> Callable[[], None]:
        """Compute the rows of a chunk; return the step that writes them, or that bisects the chunk."""
        try:
            encoded = self._encode(batch.result())
        except Exception as error:
            if is_systemic(error):
                raise
            return partial(self._build_individually, chunk, error)
        return partial(self._write_or_bisect, chunk, encoded)

    def _encode(self, batch: Batch) -> dict[str, EncodedRows]:
        return encode_frames(self._asset.derive(batch, self._settings))

    def _write_or_bisect(self, chunk: Sequence[Ref], encoded: Mapping[str, EncodedRows]) -> None:
        try:
            try:
                self._write(chunk, encoded)
            except ItemsChangedError:
                with self._source.reader(self._database) as read:
                    self._rebuild(read, chunk)
        except Exception as error:
            if is_systemic(error):
                raise
            self._build_individually(chunk, error)

    def _rebuild(self, read: Read[Batch], chunk: Sequence[Ref]) -> None:
        """Read, compute and write what is left of a chunk."""
        items = self._source.present(self._database, chunk)
        batch = read([item.id for item in items])
        there = set(self._source.ids(batch))
        self._write([item for item in items if item.id in there], self._encode(batch))

    def _write(self, chunk: Sequence[Ref], encoded: Mapping[str, EncodedRows]) -> None:
        with self._database.session() as connection:
            written = self._source.replace(connection, self._asset, encoded, chunk, self._version)
        self.rows.update(written)
        self.built += len(chunk)
        self.size += sum(map(self._source.size, chunk))

    def _build_individually(self, chunk: Sequence[Ref], error: Exception) -> None:
        """Build the items of a chunk that can be built, and set the others aside."""
        errors: dict[str, str] = {}
        with self._source.reader(self._database) as read:
            for item, failure in bisect_failures(chunk, error, partial(self._rebuild, read)):
                errors[item.id] = describe(failure)
                self._stop_if_nothing_can_be_built(len(errors), item, failure)
        if errors:
            with self._database.session() as connection:
                self._source.set_aside(connection, self._asset, errors, chunk, self._version)
            self.failures |= errors

    def _stop_if_nothing_can_be_built(self, failures: int, last: Ref, failure: Exception) -> None:
        if not self.built and len(self.failures) + failures >= MOST_FAILURES_WITHOUT_SUCCESS:
            raise NothingCanBeBuiltError(
                f"{len(self.failures) + failures} {self._source.noun} were tried one by one and none could be built, "
                f"the last one ({self._source.label(last)}) because of {describe(failure).splitlines()[0]}. "
                "That is hardly their own fault; the build stops here"
            ) from failure
