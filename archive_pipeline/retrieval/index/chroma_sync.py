"""Bringing Chroma to the state of the tables: what is gone is deleted, what is stale is written again.

What was written is recorded in PostgreSQL after each batch, so an interrupted run goes on where it stopped. What was
deleted is recorded once nothing of it is left in Chroma's file, so the next run repeats an interrupted deletion. An
index of another model, or one that is made anew, grows beside the one that is searched and takes its place in one
transaction.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from typing import Any, Final

from more_itertools import chunked

from archive_pipeline.domain.progress import Progress
from archive_pipeline.retrieval.index.chroma import (
    Chroma,
    location_of,
    only_writer,
    open_chroma,
    open_or_reset,
    translate_errors,
)
from archive_pipeline.retrieval.index.chroma_file import erase_deleted
from archive_pipeline.retrieval.index.entries import Entry, chunk_entry, page_entries
from archive_pipeline.retrieval.index.results import SyncResult
from archive_pipeline.settings import Settings
from archive_pipeline.store import vector_indexes
from archive_pipeline.store.database import Database
from archive_pipeline.store.embeddings import Generation
from archive_pipeline.store.vector_indexes import TEXT, VISUAL, EntryRow, PageEntry, TextEntry, VectorIndex

KINDS: Final = (TEXT, VISUAL)
BATCH_ENTRIES: Final = 2_000


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
        index, is_new = _index_to_fill(database, chroma, generation, rebuild=rebuild)
        collections, surplus = {}, {}
        for kind in KINDS:
            with translate_errors(chroma.address):
                collections[kind] = chroma.find(index, kind) or chroma.create(index, kind)
                surplus[kind] = _reconcile(database, settings, index, kind, collections[kind], chroma.batch_size)
        gone = _delete_gone(database, settings, chroma, index, collections)
        deleted = {kind: surplus[kind] + gone[kind] for kind in KINDS}
        written = {
            kind: _write_stale(database, settings, chroma, index, kind, collection, progress)
            for kind, collection in collections.items()
        }
        has_changed = any(written.values()) or any(deleted.values())
        index = _publish(database, settings, chroma, index, has_changed=has_changed)
        _drop_unnamed(database, settings, chroma)
        return SyncResult(index, is_new, written, deleted)


def delete_gone_of_chroma(database: Database, settings: Settings) -> int:
    """Delete what the searched index has of dialogues and documents that are gone; return how many entries.

    Raises:
        MissingExtraError: there is an index, and chromadb is not installed.
        VectorStoreError: the vector store cannot be used, or another process writes to it.
    """
    with database.session() as connection:
        index = vector_indexes.active_index(connection, location_of(settings))
    if index is None:
        return 0
    with only_writer(settings):
        chroma = open_chroma(settings)
        with translate_errors(chroma.address):
            found = {kind: chroma.find(index, kind) for kind in KINDS}
        collections = {kind: collection for kind, collection in found.items() if collection is not None}
        _drop_unnamed(database, settings, chroma)
        deleted = sum(_delete_gone(database, settings, chroma, index, collections).values())
        if deleted:
            with database.session() as connection:
                vector_indexes.touch(connection, index)
    return deleted


def _index_to_fill(
    database: Database, chroma: Chroma, generation: Generation, *, rebuild: bool
) -> tuple[VectorIndex, bool]:
    """Return the index to go on with, or a new one. One whose building was interrupted is gone on with as well."""
    with database.session() as connection:
        known = vector_indexes.indexes_at(connection, chroma.location)
    if not rebuild:
        for index in known:
            with translate_errors(chroma.address):
                if index.generation == generation and all(chroma.find(index, kind) is not None for kind in KINDS):
                    return index, not index.is_active
    index_id = str(uuid.uuid4())
    with database.session() as connection:
        vector_indexes.add_index(connection, index_id, generation, chroma.location)
        index = next(index for index in vector_indexes.indexes_at(connection, chroma.location) if index.id == index_id)
    with translate_errors(chroma.address):
        for kind in KINDS:
            chroma.create(index, kind)
    return index, True


def _reconcile(
    database: Database, settings: Settings, index: VectorIndex, kind: str, collection: Any, batch_size: int
) -> int:
    """Make what is recorded and what is there the same, where a killed process or a restored folder left them apart.

    Returns how many entries were deleted, which nothing records.
    """
    with database.session() as connection:
        if collection.count() == vector_indexes.count_indexed(connection, index, kind):
            return 0
        recorded = vector_indexes.indexed_ids(connection, index, kind)
    present = set(collection.get(include=[])["ids"])
    surplus = sorted(present - recorded)
    for ids in chunked(surplus, batch_size):
        collection.delete(ids=ids)
    erase_deleted(settings)
    with database.session() as connection:
        vector_indexes.purge_entries(connection, index, kind, recorded - present)
    return len(surplus)


def _delete_gone(
    database: Database, settings: Settings, chroma: Chroma, index: VectorIndex, collections: Mapping[str, Any]
) -> dict[str, int]:
    """Delete what is gone from the collections by kind; return how many entries of each."""
    with database.session() as connection:
        gone = {kind: vector_indexes.gone_entries(connection, index, kind) for kind in collections}
    number = min(chroma.batch_size, BATCH_ENTRIES)
    with translate_errors(chroma.address):
        for kind, collection in collections.items():
            for ids in chunked(gone[kind], number):
                collection.delete(ids=ids)
    if any(gone.values()):
        erase_deleted(settings)
    for kind, entries in gone.items():
        for ids in chunked(entries, number):
            with database.session() as connection:
                vector_indexes.purge_entries(connection, index, kind, ids)
    return {kind: len(entries) for kind, entries in gone.items()}


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
        with translate_errors(chroma.address):
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
        others = [other for other in vector_indexes.indexes_at(connection, chroma.location) if other.id != index.id]
        if not index.is_active:
            vector_indexes.activate(connection, index.id, chroma.location)
        elif has_changed:
            vector_indexes.touch(connection, index)
        index = next(own for own in vector_indexes.indexes_at(connection, chroma.location) if own.id == index.id)
    for other in others:
        with translate_errors(chroma.address):
            for kind in KINDS:
                chroma.drop(other.collection(kind))
        erase_deleted(settings)
        with database.session() as connection:
            vector_indexes.purge_index(connection, other)
    return index


def _drop_unnamed(database: Database, settings: Settings, chroma: Chroma) -> None:
    """Drop collections that no row names, as a restored database leaves them; a server may have other archives'."""
    if settings.chroma_url is not None:
        return
    with database.session() as connection:
        known = vector_indexes.indexes_at(connection, chroma.location)
    named = {index.collection(kind) for index in known for kind in KINDS}
    with translate_errors(chroma.address):
        unnamed = chroma.names_of_collections() - named
        for name in unnamed:
            chroma.drop(name)
    if unnamed:
        erase_deleted(settings)
