"""Bringing Chroma to the state of the tables: what is gone is deleted, what is stale is written again.

What was written is recorded in PostgreSQL after each batch, so an interrupted run goes on where it stopped. An index of
another model, or one that is made anew, grows beside the one that is searched and takes its place in one transaction.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Any

from archive_pipeline.domain.progress import Progress
from archive_pipeline.retrieval.index.chroma import (
    Chroma,
    only_writer,
    open_chroma,
    open_or_reset,
    translate_errors,
)
from archive_pipeline.retrieval.index.chroma_file import erase_deleted
from archive_pipeline.retrieval.index.chroma_indexes import indexes_in_chroma, record_location
from archive_pipeline.retrieval.index.chroma_removal import (
    BATCH_ENTRIES,
    KINDS,
    delete_gone_entries,
    drop_unnamed,
    reconcile,
)
from archive_pipeline.retrieval.index.entries import Entry, chunk_entry, page_entries
from archive_pipeline.retrieval.index.results import SyncResult
from archive_pipeline.settings import Settings
from archive_pipeline.store import vector_indexes
from archive_pipeline.store.database import Database
from archive_pipeline.store.embeddings import Generation
from archive_pipeline.store.vector_indexes import TEXT, EntryRow, PageEntry, TextEntry, VectorIndex


def sync_chroma(
    database: Database, settings: Settings, generation: Generation, *, rebuild: bool, progress: Progress
) -> SyncResult:
    """Bring the index of a generation up to date and make it the one that is searched.

    The caller holds ``embed.only_indexer``.

    Args:
        database: the archive.
        settings: where the vector store is.
        generation: whose vectors.
        rebuild: make the index anew.
        progress: told of entries as ``text`` and ``visual``.

    Raises:
        VectorStoreError: the vector store cannot be used, or another process writes to it.
    """
    with only_writer(settings):
        chroma = open_or_reset(settings) if rebuild else open_chroma(settings)
        with database.session() as connection:
            record_location(connection, settings)
            archive_id = vector_indexes.database_identity(connection)
        index, is_new = _index_to_fill(database, settings, chroma, generation, rebuild=rebuild)
        collections, surplus = {}, {}
        for kind in KINDS:
            with translate_errors(chroma.location):
                collections[kind] = chroma.find(index, kind) or chroma.create(index, kind)
                if settings.chroma_url is None:
                    chroma.claim(collections[kind], archive_id)
                surplus[kind] = reconcile(database, settings, index, kind, collections[kind], chroma.batch_size)
        gone = delete_gone_entries(database, settings, chroma, index, collections)
        deleted = {kind: surplus[kind] + gone[kind] for kind in KINDS}
        written = {
            kind: _write_stale(database, settings, chroma, index, kind, collection, progress)
            for kind, collection in collections.items()
        }
        has_changed = any(written.values()) or any(deleted.values())
        index = _publish(database, settings, chroma, index, has_changed=has_changed)
        drop_unnamed(database, settings, chroma)
        return SyncResult(index, is_new, written, deleted)


def _index_to_fill(
    database: Database, settings: Settings, chroma: Chroma, generation: Generation, *, rebuild: bool
) -> tuple[VectorIndex, bool]:
    """Return the index to go on with, or a new one. One whose building was interrupted is gone on with as well."""
    with database.session() as connection:
        known = indexes_in_chroma(connection, settings)
    if not rebuild:
        for index in known:
            with translate_errors(chroma.location):
                if index.generation == generation and all(chroma.find(index, kind) is not None for kind in KINDS):
                    return index, not index.is_active
    index_id = str(uuid.uuid4())
    with database.session() as connection:
        vector_indexes.add_index(connection, index_id, generation, chroma.location)
        index = next(index for index in indexes_in_chroma(connection, settings) if index.id == index_id)
    with translate_errors(chroma.location):
        for kind in KINDS:
            chroma.create(index, kind)
    return index, True


def _write_stale(
    database: Database,
    settings: Settings,
    chroma: Chroma,
    index: VectorIndex,
    kind: str,
    collection: Any,
    progress: Progress,
) -> int:
    with database.session() as connection:
        total = vector_indexes.count_stale(connection, index, kind)
    number, done = min(chroma.batch_size, BATCH_ENTRIES), 0
    last: EntryRow | None = None
    progress(kind, done, total)
    while True:
        rows, entries = _stale(database, settings, index, kind, last, number)
        if not rows:
            return done
        with translate_errors(chroma.location):
            _upsert(collection, entries)
        with database.session() as connection:
            vector_indexes.record(connection, index, kind, rows)
        last = rows[-1]
        done += len(rows)
        progress(kind, done, max(total, done))


def _stale(
    database: Database, settings: Settings, index: VectorIndex, kind: str, last: EntryRow | None, number: int
) -> tuple[Sequence[EntryRow], list[Entry]]:
    with database.session() as connection:
        if kind == TEXT:
            last_chunk = last if isinstance(last, TextEntry) else None
            chunks = vector_indexes.stale_chunks(connection, index, last_chunk, number)
            return chunks, [chunk_entry(row, settings.home) for row in chunks]
        pages = vector_indexes.stale_pages(connection, index, last if isinstance(last, PageEntry) else None, number)
        documents = vector_indexes.document_pages(connection, [row.doc_id for row in pages if row.page == 1])
    return pages, page_entries(pages, documents, index.generation.dimensions, settings.home)


def _upsert(collection: Any, entries: Sequence[Entry]) -> None:
    # An upsert keeps metadata fields that the new entry does not have; no field of an entry ever goes away.
    collection.upsert(
        ids=[entry.id for entry in entries],
        embeddings=[entry.vector for entry in entries],
        documents=[entry.text for entry in entries],
        metadatas=[entry.metadata for entry in entries],
    )


def _publish(
    database: Database, settings: Settings, chroma: Chroma, index: VectorIndex, *, has_changed: bool
) -> VectorIndex:
    """Make the index the one that is searched, and only then drop the others; return it as it is now."""
    with database.session() as connection:
        others = [other for other in indexes_in_chroma(connection, settings) if other.id != index.id]
        if not index.is_active:
            vector_indexes.activate(connection, index.id, chroma.location)
        elif has_changed:
            vector_indexes.touch(connection, index)
        index = next(own for own in indexes_in_chroma(connection, settings) if own.id == index.id)
    for other in others:
        with translate_errors(chroma.location):
            for kind in KINDS:
                chroma.drop(other.collection(kind))
        erase_deleted(settings)
        with database.session() as connection:
            vector_indexes.purge_index(connection, other)
    return index
