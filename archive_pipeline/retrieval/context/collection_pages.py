"""Pages from the collections of seed 002: metadata by document and page, a text per document."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

from archive_pipeline.retrieval.context.interfaces import ChromaClient
from archive_pipeline.retrieval.pages.joined import extract_page
from archive_pipeline.retrieval.pages.stored_page import StoredPage

_MOST_FETCHES: Final = 8  # calls of the store at a time

Place = tuple[str, int]


class CollectionPages:
    """Reads pages for one context; the text of a document is fetched once, however many of its pages are asked for."""

    def __init__(self, client: ChromaClient) -> None:
        self._client = client
        self._markdowns: dict[str, str | None] = {}

    async def get_pages(self, places: Sequence[Place]) -> dict[Place, StoredPage]:
        """Return those of some pages, by document and number, that there are."""
        limit = asyncio.Semaphore(_MOST_FETCHES)
        missing = [doc_id for doc_id in dict.fromkeys(doc_id for doc_id, _ in places) if doc_id not in self._markdowns]
        metadata, texts = await asyncio.gather(
            asyncio.gather(*(self._metadata(doc_id, page, limit) for doc_id, page in places)),
            asyncio.gather(*(self._markdown(doc_id, limit) for doc_id in missing)),
        )
        self._markdowns.update(zip(missing, texts, strict=True))
        return {
            (doc_id, page): StoredPage(found, extract_page(self._markdowns[doc_id] or "", page) or "")
            for (doc_id, page), found in zip(places, metadata, strict=True)
            if found is not None
        }

    async def _markdown(self, doc_id: str, limit: asyncio.Semaphore) -> str | None:
        async with limit:
            return await self._client.get_document_markdown(doc_id)

    async def _metadata(self, doc_id: str, page: int, limit: asyncio.Semaphore) -> Mapping[str, Any] | None:
        """Return a page's metadata, from the visual collection if it is there, else from the text collection."""
        where = {"$and": [{"doc_id": {"$eq": doc_id}}, {"page": {"$eq": page}}]}
        names: tuple[Literal["visual", "text"], ...] = ("visual", "text")
        for name in names:
            async with limit:
                found = await asyncio.to_thread(self._get, name, where)
            if found["ids"]:
                metadata: Mapping[str, Any] = found["metadatas"][0]
                return metadata
        return None

    def _get(self, name: Literal["visual", "text"], where: Any) -> Mapping[str, Any]:
        """Ask a collection for metadata; naming the collection may block as well."""
        if name == "visual":
            collection = self._client.visual_collection
        elif hasattr(self._client, "text_collection"):
            collection = self._client.text_collection
        else:  # seed 002 names the visual one alone
            return {"ids": []}
        return collection.get(where=where, include=["metadatas"])
