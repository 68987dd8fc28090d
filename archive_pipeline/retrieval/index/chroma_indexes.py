"""Which indexes of an archive are in Chroma, by its tables and, of the embedded store, by what is in the folder.

A home may serve several databases, and a database several homes. The embedded server's database is moved and copied
with its home: whatever folder its tables name, its index is the one in this home. A database elsewhere knows homes by
the paths of their folders.
"""

from __future__ import annotations

from typing import Any

import psycopg

from archive_pipeline.errors import VectorStoreError
from archive_pipeline.retrieval.index.chroma import location_of
from archive_pipeline.retrieval.index.chroma_file import held_collections
from archive_pipeline.settings import Settings
from archive_pipeline.store.vector_indexes import VectorIndex, database_identity, indexes_at, relocate


def indexes_in_chroma(connection: psycopg.Connection[Any], settings: Settings) -> list[VectorIndex]:
    """Return the indexes of the archive in Chroma, the active one first."""
    moves_with_home = settings.database_url is None
    moved = _held_ids(settings) if moves_with_home else frozenset[str]()
    return indexes_at(connection, location_of(settings), moved)


def _held_ids(settings: Settings) -> frozenset[str]:
    try:
        return frozenset(collection.index_id for collection in held_collections(settings))
    except VectorStoreError:
        return frozenset()  # whoever opens the store says what is wrong with it


def active_in_chroma(connection: psycopg.Connection[Any], settings: Settings) -> VectorIndex | None:
    """Return the index in Chroma that is searched, None if there is none yet."""
    return next((index for index in indexes_in_chroma(connection, settings) if index.is_active), None)


def record_location(connection: psycopg.Connection[Any], settings: Settings) -> None:
    """Record where the indexes in Chroma are now; the caller holds ``chroma.only_writer``."""
    relocate(connection, indexes_in_chroma(connection, settings), location_of(settings))


def unnamed_collections(connection: psycopg.Connection[Any], settings: Settings) -> list[str]:
    """Return names of collections that this archive made and no row of it names, as a restored database leaves them."""
    named = {index.id for index in indexes_in_chroma(connection, settings)}
    own = database_identity(connection)
    return [
        collection.name
        for collection in held_collections(settings)
        if collection.archive_id == own and collection.index_id not in named
    ]


def collections_of_others(connection: psycopg.Connection[Any], settings: Settings) -> list[str]:
    """Return names of collections in the embedded store that another archive made, or nobody knows which one."""
    named = {index.id for index in indexes_in_chroma(connection, settings)}
    own = database_identity(connection)
    return [
        collection.name
        for collection in held_collections(settings)
        if collection.archive_id != own and collection.index_id not in named
    ]


def is_served(connection: psycopg.Connection[Any], settings: Settings) -> bool:
    """Tell whether a Chroma server is set that works on the folder of the embedded store."""
    if settings.chroma_url is None:
        return False
    at_server = {index.id for index in indexes_at(connection, location_of(settings))}
    held = held_collections(settings.with_values(chroma_url=None))
    return any(collection.index_id in at_server for collection in held)
