"""``ChromaClient``: the vector store as seed 002 reads it. It never writes; see ``vector_store.sync``."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import dataclass, field
from typing import Any

from archive_pipeline.errors import VectorStoreError
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.vector_indexes import TEXT, VISUAL, VectorIndex, active_index
from archive_pipeline.vector_store.chroma import Chroma, errors_told, location_of, open_chroma, reopen_chroma
from archive_pipeline.vector_store.documents import decompress
from archive_pipeline.vector_store.entries import FULL_MARKDOWN

__all__ = ["ChromaClient"]


@dataclass
class ChromaClient:
    """The collections that are searched now.

    Both know dialogues as documents: ``doc_id`` is the dialogue's id, ``page`` the exchange. The text collection has
    chunks, the visual one an entry per page; ``get_document_markdown`` gives the text of all pages.

    Attributes:
        database: tells which index is searched.
        settings: where the vector store is.
    """

    database: Database
    settings: Settings
    _opened: tuple[VectorIndex, Chroma] | None = field(default=None, init=False, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)

    @property
    def index(self) -> VectorIndex:
        """The index that is searched; queries must be embedded by its generation's model.

        Raises:
            VectorStoreError: there is none yet.
        """
        return self._current()[0]

    @property
    def text_collection(self) -> Any:
        """Chroma's collection of chunks."""
        return self._collection(TEXT)

    @property
    def visual_collection(self) -> Any:
        """Chroma's collection of pages."""
        return self._collection(VISUAL)

    async def get_document_markdown(self, doc_id: str) -> str | None:
        """Return the text of a whole document, None if it is not known."""
        return await asyncio.to_thread(self._markdown, doc_id)

    def _markdown(self, doc_id: str) -> str | None:
        where = {"$and": [{"doc_id": {"$eq": doc_id}}, {"page": {"$eq": 1}}]}
        collection = self.visual_collection
        with errors_told(location_of(self.settings)):
            found = collection.get(where=where, include=["metadatas"])
        compressed = found["metadatas"][0].get(FULL_MARKDOWN) if found["ids"] else None
        return None if compressed is None else decompress(compressed)

    def _collection(self, kind: str) -> Any:
        index, chroma = self._current()
        with errors_told(chroma.location):
            collection = chroma.find(index, kind)
        if collection is None:
            raise VectorStoreError(
                f"the collection {index.collection(kind)} is not in {chroma.location}; make it with `llm-archive index`"
            )
        return collection

    def _current(self) -> tuple[VectorIndex, Chroma]:
        """Return the index and the open store; an embedded store is opened anew after another process wrote to it."""
        location = location_of(self.settings)
        with self.database.session() as connection:
            index = active_index(connection, location)
        if index is None:
            raise VectorStoreError(f"there is no index in {location} yet; make it with `llm-archive index`")
        with self._lock:
            if self._opened is None:
                self._opened = index, open_chroma(self.settings)
            elif self._opened[0] != index:
                chroma = self._opened[1] if self.settings.chroma_url else reopen_chroma(self.settings)
                self._opened = index, chroma
            return self._opened
