"""From rankings of chunks and page images to pages: what is shown of each, and its score in every ranking."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

import psycopg

from archive_pipeline.retrieval.index.collections import entry_of_page
from archive_pipeline.retrieval.search.filters import SearchFilters
from archive_pipeline.retrieval.search.fusion import Fuse, Retrieved
from archive_pipeline.retrieval.search.fusion import fuse as fuse_shares
from archive_pipeline.retrieval.search.modes import Retriever
from archive_pipeline.retrieval.search.query import Query
from archive_pipeline.retrieval.search.results import FoundPage, Page
from archive_pipeline.retrieval.search.retrievers.base import (
    Ranking,
    allowed_pages,
    chunk_details,
    page_details,
)
from archive_pipeline.retrieval.search.retrievers.dense import pages_of
from archive_pipeline.retrieval.search.retrievers.lexical import Vocabulary
from archive_pipeline.retrieval.search.retrievers.term_words import words_of_term
from archive_pipeline.retrieval.search.retrievers.visual import image_details
from archive_pipeline.retrieval.search.rows import FoundChunk
from archive_pipeline.text.languages import UNKNOWN

Rankings = Mapping[str, Ranking]
NumberT = TypeVar("NumberT", int, float)


def read_rows(
    connection: psycopg.Connection[Any],
    ranked: Rankings,
    query: Query,
    filters: SearchFilters,
    *,
    vocabulary: Vocabulary,
    has_images: bool,
) -> dict[str, FoundChunk]:
    """Return what is shown of ranked chunks and pages, those that may be found, by their ids.

    Args:
        connection: on the archive.
        ranked: retriever -> its ranking. Phrases are required where one ranks by words.
        query: what is asked.
        filters: what may be found.
        vocabulary: of the archive; it says which forms of a phrase's words are the same word.
        has_images: whether pages were ranked by their images.
    """
    of_chunks = [found for retriever, found in ranked.items() if retriever != Retriever.VISUAL]
    chunk_ids = {chunk for found in of_chunks for chunk in found.ids}
    rows = chunk_details(connection, chunk_ids, filters)
    if Retriever.VISUAL in ranked:
        seen = pages_of(ranked[Retriever.VISUAL].ids)
        found = image_details(connection, seen) if has_images else page_details(connection, seen, filters)
        rows |= {entry_of_page(row.doc_id, row.page): row for row in found}
    pages = {(row.doc_id, row.page) for row in rows.values()}
    phrases = query.phrases if Retriever.LEXICAL in ranked else []
    allowed = allowed_pages(
        connection,
        pages,
        vocabulary.marked_terms,
        required=[words_of_term(term, vocabulary.languages) for term in phrases],
        excluded=[words_of_term(term, [UNKNOWN]) for term in query.excluded],
    )
    return {own: row for own, row in rows.items() if (row.doc_id, row.page) in allowed}


def fused_pages(ranked: Rankings, rows: Mapping[str, FoundChunk], fuse: Fuse) -> list[FoundPage]:
    """Return the pages of the rankings, best first: each retriever's first chunk of a page is the page's place in it.

    Args:
        ranked: retriever -> its ranking.
        rows: of what may be found.
        fuse: makes one ranking of several.
    """
    retrieved: dict[str, Retrieved[Page]] = {}
    scores: dict[Page, dict[str, float]] = {}
    for retriever, found in ranked.items():
        first = _first_of_pages(found, rows)
        for page, at in first.items():
            scores.setdefault(page, {})[retriever] = found.scores[at]
        shares = None if found.shares is None else [found.shares[at] for at in first.values()]
        retrieved[retriever] = Retrieved(list(first), shares)
    ranks = _by_page({name: (own.keys, range(1, len(own.keys) + 1)) for name, own in retrieved.items()})
    in_order = _best_first(ranked)
    best = _best_of_pages(in_order, rows)
    answers = _best_of_pages(in_order, {own: row for own, row in rows.items() if row.side == "answer"})
    shares_of = _by_page({name: (own.keys, own.shares or ()) for name, own in retrieved.items()})
    return [
        FoundPage(page, score, best[page], scores[page], ranks[page], shares_of.get(page, {}), answers.get(page))
        for page, score in fuse(retrieved).items()
    ]


def _by_page(retrieved: Mapping[str, tuple[Sequence[Page], Sequence[NumberT]]]) -> dict[Page, dict[str, NumberT]]:
    """Return what the retrievers say of each page; a retriever without values says nothing."""
    found: dict[Page, dict[str, NumberT]] = {}
    for retriever, (pages, values) in retrieved.items():
        for page, value in zip(pages, values, strict=bool(values)):
            found.setdefault(page, {})[retriever] = value
    return found


def _best_first(ranked: Rankings) -> list[str]:
    """Return the chunks by what all rankings say of them together, whatever pages are fused by; then the images."""
    of_chunks = {name: Retrieved(found.ids, found.shares) for name, found in ranked.items() if name != Retriever.VISUAL}
    images = ranked[Retriever.VISUAL].ids if Retriever.VISUAL in ranked else ()
    return [*fuse_shares(of_chunks), *images]


def _best_of_pages(in_order: Iterable[str], rows: Mapping[str, FoundChunk]) -> dict[Page, FoundChunk]:
    """Return of each page the first of its chunks that has a row."""
    best: dict[Page, FoundChunk] = {}
    for own in in_order:
        row = rows.get(own)
        if row is not None:
            best.setdefault((row.doc_id, row.page), row)
    return best


def _first_of_pages(found: Ranking, rows: Mapping[str, FoundChunk]) -> dict[Page, int]:
    """Return where each page is first in a ranking."""
    first: dict[Page, int] = {}
    for at, own in enumerate(found.ids):
        if own in rows:
            first.setdefault((rows[own].doc_id, rows[own].page), at)
    return first
