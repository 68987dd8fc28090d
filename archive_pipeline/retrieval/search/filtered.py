"""A search whose filters are set beforehand: ``ContextBuilder`` asks with the arguments of seed 002 only."""

from __future__ import annotations

from dataclasses import dataclass, field

from archive_pipeline.retrieval.search.engine import SearchEngine
from archive_pipeline.retrieval.search.filters import NO_FILTERS, SearchFilters
from archive_pipeline.retrieval.search.results import SearchResults


@dataclass
class FilteredSearch:
    """One search for one context.

    Attributes:
        engine: searches.
        filters: what may be found.
        mode: replaces the mode that is asked for; None leaves it.
        time_words: a time in the query becomes filters.
        results: what the last search returned; None before it.
    """

    engine: SearchEngine
    filters: SearchFilters = NO_FILTERS
    mode: str | None = None
    time_words: bool = True
    results: SearchResults | None = field(default=None, init=False)

    async def search(self, query: str, num_results: int = 10, search_mode: str = "hybrid") -> SearchResults:
        """Search as ``SearchEngine.search`` does, with the filters."""
        self.results = await self.engine.search(
            query, num_results, self.mode or search_mode, filters=self.filters, time_words=self.time_words
        )
        return self.results
