"""What PostgreSQL knows of vector stores: their indexes, which one is searched, and what each should and does hold."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, NamedTuple, TypeVar

import psycopg

from archive_pipeline.store.embeddings import Chance, Generation, chance_of
from archive_pipeline.store.page_texts import PageRow
from archive_pipeline.store.rows import fetch_column, fetch_rows, fetch_value
from archive_pipeline.store.sql_files import load_query

TEXT: Final = "text"
VISUAL: Final = "visual"
# The location of an index whose vectors the archive's own server searches.
IN_POSTGRESQL: Final = "postgresql"
# The view that says what the entries of a collection are, as its queries are named.
_QUERIES: Final = {TEXT: "text_entries", VISUAL: "page_entries"}
_BEFORE_ALL: Final = "00000000-0000-0000-0000-000000000000"

RowT = TypeVar("RowT")


@dataclass(frozen=True, slots=True)
class VectorIndex:
    """An index: in Chroma a collection of chunks and one of pages, in PostgreSQL the vectors of a generation.

    Attributes:
        id: which the collections carry in their metadata.
        generation: model of its vectors.
        is_active: it is the one that is searched.
        changed_at: when it was last brought up to date.
        chance: of its vectors; None if nobody measured it.
        alignment_id: of the map that its queries are read by; None without one.
    """

    id: str
    generation: Generation
    is_active: bool
    changed_at: datetime
    chance: Chance | None
    alignment_id: int | None

    def collection(self, kind: str) -> str:
        """Return the name of the collection ``text`` or ``visual`` in the vector store."""
        return f"{kind}-{self.id}"


@dataclass(slots=True)
class EntryRow:
    """What entries of both collections have: columns of ``derived.text_entries`` and ``derived.page_entries``.

    Attributes:
        entry_id, entry_hash: of the entry, and of all that it is made from.
        doc_id, page: what it is of; the document's other columns follow.
    """

    entry_id: str
    entry_hash: str
    doc_id: str
    page: int
    source: str
    filename: str
    extension: str
    source_path: str
    created_at: datetime | None
    added_at: datetime
    section_path: str | None
    parent_heading: str | None
    image_path: str | None
    thumb_path: str | None


@dataclass(slots=True)
class TextEntry(EntryRow):
    """A row of ``derived.text_entries``."""

    chunk_id: str
    pair_id: str | None
    side: str | None
    chunk_index: int
    start_offset: int
    end_offset: int
    text: str
    content_hash: str
    vector: bytes


@dataclass(slots=True)
class PageEntry(EntryRow):
    """A row of ``derived.page_entries``, with the vectors of the page's chunks."""

    user_text: str | None
    assistant_text: str | None
    markdown: str | None
    num_headings: int | None
    num_tables: int | None
    num_pictures: int | None
    vectors: list[bytes]


class _IndexRow(NamedTuple):
    index_id: str
    generation_id: int
    model: str
    dimensions: int
    is_active: bool
    changed_at: datetime
    chance_vector_count: int | None
    usual_chance: float | None
    high_chance: float | None
    highest_chance_of_few: float | None
    alignment_id: int | None


def indexes_at(
    connection: psycopg.Connection[Any], location: str, moved: Collection[str] = frozenset()
) -> list[VectorIndex]:
    """Return the indexes of a vector store, the active one first.

    Args:
        connection: to the archive.
        location: of the store.
        moved: ids of indexes that are there whatever folder is recorded.
    """
    parameters = {"location": location, "moved": list(moved)}
    rows = fetch_rows(connection, "vector_index/vector_indexes", _IndexRow, parameters)
    return [
        VectorIndex(
            row.index_id,
            Generation(row.generation_id, row.model, row.dimensions),
            row.is_active,
            row.changed_at,
            chance_of(row.chance_vector_count, row.usual_chance, row.high_chance, row.highest_chance_of_few),
            row.alignment_id,
        )
        for row in rows
    ]


def active_index(connection: psycopg.Connection[Any], location: str) -> VectorIndex | None:
    """Return the index that is searched, None if there is none yet."""
    return next((index for index in indexes_at(connection, location) if index.is_active), None)


def add_index(connection: psycopg.Connection[Any], index_id: str, generation: Generation, location: str) -> None:
    """Add an index that is not searched yet."""
    parameters = {"index_id": index_id, "generation_id": generation.id, "location": location}
    connection.execute(load_query("vector_index/add_vector_index"), parameters)


def activate(connection: psycopg.Connection[Any], index_id: str, location: str) -> None:
    """Make the index the one that is searched: with the caller's commit, for everybody."""
    retire(connection, indexes_at(connection, location))
    connection.execute(load_query("vector_index/activate_vector_index"), {"index_id": index_id})


def retire(connection: psycopg.Connection[Any], indexes: Collection[VectorIndex]) -> None:
    """Have none of some indexes searched."""
    parameters = {"index_ids": [index.id for index in indexes]}
    connection.execute(load_query("vector_index/retire_vector_indexes"), parameters)


