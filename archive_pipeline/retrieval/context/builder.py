"""Builds the context of a research question from search results, with numbered citations (seed 002).

``ContextBuilder`` is the seed's interface; docs/context.md says how to use it and what it promises. The search and the
store of pages are given to it; ``archive_pipeline.retrieval.context`` has the parts.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from archive_pipeline.errors import InvalidQueryError
from archive_pipeline.retrieval.context.alternatives import independent_alternatives
from archive_pipeline.retrieval.context.collection_pages import CollectionPages
from archive_pipeline.retrieval.context.documents import ResearchContext, SkippedResult, SkipReason, SourceDocument
from archive_pipeline.retrieval.context.interfaces import ChromaClient, PageStore, SearchEngine
from archive_pipeline.retrieval.context.packing import ContextPacker
from archive_pipeline.retrieval.context.rendering import SEPARATOR, render_source
from archive_pipeline.retrieval.context.sources import fetch_sources, score_of, source_of
from archive_pipeline.retrieval.search.query import parse_query
from archive_pipeline.text.tokens import TokenCounter, default_counter

__all__ = ["ContextBuilder", "ResearchContext", "SourceDocument"]


class ContextBuilder:
    """Builds formatted context from search results."""

    def __init__(
        self,
        search_engine: SearchEngine,
        chroma_client: ChromaClient | PageStore,
        max_sources: int = 10,
        max_tokens: int = 10000,
        *,
        token_counter: TokenCounter | None = None,
    ) -> None:
        """Keep what contexts are built from.

        Args:
            search_engine: finds pages.
            chroma_client: has their metadata and text, in collections or as a ``PageStore``.
            max_sources: most sources of a context.
            max_tokens: most tokens of a context, headers and separators included.
            token_counter: counts them; by default a real tokenizer if one is installed, else a heuristic.

        Raises:
            ValueError: ``max_sources`` or ``max_tokens`` is below 1.
        """
        if max_sources < 1 or max_tokens < 1:
            raise ValueError(f"max_sources and max_tokens must be at least 1, not {max_sources} and {max_tokens}")
        self.search_engine = search_engine
        self.chroma_client = chroma_client
        self.max_sources = max_sources
        self.max_tokens = max_tokens
        self.token_counter = token_counter or default_counter()

    async def build_context(
        self,
        query: str,
        num_results: int = 10,
        include_text: bool = True,  # noqa: FBT001, FBT002 - the seed's signature
        include_visual: bool = True,  # noqa: FBT001, FBT002
    ) -> ResearchContext:
        """Search, fetch the pages and format as many as the budget takes, best first.

        Args:
            query: the research question.
            num_results: how many results to ask the search for.
            include_text: search the pages' texts.
            include_visual: search the pages' pictures.

        Raises:
            ValueError: the query is empty or longer than 32,768 characters, ``num_results`` is below 1, or neither kind
                of search is included.
        """
        mode = _search_mode(include_text=include_text, include_visual=include_visual)
        _check_query(query, num_results)
        results = await self.search_engine.search(query=query, num_results=num_results, search_mode=mode)
        usable = [result for result in results if _is_usable(result)]
        skipped = [_skip(result, SkipReason.INVALID_RESULT) for result in results if not _is_usable(result)]
        distinct = self.deduplicate_results(usable)
        kept = {id(result) for result in distinct}
        skipped += [_skip(result, SkipReason.DUPLICATE) for result in usable if id(result) not in kept]
        ranked, beyond = distinct[:num_results], distinct[num_results:]
        skipped += [_skip(result, SkipReason.NUM_RESULTS) for result in beyond]
        packer = ContextPacker(self.max_tokens, self.token_counter.count)
        skipped += await self._fill(packer, ranked)
        others = independent_alternatives(ranked)[:num_results]
        taken = len(others) - len(await self._fill(packer, others))
        return replace(
            self._context(packer, skipped),
            alternatives=sum(len(result.get("alternatives") or ()) for result in distinct) - taken,
            retrievers=tuple(getattr(results, "retrievers", ())),
        )

    async def get_source_metadata(self, doc_id: str, page: int) -> SourceDocument:
        """Return a page with all that the store has on it.

        Raises:
            ValueError: the store has no such page.
        """
        found = (await self._pages().get_pages([(doc_id, page)])).get((doc_id, page))
        if found is None:
            raise ValueError(f"Document {doc_id} page {page} not found")
        return source_of(doc_id, page, found.metadata, found.markdown)

    def format_source_citation(self, source: SourceDocument, citation_num: int) -> str:
        """Return a source's block: a header with its number, file name and page, then its content as data."""
        return render_source(source, citation_num)

    def deduplicate_results(self, results: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return each (doc_id, page) once, with its highest score, best first; ties stay in order.

        A score that is no number counts as lower than any.
        """
        best: dict[tuple[Any, Any], dict[str, Any]] = {}
        for result in results:
            key = (result.get("doc_id"), result.get("page"))
            if key not in best or _rank(result) > _rank(best[key]):
                best[key] = result
        return sorted(best.values(), key=_rank, reverse=True)

    def truncate_to_budget(self, sources: list[SourceDocument], max_tokens: int) -> list[SourceDocument]:
        """Return the sources that fit, in order; the first one shortened if it alone is too large.

        Args:
            sources: best first.
            max_tokens: budget of the formatted text, headers and separators included.
        """
        packer = ContextPacker(max_tokens, self.token_counter.count)
        for source in sources:
            packer.add(source)
        packer.finish()
        return packer.sources

    def estimate_tokens(self, text: str) -> int:
        """Return the tokens of a text by ``token_counter``."""
        return self.token_counter.count(text)

    async def _fill(self, packer: ContextPacker, ranked: Sequence[dict[str, Any]]) -> list[SkippedResult]:
        """Add the pages of results while there is room, best first; return the results that are not in the context."""
        pages, skipped = self._pages(), []
        while ranked and (places := self.max_sources - len(packer.sources)):
            wave, ranked = ranked[:places], ranked[places:]
            for result, found in zip(wave, await fetch_sources(pages, wave), strict=True):
                if isinstance(found, SkipReason):
                    skipped.append(_skip(result, found))
                elif not packer.add(found, _snippets(result)):
                    skipped.append(_skip(result, SkipReason.BUDGET))
        return skipped + [_skip(result, SkipReason.MAX_SOURCES) for result in ranked]

    def _context(self, packer: ContextPacker, skipped: list[SkippedResult]) -> ResearchContext:
        tokens, removed = packer.finish()
        skipped += [SkippedResult(source.doc_id, source.page, SkipReason.BUDGET) for source in removed]
        sources: list[SourceDocument] = []
        start = 0
        for number, source in enumerate(packer.sources, start=1):
            end = start + len(render_source(source, number))
            sources.append(replace(source, char_start=start, char_end=end))
            start = end + len(SEPARATOR)
        left_out = any(item.reason == SkipReason.BUDGET for item in skipped)
        return ResearchContext(
            formatted_text=packer.text,
            sources=sources,
            total_tokens=tokens,
            truncated=left_out or any(source.content_truncated for source in sources),
            token_counter=self.token_counter.name,
            skipped=skipped,
        )

    def _pages(self) -> PageStore:
        client = self.chroma_client
        return client if isinstance(client, PageStore) else CollectionPages(client)


def _snippets(result: Mapping[str, Any]) -> list[str]:
    """Return what a page was found by, and the answer to its question, which it is cited for."""
    return [str(result.get(name) or "") for name in ("snippet", "answer")]


def _search_mode(*, include_text: bool, include_visual: bool) -> str:
    if include_text and include_visual:
        return "hybrid"
    if not include_text and not include_visual:
        raise ValueError("Nothing to search: include_text and include_visual are both False")
    return "text" if include_text else "visual"


def _check_query(query: str, num_results: int) -> None:
    parse_query(query)
    if num_results < 1:
        raise InvalidQueryError(f"num_results must be at least 1, not {num_results}")


def _is_usable(result: Mapping[str, Any]) -> bool:
    """Tell whether a result says which page of which document it is."""
    doc_id, page = result.get("doc_id"), result.get("page")
    integral = (isinstance(page, int) and not isinstance(page, bool)) or (isinstance(page, float) and page.is_integer())
    return isinstance(doc_id, str) and doc_id != "" and integral and page is not None and page >= 1


def _skip(result: Mapping[str, Any], reason: SkipReason) -> SkippedResult:
    return SkippedResult(result.get("doc_id"), result.get("page"), reason)


def _rank(result: Mapping[str, Any]) -> float:
    score = score_of(result)
    return -math.inf if score is None else score
