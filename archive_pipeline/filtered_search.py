"""``FilteredSearch``: a search engine whose filters are set, as ``ContextBuilder`` takes one."""

from __future__ import annotations

from dataclasses import dataclass, field

from archive_pipeline.search.filters import SearchFilters
from archive_pipeline.search.results import SearchResults
from archive_pipeline.search_engine import SearchEngine


@dataclass
class FilteredSearch:
    """Searches with the same filters every time.

    Attributes:
        engine: what searches.
        filters: what may be found.
        results: of the last search; None before the first.
    """

    engine: SearchEngine
    filters: SearchFilters
    results: SearchResults | None = field(default=None, init=False)

    async def search(self, query: str, num_results: int = 10, search_mode: str = "hybrid") -> SearchResults:
        """Search as ``SearchEngine`` does, and keep the results."""
        self.results = await self.engine.search(query, num_results, search_mode, filters=self.filters)
        return self.results
