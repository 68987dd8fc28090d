"""Bringing the vector index up to date, in whichever store it is. An archive has one: the other store's is removed."""

from __future__ import annotations

from archive_pipeline.domain.choices import VectorStore
from archive_pipeline.domain.progress import Progress
from archive_pipeline.retrieval.index.choice import chosen_store
from archive_pipeline.retrieval.index.chroma_indexes import is_served
from archive_pipeline.retrieval.index.chroma_removal import delete_gone_of_chroma, remove_embedded
from archive_pipeline.retrieval.index.chroma_sync import sync_chroma
from archive_pipeline.retrieval.index.postgres import purge_index, sync_postgres
from archive_pipeline.retrieval.index.results import SyncResult
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.embeddings import Generation

__all__ = ["SyncResult", "delete_gone", "sync"]


def sync(
    database: Database,
    settings: Settings,
    store: VectorStore,
    generation: Generation,
    *,
    rebuild: bool,
    progress: Progress,
) -> SyncResult:
    """Bring the index of a generation up to date and make it the one that is searched.

    The caller holds ``embed.only_indexer``, and has the vectors in the form that the store needs.

    Args:
        database: the archive.
        settings: where Chroma is.
        store: that has the index.
        generation: whose vectors.
        rebuild: make the index anew.
        progress: told of entries as ``text`` and ``visual``, of a graph as ``graph``.

    Raises:
        MissingExtraError: Chroma is the store, and chromadb is not installed.
        VectorStoreError: the store cannot be used, or another process writes to it.
    """
    if store is VectorStore.POSTGRES:
        result = sync_postgres(database, generation, rebuild=rebuild, progress=progress)
        remove_embedded(database, settings)
        return result
    result = sync_chroma(database, settings, generation, rebuild=rebuild, progress=progress)
    with database.session() as connection:
        purge_index(connection)
    if settings.chroma_url is not None:
        remove_embedded(database, settings)
    return result


def delete_gone(database: Database, settings: Settings) -> int:
    """Delete what Chroma has of dialogues and documents that are gone; return how many entries.

    The embedded store is looked at whichever has the index: a restored database may not know what is in it. In
    PostgreSQL an entry is a chunk and its vector: the chunk is gone with its dialogue.

    Raises:
        MissingExtraError: there is something in Chroma, and chromadb is not installed.
        VectorStoreError: Chroma cannot be used, or another process writes to it.
    """
    embedded = settings.with_values(chroma_url=None)
    with database.session() as connection:
        store = chosen_store(connection, settings).store
        has_embedded = not is_served(connection, settings)
    deleted = delete_gone_of_chroma(database, embedded) if has_embedded else 0
    if settings.chroma_url is not None and store is VectorStore.CHROMA:
        deleted += delete_gone_of_chroma(database, settings)
    return deleted
