"""The whole way from chunks to a vector index that can be searched."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from archive_pipeline.domain.choices import VectorStore
from archive_pipeline.domain.progress import Progress, no_progress
from archive_pipeline.retrieval.embedders.registry import open_embedder
from archive_pipeline.retrieval.index.choice import FORMS, store_to_fill
from archive_pipeline.retrieval.index.chroma import open_chroma
from archive_pipeline.retrieval.index.embed import EmbeddingResult, embed_chunks, only_indexer
from archive_pipeline.retrieval.index.sync import SyncResult, delete_gone, sync
from archive_pipeline.settings import Settings
from archive_pipeline.store import embeddings, locks
from archive_pipeline.store.database import Database


@dataclass(frozen=True, slots=True)
class IndexResult:
    """What indexing did.

    Attributes:
        embedding: the vectors that were made.
        sync: what was written to the vector store.
        store: where the index is.
        note: what the user should know of that; None if there is nothing.
        seconds: wall time.
    """

    embedding: EmbeddingResult
    sync: SyncResult
    store: VectorStore
    note: str | None
    seconds: float


def purge_deleted(database: Database, settings: Settings) -> None:
    """Remove what search has of dialogues and documents that were deleted: vectors, and entries in the vector store.

    Raises:
        MissingExtraError, VectorStoreError: the vector store cannot be used; the next ``index_archive`` removes them.
    """
    with database.session() as connection:
        embeddings.delete_unused_of_all(connection)
    delete_gone(database, settings)


def index_archive(
    database: Database,
    settings: Settings,
    *,
    rebuild: bool = False,
    on_wait: Callable[[str], None] = locks.silent,
    progress: Progress = no_progress,
) -> IndexResult:
    """Embed what has no vector and bring the vector index up to date.

    Args:
        database: the archive, whose derived tables are built.
        settings: model and store of the index.
        rebuild: make the index anew, from the vectors in PostgreSQL.
        progress: told of texts as ``embedding`` and ``queries``, of entries as ``text`` and ``visual``, of a graph as
            ``graph``.
        on_wait: called once if another process indexes.

    Raises:
        MissingExtraError: a package is not installed.
        EmbeddingError: the model cannot be used.
        VectorStoreError: the vector store cannot be used.
    """
    started = time.perf_counter()
    embedder = open_embedder(settings)
    with only_indexer(database, on_wait):
        chosen = store_to_fill(database, settings, rebuild=rebuild)
        if chosen.store is VectorStore.CHROMA and not rebuild:
            open_chroma(settings)  # before hours of embedding
        embedded = embed_chunks(database, settings, embedder, FORMS[chosen.store], progress=progress)
        synced = sync(database, settings, chosen.store, embedded.generation, rebuild=rebuild, progress=progress)
    return IndexResult(embedded, synced, chosen.store, chosen.note, time.perf_counter() - started)
