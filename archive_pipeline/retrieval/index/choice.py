"""Which store has the vector index: PostgreSQL itself, by pgvector, or Chroma.

PostgreSQL is the default: its vectors are the rows that embedding writes, so nothing has to be kept in step (decision
13). Chroma is chosen by ``ARCHIVE_VECTOR_INDEX`` or ``ARCHIVE_CHROMA_URL``, stays where a home has an index in it, and
is what remains on a server without pgvector.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import psycopg

from archive_pipeline.domain.choices import VectorStore
from archive_pipeline.errors import VectorStoreError
from archive_pipeline.retrieval.index.chroma_indexes import active_in_chroma
from archive_pipeline.retrieval.index.postgres import discard_damaged
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.embeddings import VectorForm
from archive_pipeline.store.vector_extension import NO_EXTENSION, add_half_vectors, has_extension
from archive_pipeline.store.vector_indexes import IN_POSTGRESQL, VectorIndex, active_index

MOVE: Final = (
    "the vector index is in Chroma; with ARCHIVE_VECTOR_INDEX=postgres, `llm-archive index` moves it into the "
    "database, which takes less room, and deletes the one in Chroma"
)
FALLS_BACK: Final = f"{NO_EXTENSION}: the vector index is in Chroma"
_NEEDS_EXTENSION: Final = f"{NO_EXTENSION}; or set ARCHIVE_VECTOR_INDEX=chroma"
FORMS: Final = {VectorStore.POSTGRES: VectorForm.HALVES, VectorStore.CHROMA: VectorForm.FLOATS}


@dataclass(frozen=True, slots=True)
class ChosenStore:
    """Where the vector index is, or is to be.

    Attributes:
        store: the store.
        note: what the user should know of the choice; None if there is nothing.
    """

    store: VectorStore
    note: str | None = None


def chosen_store(connection: psycopg.Connection[Any], settings: Settings) -> ChosenStore:
    """Return the store that searches ask; nothing is written."""
    if settings.vector_index is not None:
        return ChosenStore(settings.vector_index)
    if settings.chroma_url is not None:
        return ChosenStore(VectorStore.CHROMA)
    if active_index(connection, IN_POSTGRESQL) is not None:
        return ChosenStore(VectorStore.POSTGRES)
    if active_in_chroma(connection, settings) is not None:
        return ChosenStore(VectorStore.CHROMA, MOVE if has_extension(connection) else FALLS_BACK)
    if has_extension(connection):
        return ChosenStore(VectorStore.POSTGRES)
    return ChosenStore(VectorStore.CHROMA, FALLS_BACK)


def store_to_fill(database: Database, settings: Settings, *, rebuild: bool = False) -> ChosenStore:
    """Return the store whose index is to be brought up to date, ready for vectors.

    In PostgreSQL, extension and column are there afterwards. To make an index anew, vectors that cannot be their
    model's are deleted.

    Args:
        database: the archive.
        settings: of the archive.
        rebuild: the index is to be made anew.

    Raises:
        VectorStoreError: PostgreSQL is asked for, and its server has no pgvector.
    """
    with database.session() as connection:
        is_there = add_half_vectors(connection)
        chosen = chosen_store(connection, settings)
    if chosen.store is VectorStore.POSTGRES and not is_there:
        raise VectorStoreError(_NEEDS_EXTENSION)
    if chosen.store is VectorStore.POSTGRES and rebuild:
        discard_damaged(database)
    return chosen


def searched_index(connection: psycopg.Connection[Any], settings: Settings) -> VectorIndex | None:
    """Return the index that searches ask, None if there is none yet."""
    if chosen_store(connection, settings).store is VectorStore.POSTGRES:
        return active_index(connection, IN_POSTGRESQL)
    return active_in_chroma(connection, settings)
