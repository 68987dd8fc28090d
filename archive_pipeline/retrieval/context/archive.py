"""``build_context``: one context for a question, the same from the command line, an assistant and Python."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from archive_pipeline.retrieval.context.builder import ContextBuilder
from archive_pipeline.retrieval.context.documents import ResearchContext
from archive_pipeline.retrieval.search.engine import SearchEngine
from archive_pipeline.retrieval.search.filtered import FilteredSearch
from archive_pipeline.retrieval.search.filters import NO_FILTERS, SearchFilters
from archive_pipeline.retrieval.search.modes import DEFAULT_MODE
from archive_pipeline.retrieval.search.query import parse_query
from archive_pipeline.retrieval.search.results import SearchResults
from archive_pipeline.text.user_input import MOST_RESULTS

# More is searched than cited: pages without a text, or too long for what is left, give way to others.
RESULTS_PER_SOURCE: Final = 2


@dataclass(frozen=True, slots=True)
class Budget:
    """How much a context may hold.

    Attributes:
        max_tokens: headers included.
        max_sources: each a page.
    """

    max_tokens: int = 10_000
    max_sources: int = 10


@dataclass(frozen=True, slots=True)
class ArchiveContext:
    """A context and how the search for it went.

    Attributes:
        context: texts and citations.
        results: what was found, with ``degraded`` and ``notes``.
    """

    context: ResearchContext
    results: SearchResults

    def to_dict(self) -> dict[str, Any]:
        """Return all but the results themselves as JSON types."""
        return {**self.context.to_dict(), "degraded": self.results.degraded, "notes": list(self.results.notes)}


DEFAULT_BUDGET: Final = Budget()


async def build_context(
    archive: SearchEngine,
    query: str,
    budget: Budget = DEFAULT_BUDGET,
    filters: SearchFilters = NO_FILTERS,
    *,
    mode: str = DEFAULT_MODE,
    time_words: bool = True,
) -> ArchiveContext:
    """Search an archive and return the texts of the pages that were found, as PostgreSQL has them now.

    Without an index, or without the extra that reads it, words are searched; ``degraded`` says so.

    Raises:
        InvalidQueryError: query, filters, budget or mode make no sense.
        QueryTimeoutError: the search took too long.
        VectorStoreError, EmbeddingError, VisualModelError, MissingExtraError, ConfigurationError: the mode has no words
            to fall back on.
    """
    parse_query(query)
    search = FilteredSearch(archive, filters, mode, time_words)
    builder = ContextBuilder(search, archive.pages, budget.max_sources, budget.max_tokens)
    most = min(budget.max_sources * RESULTS_PER_SOURCE, MOST_RESULTS)
    context = await builder.build_context(query, most)
    if search.results is None:
        raise RuntimeError("a context was built without a search")
    return ArchiveContext(context, search.results)
