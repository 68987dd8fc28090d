"""Vectors of ranges of hashes, as tasks of an executor: many texts are embedded by as many processes as there are.

A task only reads and computes. Who holds ``embed.only_indexer`` stores what it made, so that a task that is repeated,
or that outlives its driver, writes nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from archive_pipeline.retrieval.embedders.interface import Embedder, Vectors
from archive_pipeline.retrieval.embedders.registry import open_embedder, version_in_workers
from archive_pipeline.settings import Settings
from archive_pipeline.store import embeddings
from archive_pipeline.store.database import Database
from archive_pipeline.store.embeddings import Generation, HashedText, HashRange
from archive_pipeline.store.tables.search import chunk_embeddings


class Embedded(NamedTuple):
    """Texts that were embedded.

    Attributes:
        content_hashes: of the texts.
        vectors: a row for each of them.
        cut_texts: of how many the model read only the beginning.
    """

    content_hashes: list[str]
    vectors: Vectors
    cut_texts: int


@dataclass(frozen=True, slots=True)
class EmbeddingTask:
    """The vectors of the texts of a range, to be made (`Task`).

    Attributes:
        version: of the model, as ``version_in_workers`` has it.
        settings: of the archive.
        generation: names the model.
        items: the range.
    """

    version: str
    settings: Settings
    generation: Generation
    items: tuple[HashRange]

    asset = chunk_embeddings.name
    is_of_shared_batch = False

    @property
    def own_version(self) -> str:
        """The version of the model in this process.

        Raises:
            MissingExtraError: its packages are not installed.
        """
        return str(version_in_workers(self.generation.model))

    @property
    def size(self) -> int:
        """How many texts had no vector when the range was chosen."""
        return self.items[0].texts

    @property
    def label(self) -> str:
        """The asset and the last hash."""
        return f"{self.asset} of {self.size:,} texts (to the hash {self.items[0].until})"

    def load(self, database: Database) -> list[HashedText]:
        """Read the texts that have no vector."""
        with database.session() as connection:
            return embeddings.texts_of_range(connection, self.generation, self.items[0])

    def computed(self, database: Database, load: Callable[[], list[HashedText]]) -> Callable[[], Embedded]:
        """Embed the texts; nothing is written."""
        del database
        made = embed_texts(_opened(self.settings, self.generation.model), load())
        return lambda: made


def embed_texts(embedder: Embedder, texts: list[HashedText]) -> Embedded:
    """Embed texts."""
    cut_before = embedder.cut_texts
    vectors = embedder.embed([text.text for text in texts])
    return Embedded([text.content_hash for text in texts], vectors, embedder.cut_texts - cut_before)


@lru_cache(maxsize=1)
def _opened(settings: Settings, model: str) -> Embedder:
    """Open a model once for all tasks of a process."""
    return open_embedder(settings, model)
