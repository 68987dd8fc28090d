"""``ChromaClient``: the vector store as seed 002 reads it. It never writes; see ``vector_store.sync``."""

from __future__ import annotations

import asyncio
import threading
import time
from dataclasses import dataclass, field
from typing import Final

from archive_pipeline.errors import VectorStoreError
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.vector_indexes import TEXT, VISUAL, VectorIndex, active_index
from archive_pipeline.vector_store.chroma import Chroma, errors_told, location_of, open_chroma, reopen_chroma
from archive_pipeline.vector_store.collections import ReadCollection, entry_of_page
from archive_pipeline.vector_store.document_cache import DocumentCache
from archive_pipeline.vector_store.documents import decompress
from archive_pipeline.vector_store.entries import FULL_MARKDOWN

__all__ = ["ChromaClient"]

# A context fetches twenty things at once: PostgreSQL is asked only once for them which index is searched.
CHECK_SECONDS: Final = 0.02


@dataclass
class _Opened:
    """An index, as it was at one time, its open store, and what was read of it."""

    index: VectorIndex
    chroma: Chroma
    collections: dict[str, ReadCollection] = field(default_factory=dict)
    documents: DocumentCache = field(default_factory=DocumentCache)


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
    _opened: _Opened | None = field(default=None, init=False, repr=False)
    _checked_at: float = field(default=0.0, init=False, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)

    @property
    def index(self) -> VectorIndex:
        """The index that is searched; queries must be embedded by its generation's model.

        Raises:
            VectorStoreError: there is none yet.
        """
        return self._current().index

    @property
    def text_collection(self) -> ReadCollection:
        """The collection of chunks."""
        return self._collection(TEXT, self._current())

    @property
    def visual_collection(self) -> ReadCollection:
        """The collection of pages."""
        return self._collection(VISUAL, self._current())

    async def get_document_markdown(self, doc_id: str) -> str | None:
        """Return the text of a whole document, None if it is not known."""
        return await asyncio.to_thread(self._markdown, doc_id)

    def _markdown(self, doc_id: str) -> str | None:
        opened = self._current()
        kept = opened.documents.get(doc_id)
        if kept is not None:
            return kept
        found = self._collection(VISUAL, opened).get(ids=[entry_of_page(doc_id, 1)], include=["metadatas"])
        compressed = found["metadatas"][0].get(FULL_MARKDOWN) if found["ids"] else None
        if compressed is None:
            return None
        markdown = decompress(compressed)
        opened.documents.put(doc_id, markdown)
        return markdown

    @staticmethod
    def _collection(kind: str, opened: _Opened) -> ReadCollection:
        if kind not in opened.collections:
            with errors_told(opened.chroma.location):
                collection = opened.chroma.find(opened.index, kind)
            if collection is None:
                raise VectorStoreError(
                    f"the collection {opened.index.collection(kind)} is not in {opened.chroma.location}; "
                    "make it with `llm-archive index`"
                )
            opened.collections[kind] = ReadCollection(opened.chroma.location, collection, has_page_ids=kind == VISUAL)
        return opened.collections[kind]

    def _current(self) -> _Opened:
        """Return what is searched now; an embedded store is opened anew after another process wrote to it."""
        with self._lock:
            if self._opened is not None and time.monotonic() - self._checked_at < CHECK_SECONDS:
                return self._opened
            location = location_of(self.settings)
            with self.database.session() as connection:
                index = active_index(connection, location)
            if index is None:
                raise VectorStoreError(f"there is no index in {location} yet; make it with `llm-archive index`")
            if self._opened is None:
                self._opened = _Opened(index, open_chroma(self.settings))
            elif self._opened.index != index:
                chroma = self._opened.chroma if self.settings.chroma_url else reopen_chroma(self.settings)
                self._opened = _Opened(index, chroma)
            self._checked_at = time.monotonic()
            return self._opened
