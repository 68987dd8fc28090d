"""The build of one chunk: read, computed, and written in one transaction; wherever an executor has it done.

A chunk that fails is bisected until the items that cannot be built are known. These are set aside, the others are
built. Dialogues and documents are known by their description only (`Source`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from archive_pipeline.building.dialogue_source import DIALOGUES
from archive_pipeline.building.isolation import bisect_failures, describe
from archive_pipeline.building.source import Read, Source
from archive_pipeline.building.sources import SOURCES
from archive_pipeline.building.tasks import Batch, named
from archive_pipeline.derive.registry import effective_version
from archive_pipeline.settings import Settings
from archive_pipeline.store.copy import EncodedRows
from archive_pipeline.store.database import Database
from archive_pipeline.store.failures import is_systemic
from archive_pipeline.store.replace import ItemsChangedError, encode_frames


@dataclass(frozen=True, slots=True)
class BuildTask:
    """One asset of one chunk of items, to be built (`Task`).

    One transaction replaces the asset's rows of its items and records what they were built from. The rows and records
    of a chunk that is built twice are those of the last time. Items that fail by themselves, when they are read,
    computed, encoded or written, are set aside (`Source.set_aside`).

    Attributes:
        source: the name of the items' description in ``SOURCES``.
        asset: the asset's name in the source's ``assets``.
        version: the version that is recorded.
        settings: how to build.
        items: references to the dialogues or documents, in the order of their ids.
        patience: so many items that fail while none is built end the chunk, with nothing set aside; None: all are
            tried.
    """

    source: str
    asset: str
    version: str
    settings: Settings
    items: tuple[Any, ...]
    patience: int | None = None

    @property
    def size(self) -> int:
        """How many messages or pages the chunk has."""
        return sum(map(self._source.size, self.items))

    @property
    def own_version(self) -> str:
        """The version of the asset in this process."""
        return effective_version(self.asset, self.settings)

    @property
    def is_of_shared_batch(self) -> bool:
        """Whether several assets are made of the batch: of documents, one is."""
        return self.source == DIALOGUES.noun

    @property
    def label(self) -> str:
        """The asset and the chunk's items."""
        return named(self.asset, [*map(self._source.label, self.items)], self.source)

    def load(self, database: Database) -> Batch:
        """Read the chunk's batch from the database."""
        with self._source.reader(database) as read:
            return read([item.id for item in self.items])

    def computed(self, database: Database, load: Callable[[], Batch]) -> Callable[[], ChunkResult]:
        """Compute and encode the rows of the chunk; return the step that writes them.

        Raises:
            Exception: what is no item's own fault (`is_systemic`), as the step does; what was committed stays.
        """
        return ChunkBuild(database, self).computed(load)

    @property
    def _source(self) -> Source[Any, Any]:
        return SOURCES[self.source]


@dataclass(frozen=True, slots=True)
class ChunkResult:
    """What came of a chunk; it can be pickled.

    Attributes:
        rows: rows written per table.
        built: how many items were built.
        size: the messages or pages of these.
        failures: per item that could not be built, in the order of ids, its id and the error (`describe`).
        gave_up: the task's patience ended: its failures are not set aside, and other items may not have been tried.
    """

    rows: Counter[str]
    built: int = 0
    size: int = 0
    failures: Mapping[str, str] = field(default_factory=dict)
    gave_up: bool = False


class ChunkBuild:
    """The build of one chunk in steps, which threads may take one after the other."""

    def __init__(self, database: Database, task: BuildTask) -> None:
        self._database = database
        self._source = SOURCES[task.source]
        self._asset = self._source.assets[task.asset]
        self._task = task
        self._rows: Counter[str] = Counter(dict.fromkeys(self._asset.tables, 0))
        self._built = self._size = 0

    def computed(self, load: Callable[[], Batch]) -> Callable[[], ChunkResult]:
        """Compute and encode the rows of the batch that ``load`` returns; return the step that writes them.

        The step then only waits for PostgreSQL, while another chunk is computed. It bisects a chunk that failed.
        """
        try:
            encoded = self._encode(load())
        except Exception as error:
            if is_systemic(error):
                raise
            return partial(self._build_individually, error)
        return partial(self._write_or_bisect, encoded)

    def _encode(self, batch: Batch) -> dict[str, EncodedRows]:
        return encode_frames(self._asset.derive(batch, self._task.settings))

    def _write_or_bisect(self, encoded: Mapping[str, EncodedRows]) -> ChunkResult:
        try:
            try:
                self._write(self._task.items, encoded)
            except ItemsChangedError:
                with self._source.reader(self._database) as read:
                    self._rebuild(read, self._task.items)
        except Exception as error:
            if is_systemic(error):
                raise
            return self._build_individually(error)
        return self._result({})

    def _rebuild(self, read: Read[Batch], chunk: Sequence[Any]) -> None:
        """Read, compute and write what is left of a chunk."""
        items = self._source.present(self._database, chunk)
        batch = read([item.id for item in items])
        there = set(self._source.ids(batch))
        self._write([item for item in items if item.id in there], self._encode(batch))

    def _write(self, chunk: Sequence[Any], encoded: Mapping[str, EncodedRows]) -> None:
        with self._database.session() as connection:
            written = self._source.replace(connection, self._asset, encoded, chunk, self._task.version)
        self._rows.update(written)
        self._built += len(chunk)
        self._size += sum(map(self._source.size, chunk))

    def _build_individually(self, error: Exception) -> ChunkResult:
        """Build the items of a chunk that can be built, and set the others aside."""
        items, errors = self._task.items, dict[str, str]()
        with self._source.reader(self._database) as read:
            for item, failure in bisect_failures(items, error, partial(self._rebuild, read)):
                errors[item.id] = describe(failure)
                if not self._built and len(errors) == self._task.patience:
                    return self._result(errors, gave_up=True)
        if errors:
            with self._database.session() as connection:
                self._source.set_aside(connection, self._asset, errors, items, self._task.version)
        return self._result(errors)

    def _result(self, failures: Mapping[str, str], *, gave_up: bool = False) -> ChunkResult:
        return ChunkResult(self._rows, self._built, self._size, failures, gave_up)
