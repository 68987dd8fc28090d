"""What the retrievers have in common: rankings of chunks or pages, and the page that a chunk is on."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

import numpy as np
import psycopg

from archive_pipeline.retrieval.search.filters import SearchFilters
from archive_pipeline.retrieval.search.retrievers.marks import MarkedTerms
from archive_pipeline.retrieval.search.retrievers.term_words import Word
from archive_pipeline.retrieval.search.retrievers.words import WordIndex, numbers_with
from archive_pipeline.retrieval.search.rows import AllowedChunk, ChunkOnPage, FoundChunk
from archive_pipeline.store.conditions import query_where
from archive_pipeline.store.rows import fetch_column, fetch_rows, row_of

# Filters that let so few chunks through are answered exactly; wider ones by longer rankings.
MOST_ALLOWED: Final = 2_000

RowT = TypeVar("RowT")
_NOTHING: Final[Mapping[str, Any]] = {}


@dataclass(frozen=True, slots=True)
class FilteredChunks:
    """Chunks that narrow filters let through: chunk id -> hash of its text."""

    content_hashes: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Ranking:
    """What a retriever returns.

    Attributes:
        ids: of chunks or pages, best first.
        scores: the retriever's own.
        shares: of the highest score there could be, 0 to 1, for ``fusion``; None if the scores have no scale.
        term_count: of a retriever by words, how many terms of the query have a meaning.
        respelt: of a retriever by words, words of the query that no text has -> what was looked for in their place.
        is_any_word_known: of a retriever by words, whether it found any word of the query as it was written.
    """

    ids: Sequence[str]
    scores: Sequence[float]
    shares: Sequence[float] | None = None
    term_count: int = 0
    respelt: Mapping[str, str] = field(default_factory=dict)
    is_any_word_known: bool = False


EMPTY_RANKING: Final = Ranking((), ())


def filtered_rows(
    connection: psycopg.Connection[Any],
    query: str,
    row: type[RowT],
    filters: SearchFilters,
    parameters: Mapping[str, Any] = _NOTHING,
) -> list[RowT]:
    """Return the rows of a query of ``sql/queries/search`` that the filters let through."""
    statement = query_where(f"search/{query}", filters.conditions())
    with connection.cursor(row_factory=row_of(row)) as cursor:
        return cursor.execute(statement, {**filters.parameters(), **parameters}).fetchall()


def allowed_chunks(connection: psycopg.Connection[Any], filters: SearchFilters) -> FilteredChunks | None:
    """Return the chunks that the filters let through, None if these are many or the filters are empty."""
    if filters.is_empty:
        return None
    rows = filtered_rows(connection, "search_allowed", AllowedChunk, filters, {"most": MOST_ALLOWED + 1})
    return None if len(rows) > MOST_ALLOWED else FilteredChunks({row.chunk_id: row.content_hash for row in rows})


def chunk_details(
    connection: psycopg.Connection[Any], chunk_ids: Collection[str], filters: SearchFilters
) -> dict[str, FoundChunk]:
    """Return what is shown of the chunks that the filters let through, by chunk id."""
    if not chunk_ids:
        return {}
    rows = filtered_rows(connection, "search_chunks", FoundChunk, filters, {"chunk_ids": list(chunk_ids)})
    return {row.chunk_id: row for row in rows if row.chunk_id is not None}


def page_details(
    connection: psycopg.Connection[Any],
    pages: Collection[tuple[str, int]],
    filters: SearchFilters,
    *,
    with_question: bool = False,
) -> list[FoundChunk]:
    """Return what is shown of the pages that the filters let through: the first chunk of each.

    Args:
        connection: on the archive.
        pages: the pages.
        filters: what may be found.
        with_question: of a page with something that a user said, it is that.
    """
    if not pages:
        return []
    parameters = {"doc_ids": [document for document, _ in pages], "pages": [page for _, page in pages]}
    in_order = fetch_column(connection, "search/chunks_of_pages", str, parameters)
    details = chunk_details(connection, in_order, filters)
    rows = [details[chunk] for chunk in in_order if chunk in details]
    if with_question:
        rows.sort(key=lambda row: (row.role != "user", row.side == "answer"))
    first: dict[tuple[str, int], FoundChunk] = {}
    for row in rows:
        first.setdefault((row.doc_id, row.page), row)
    return list(first.values())


def allowed_pages(
    connection: psycopg.Connection[Any],
    pages: Collection[tuple[str, int]],
    marked_terms: MarkedTerms,
    *,
    required: Sequence[Sequence[Word]],
    excluded: Sequence[Sequence[Word]],
) -> set[tuple[str, int]]:
    """Return the pages that have each of the required terms, and none of the excluded ones, anywhere."""
    terms = [*required, *excluded]
    if not terms:
        return set(pages)
    parameters = {"doc_ids": [document for document, _ in pages], "pages": [page for _, page in pages]}
    chunks = fetch_rows(connection, "lexical/numbers_on_pages", ChunkOnPage, parameters)
    page_of = {row.chunk_number: (row.doc_id, row.page) for row in chunks}
    numbers = np.sort(np.array([row.chunk_number for row in chunks if not row.is_near_duplicate], dtype=np.int64))
    index = WordIndex(connection, marked_terms)
    index.look_up(terms)
    index.read(terms)
    unknown = numbers_with(connection, [row.chunk_number for row in chunks if row.is_near_duplicate], terms)
    having = [
        {page_of[number] for number in (*index.numbers_having(words, numbers), *others)}
        for words, others in zip(terms, unknown, strict=True)
    ]
    return set(pages).intersection(*having[: len(required)]).difference(*having[len(required) :])
