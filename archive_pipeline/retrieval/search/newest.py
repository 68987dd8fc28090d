"""The pages of a time, the newest first: what a query asks for that names nothing but a time."""

from __future__ import annotations

from typing import Any, Final

import psycopg

from archive_pipeline.retrieval.search.filters import SearchFilters
from archive_pipeline.retrieval.search.fusion import reciprocal_ranks
from archive_pipeline.retrieval.search.query import Query
from archive_pipeline.retrieval.search.results import FoundPage
from archive_pipeline.retrieval.search.retrievers.base import allowed_pages, filtered_rows, page_details
from archive_pipeline.retrieval.search.retrievers.marks import MarkedTerms
from archive_pipeline.retrieval.search.retrievers.term_words import words_of_term
from archive_pipeline.retrieval.search.rows import NewestPage
from archive_pipeline.text.languages import UNKNOWN

# The name of their order among those of the retrievers.
NEWEST: Final = "newest"


def newest_pages(
    connection: psycopg.Connection[Any], query: Query, filters: SearchFilters, marked_terms: MarkedTerms, *, most: int
) -> list[FoundPage]:
    """Return the pages that the filters let through, the newest first, without those that have what is excluded."""
    rows = filtered_rows(connection, "newest_pages", NewestPage, filters, {"most": most})
    in_order = [(row.doc_id, row.page) for row in rows]
    excluded = [words_of_term(term, [UNKNOWN]) for term in query.excluded]
    allowed = allowed_pages(connection, in_order, marked_terms, required=[], excluded=excluded)
    shown = {(row.doc_id, row.page): row for row in page_details(connection, allowed, filters, with_question=True)}
    pages = [page for page in in_order if page in shown]
    return [
        FoundPage(page, score, shown[page], {NEWEST: score}, {NEWEST: rank}, {})
        for rank, (page, score) in enumerate(zip(pages, reciprocal_ranks(len(pages)), strict=True), start=1)
    ]
