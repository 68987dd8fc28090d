"""``PageStore``: the pages of dialogues and documents, from the rows that search reads, so that both always agree."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

from archive_pipeline.retrieval.pages.joined import join_pages
from archive_pipeline.retrieval.pages.markdown import artifact_markdown, page_text, trace_markdown
from archive_pipeline.retrieval.pages.stored_page import StoredPage
from archive_pipeline.store.database import Database
from archive_pipeline.store.reading import ReadRequest, read_in_thread
from archive_pipeline.store.rows import fetch_rows
from archive_pipeline.store.vector_indexes import document_pages

_LAST_PAGE: Final = 2**31 - 1

Place = tuple[str, int]


class _CitedPage(NamedTuple):
    """A row of ``pages_to_cite``."""

    asked_id: str
    page: int
    user_text: str | None
    assistant_text: str | None
    markdown: str | None
    filename: str
    extension: str
    added_at: datetime
    created_at: datetime | None
    section_path: str | None
    parent_heading: str | None
    image_path: str | None
    thumb_path: str | None


class _ArtifactText(NamedTuple):
    """A row of ``artifact_texts``."""

    part_id: str
    text: str
    title: str | None
    is_code: bool


class _TraceText(NamedTuple):
    """A row of ``trace_texts``."""

    pair_id: str
    question: str
    answer: str
    is_error: bool


@dataclass(frozen=True)
class PageStore:
    """Reads pages from PostgreSQL; needs neither an index nor an extra.

    Attributes:
        database: the archive.
        home: images of pages are below it.
    """

    database: Database
    home: Path

    async def get_pages(self, places: Sequence[Place]) -> dict[Place, StoredPage]:
        """Return those of some pages, by document and number, that there are."""
        known = [place for place in places if _is_id(place[0]) and 1 <= place[1] <= _LAST_PAGE]
        if not known:
            return {}
        request = ReadRequest(self.database)
        return await read_in_thread(request, lambda: self._pages(request, known))

    async def get_traces(self, pair_ids: Sequence[str]) -> dict[str, str]:
        """Return those of some pairs that are tool calls, as Markdown: the full call and the full result (seed 004)."""
        if not pair_ids:
            return {}
        request = ReadRequest(self.database)
        return await read_in_thread(request, lambda: _traces(request, pair_ids))

    async def get_artifacts(self, part_ids: Sequence[str]) -> dict[str, str]:
        """Return those of some content parts that are artifacts or code, as Markdown: their full texts."""
        known = [part_id for part_id in part_ids if _is_id(part_id)]
        if not known:
            return {}
        request = ReadRequest(self.database)
        return await read_in_thread(request, lambda: _artifacts(request, known))

    async def get_document_markdown(self, doc_id: str) -> str | None:
        """Return the texts of all pages of a document, joined by ``join_pages``; None if there is none."""
        if not _is_id(doc_id):
            return None
        request = ReadRequest(self.database)
        return await read_in_thread(request, lambda: _whole(request, doc_id))

    def _pages(self, request: ReadRequest, places: Collection[Place]) -> dict[Place, StoredPage]:
        parameters = {"doc_ids": [document for document, _ in places], "pages": [page for _, page in places]}
        with request.session() as connection:
            rows = fetch_rows(connection, "pages/pages_to_cite", _CitedPage, parameters)
        return {(row.asked_id, row.page): StoredPage(self._metadata(row), page_text(row)) for row in rows}

    def _metadata(self, row: _CitedPage) -> Mapping[str, Any]:
        """Return the fields of seed 002 that a context shows, and when a dialogue began."""
        return {
            "filename": row.filename,
            "extension": row.extension,
            "timestamp": row.added_at.isoformat(),
            "created_at": row.created_at.isoformat() if row.created_at else "",
            "image_path": str(self.home / row.image_path) if row.image_path else None,
            "thumb_path": str(self.home / row.thumb_path) if row.thumb_path else None,
            "section_path": row.section_path,
            "parent_heading": row.parent_heading,
        }


def _traces(request: ReadRequest, pair_ids: Sequence[str]) -> dict[str, str]:
    with request.session() as connection:
        rows = fetch_rows(connection, "pages/trace_texts", _TraceText, {"pair_ids": list(pair_ids)})
    return {row.pair_id: trace_markdown(row.question, row.answer, is_error=row.is_error) for row in rows}


def _artifacts(request: ReadRequest, part_ids: Sequence[str]) -> dict[str, str]:
    with request.session() as connection:
        rows = fetch_rows(connection, "pages/artifact_texts", _ArtifactText, {"ids": list(part_ids)})
    return {row.part_id: artifact_markdown(row.text, row.title, is_code=row.is_code) for row in rows}


def _whole(request: ReadRequest, doc_id: str) -> str | None:
    with request.session() as connection:
        (pages,) = document_pages(connection, [str(uuid.UUID(doc_id))]).values()
    return join_pages(map(page_text, pages)) if pages else None


def _is_id(text: str) -> bool:
    try:
        uuid.UUID(text)
    except ValueError:
        return False
    return True
