"""Taking out of Chroma what is gone: entries, collections that no row names, an embedded store that is not used now.

What was deleted is recorded once nothing of it is left in Chroma's file, so the next run repeats an interrupted
deletion.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final

from more_itertools import chunked

from archive_pipeline.retrieval.index.chroma import (
    Chroma,
    delete_embedded,
    only_writer,
    open_chroma,
    translate_errors,
)
from archive_pipeline.retrieval.index.chroma_file import erase_deleted, held_collections
from archive_pipeline.retrieval.index.chroma_indexes import (
    collections_of_others,
    indexes_in_chroma,
    is_served,
    record_location,
    unnamed_collections,
)
from archive_pipeline.settings import Settings
from archive_pipeline.store import vector_indexes
from archive_pipeline.store.database import Database
from archive_pipeline.store.vector_indexes import TEXT, VISUAL, VectorIndex

KINDS: Final = (TEXT, VISUAL)
BATCH_ENTRIES: Final = 2_000


def reconcile(
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


def delete_gone_entries(
    database: Database, settings: Settings, chroma: Chroma, index: VectorIndex, collections: Mapping[str, Any]
) -> dict[str, int]:
    """Delete what is gone from the collections by kind; return how many entries of each."""
    with database.session() as connection:
        gone = {kind: vector_indexes.gone_entries(connection, index, kind) for kind in collections}
    number = min(chroma.batch_size, BATCH_ENTRIES)
    with translate_errors(chroma.location):
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


def drop_unnamed(database: Database, settings: Settings, chroma: Chroma) -> None:
    """Drop collections of this archive that no row names; a server may have those of a copy of it, and keeps all."""
    with database.session() as connection:
        unnamed = unnamed_collections(connection, settings)
    if unnamed:
        _drop(settings, chroma, unnamed)


def delete_gone_of_chroma(database: Database, settings: Settings) -> int:
    """Delete what the archive's indexes have of dialogues and documents that are gone; return how many entries.

    Raises:
        MissingExtraError: there is an index, and chromadb is not installed.
        VectorStoreError: the vector store cannot be used, or another process writes to it.
    """
    if settings.chroma_url is None and not settings.chroma_folder.exists():
        return 0
    with database.session() as connection:
        if not indexes_in_chroma(connection, settings) and not unnamed_collections(connection, settings):
            return 0
    with only_writer(settings):
        chroma = open_chroma(settings)
        drop_unnamed(database, settings, chroma)
        with database.session() as connection:
            record_location(connection, settings)
            archive_id = vector_indexes.database_identity(connection)
            # One that was being built and interrupted has texts too.
            indexes = indexes_in_chroma(connection, settings)
        return sum(_delete_gone_of_index(database, settings, chroma, index, archive_id) for index in indexes)


def remove_embedded(database: Database, settings: Settings) -> None:
    """Remove what the embedded store has of this archive, whose index is elsewhere now.

    The whole store is deleted, unless it has collections of another archive.
    """
    embedded = settings.with_values(chroma_url=None)
    if not embedded.chroma_folder.exists():
        return
    with only_writer(embedded):
        with database.session() as connection:
            if is_served(connection, settings):
                return
            others = collections_of_others(connection, embedded)
            for index in indexes_in_chroma(connection, embedded):
                vector_indexes.purge_index(connection, index)
        if others:
            own = {collection.name for collection in held_collections(embedded)}.difference(others)
            _drop(embedded, open_chroma(embedded), own)
        else:
            delete_embedded(embedded)


def _delete_gone_of_index(
    database: Database, settings: Settings, chroma: Chroma, index: VectorIndex, archive_id: str
) -> int:
    with translate_errors(chroma.location):
        found = {kind: chroma.find(index, kind) for kind in KINDS}
        collections = {kind: collection for kind, collection in found.items() if collection is not None}
        surplus = 0
        for kind, collection in collections.items():
            if settings.chroma_url is None:  # nobody is kept out of a server who is writing what is not recorded yet
                chroma.claim(collection, archive_id)
                surplus += reconcile(database, settings, index, kind, collection, chroma.batch_size)
    deleted = surplus + sum(delete_gone_entries(database, settings, chroma, index, collections).values())
    if deleted:
        with database.session() as connection:
            vector_indexes.touch(connection, index)
    return deleted


def _drop(settings: Settings, chroma: Chroma, names: Collection[str]) -> None:
    with translate_errors(chroma.location):
        for name in names:
            chroma.drop(name)
    erase_deleted(settings)
