"""What the context builder needs of others: a search, a store of pages, a token counter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from archive_pipeline.retrieval.pages.stored_page import StoredPage


class SearchEngine(Protocol):
    """Semantic search over pages."""

    async def search(self, query: str, num_results: int = 10, search_mode: str = "hybrid") -> list[dict[str, Any]]:
        """Return at most ``num_results`` results: ``doc_id``, ``page``, ``score``, ``filename``, ``metadata``.

        ``search_mode`` is ``hybrid``, ``text`` or ``visual``.
        """


class Collection(Protocol):
    """The part of a Chroma collection that is used. Calls block; they are made in threads."""

    def get(self, *, where: Any, include: Any) -> Mapping[str, Any]:
        """Return ``ids`` and ``metadatas``, lists of equal length."""


class ChromaClient(Protocol):
    """Pages with pictures in one collection, pages as text in the other; a page may be in either or both.

    Seed 002 names ``visual_collection`` and ``get_document_markdown``; a client without ``text_collection`` has none.
    """

    @property
    def visual_collection(self) -> Collection:
        """Pages as pictures."""

    @property
    def text_collection(self) -> Collection:
        """Pages as text."""

    async def get_document_markdown(self, doc_id: str) -> str | None:
        """Return the text of the whole document, its pages joined by ``pages.join_pages``."""


@runtime_checkable
class PageStore(Protocol):
    """A store that has pages one by one. A ``ChromaClient`` that is one is read this way only."""

    async def get_pages(self, places: Sequence[tuple[str, int]]) -> Mapping[tuple[str, int], StoredPage]:
        """Return those of some pages, by document and number, that there are."""


@runtime_checkable
class TraceStore(Protocol):
    """A store of pages that has tool calls with their results as well."""

    async def get_traces(self, pair_ids: Sequence[str]) -> Mapping[str, str]:
        """Return those of some pairs that are tool calls, as Markdown."""


@runtime_checkable
class ArtifactStore(Protocol):
    """A store of pages that has artifacts and code as well."""

    async def get_artifacts(self, part_ids: Sequence[str]) -> Mapping[str, str]:
        """Return the texts of those of some artifacts and code that there are, as Markdown."""
