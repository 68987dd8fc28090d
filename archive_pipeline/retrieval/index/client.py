"""``ChromaClient``: the vector index in Chroma as seed 002 reads it. It never writes; see ``index.chroma_sync``."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

from archive_pipeline.errors import VectorStoreError
from archive_pipeline.retrieval.index.chroma import Chroma, location_of, open_chroma, reopen_chroma, translate_errors
from archive_pipeline.retrieval.index.chroma_indexes import active_in_chroma
from archive_pipeline.retrieval.index.collections import ReadCollection
from archive_pipeline.retrieval.pages.store import PageStore
from archive_pipeline.retrieval.pages.stored_page import StoredPage
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.vector_indexes import TEXT, VISUAL, VectorIndex

__all__ = ["ChromaClient"]


@dataclass
class _Opened:
    """An index, as it was at one time, and its open store."""

    index: VectorIndex
    chroma: Chroma
    collections: dict[str, ReadCollection] = field(default_factory=dict)


@dataclass
class ChromaClient:
    """The collections that are searched now, of an archive whose index is in Chroma.

    Both know dialogues as documents: ``doc_id`` is the dialogue's id, ``page`` the exchange. The text collection has
    chunks, the visual one an entry per page. Texts of pages come from PostgreSQL, which the index follows: so citations
    are right between a build and the next index, too, and where there are no collections as PostgreSQL has the index.
    ``full_markdown_compressed`` is for other readers.

    Attributes:
        database: tells which index is searched.
        settings: where the vector store is.
    """

    database: Database
    settings: Settings
    _opened: _Opened | None = field(default=None, init=False, repr=False)
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

    async def get_pages(self, places: Sequence[tuple[str, int]]) -> dict[tuple[str, int], StoredPage]:
        """Return those of some pages that there are, as PostgreSQL has them now: contexts read them here."""
        return await self._pages.get_pages(places)

    async def get_traces(self, pair_ids: Sequence[str]) -> dict[str, str]:
        """Return tool calls with their results (`PageStore.get_traces`)."""
        return await self._pages.get_traces(pair_ids)

    async def get_artifacts(self, part_ids: Sequence[str]) -> dict[str, str]:
        """Return artifacts and code (`PageStore.get_artifacts`)."""
        return await self._pages.get_artifacts(part_ids)

    async def get_document_markdown(self, doc_id: str) -> str | None:
        """Return the text of a whole document as PostgreSQL has it now, None if it is not known."""
        return await self._pages.get_document_markdown(doc_id)

    @property
    def _pages(self) -> PageStore:
        return PageStore(self.database, self.settings.home)

    @staticmethod
    def _collection(kind: str, opened: _Opened) -> ReadCollection:
        if kind not in opened.collections:
            with translate_errors(opened.chroma.location):
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
            with self.database.session() as connection:
                index = active_in_chroma(connection, self.settings)
            if index is None:
                raise VectorStoreError(
                    f"there is no index in {location_of(self.settings)} yet; make it with `llm-archive index` "
                    "and ARCHIVE_VECTOR_INDEX=chroma"
                )
            if self._opened is None:
                self._opened = _Opened(index, open_chroma(self.settings))
            elif self._opened.index != index:
                chroma = self._opened.chroma if self.settings.chroma_url else reopen_chroma(self.settings)
                self._opened = _Opened(index, chroma)
            return self._opened