def relocate(connection: psycopg.Connection[Any], indexes: Sequence[VectorIndex], location: str) -> None:
    """Record that indexes are in one store, of which the first stays active if it is."""
    retire(connection, indexes[1:])
    parameters = {"index_ids": [index.id for index in indexes], "location": location}
    connection.execute(load_query("vector_index/relocate_vector_indexes"), parameters)


def database_identity(connection: psycopg.Connection[Any]) -> str:
    """Return what tells this database from others, also from those that its dump was restored to."""
    [identity] = fetch_column(connection, "vector_index/database_identity", str)
    return identity


def touch(connection: psycopg.Connection[Any], index: VectorIndex) -> None:
    """Say that the index changed: who has it open reads it anew."""
    connection.execute(load_query("vector_index/touch_vector_index"), {"index_id": index.id})


def purge_index(connection: psycopg.Connection[Any], index: VectorIndex) -> None:
    """Delete the record of an index and of what it holds."""
    connection.execute(load_query("vector_index/delete_vector_index"), {"index_id": index.id})


def count_stale(connection: psycopg.Connection[Any], index: VectorIndex, kind: str) -> int:
    """Return how many entries of a collection are missing or were made from something else."""
    parameters = {"index_id": index.id, "generation_id": index.generation.id}
    return fetch_value(connection, f"vector_index/count_stale_{_QUERIES[kind]}", int, parameters) or 0


def gone_entries(connection: psycopg.Connection[Any], index: VectorIndex, kind: str) -> list[str]:
    """Return the ids of entries of a collection that should not be there any more."""
    parameters = {"index_id": index.id, "generation_id": index.generation.id}
    return fetch_column(connection, f"vector_index/gone_{_QUERIES[kind]}", str, parameters)


def stale_chunks(
    connection: psycopg.Connection[Any], index: VectorIndex, after: TextEntry | None, number: int
) -> list[TextEntry]:
    """Return the next stale rows of ``derived.text_entries`` after one of them (None for the first ones)."""
    return _rows(
        connection,
        "vector_index/stale_text_entries",
        TextEntry,
        index,
        {"after": _BEFORE_ALL if after is None else after.chunk_id, "number": number},
    )


def stale_pages(
    connection: psycopg.Connection[Any], index: VectorIndex, after: PageEntry | None, number: int
) -> list[PageEntry]:
    """Return the next stale rows of ``derived.page_entries``, with ``vectors``, after one of them."""
    document, page = (_BEFORE_ALL, 0) if after is None else (after.doc_id, after.page)
    return _rows(
        connection,
        "vector_index/stale_page_entries",
        PageEntry,
        index,
        {"after_document": document, "after_page": page, "number": number},
    )


def document_pages(connection: psycopg.Connection[Any], doc_ids: Sequence[str]) -> dict[str, list[PageRow]]:
    """Return all pages of some documents in order: ``markdown``, or ``user_text`` and ``assistant_text``."""
    pages: dict[str, list[PageRow]] = {doc_id: [] for doc_id in doc_ids}
    for row in fetch_rows(connection, "documents/document_pages", PageRow, {"doc_ids": list(doc_ids)}):
        pages[row.doc_id].append(row)
    return pages


def count_indexed(connection: psycopg.Connection[Any], index: VectorIndex, kind: str) -> int:
    """Return how many entries were written to a collection."""
    parameters = {"index_id": index.id, "collection": kind}
    return fetch_value(connection, "vector_index/count_index_entries", int, parameters) or 0


def indexed_ids(connection: psycopg.Connection[Any], index: VectorIndex, kind: str) -> set[str]:
    """Return the ids of the entries that were written to a collection."""
    parameters = {"index_id": index.id, "collection": kind}
    return set(fetch_column(connection, "vector_index/indexed_entry_ids", str, parameters))


def record(connection: psycopg.Connection[Any], index: VectorIndex, kind: str, entries: Sequence[EntryRow]) -> None:
    """Record that entries were written."""
    connection.execute(
        load_query("vector_index/record_index_entries"),
        {
            "index_id": index.id,
            "collection": kind,
            "entry_ids": [entry.entry_id for entry in entries],
            "entry_hashes": [entry.entry_hash for entry in entries],
        },
    )


def purge_entries(connection: psycopg.Connection[Any], index: VectorIndex, kind: str, ids: Collection[str]) -> None:
    """Record that entries are not there any more."""
    parameters = {"index_id": index.id, "collection": kind, "entry_ids": list(ids)}
    connection.execute(load_query("vector_index/purge_index_entries"), parameters)


def _rows(
    connection: psycopg.Connection[Any], query: str, row: type[RowT], index: VectorIndex, parameters: dict[str, Any]
) -> list[RowT]:
    own = {"index_id": index.id, "generation_id": index.generation.id}
    return fetch_rows(connection, query, row, own | parameters)
