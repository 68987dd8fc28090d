"""Documents as people read them: a list, and the pages of one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import psycopg
from psycopg.rows import class_row

from archive_pipeline.domain.identity import as_uuid
from archive_pipeline.errors import UnknownDocumentError
from archive_pipeline.store.sql_files import load_query
from archive_pipeline.text.dialogue_names import dialogue_name

_MOST_MESSAGES: Final = 20


@dataclass(frozen=True, slots=True)
class DocumentHeading:
    """Columns of ``raw.documents``."""

    document_id: str
    file_name: str
    extension: str
    page_count: int
    status: str
    error: str | None
    added_at: datetime


@dataclass(frozen=True, slots=True)
class DocumentPage:
    """Columns of ``raw.document_pages``; ``image_path`` is below the home."""

    page: int
    markdown: str
    section_path: str | None
    image_path: str | None


@dataclass(frozen=True, slots=True)
class Origin:
    """A message that a document came with."""

    message_id: str
    partition_key: str
    title: str | None
    first_prompt: str | None

    @property
    def name(self) -> str:
        """What people call its dialogue."""
        return dialogue_name(self.title, self.first_prompt)


@dataclass(frozen=True, slots=True)
class ReadableDocument:
    """Some pages of a document, in order, and the first messages that it came with."""

    heading: DocumentHeading
    pages: Sequence[DocumentPage]
    origins: Sequence[Origin]

    @property
    def next_page(self) -> int | None:
        """The page after these; None at the end."""
        last = self.pages[-1].page if self.pages else 0
        return last + 1 if self.pages and last < self.heading.page_count else None


@dataclass(frozen=True, slots=True)
class DocumentList:
    """Some documents, and whether others follow."""

    documents: Sequence[DocumentHeading]
    has_more: bool


def list_documents(
    connection: psycopg.Connection[Any], *, limit: int, after: tuple[datetime, str] | None = None
) -> DocumentList:
    """Return documents, the latest first; ``after`` is time and id of the last one of the page before."""
    before_at, before_id = after or (None, None)
    wanted = {"before_at": before_at, "before_id": before_id, "count": limit + 1}
    with connection.cursor(row_factory=class_row(DocumentHeading)) as cursor:
        rows = cursor.execute(load_query("reading/recent_documents"), wanted).fetchall()
    return DocumentList(rows[:limit], len(rows) > limit)


def read_document(
    connection: psycopg.Connection[Any], document_id: str, *, first_page: int, limit: int
) -> ReadableDocument:
    """Read some pages of a document.

    Raises:
        UnknownDocumentError: there is none with that id.
    """
    wanted = {"id": as_uuid(document_id), "first_page": first_page, "last_page": first_page + limit - 1}
    with connection.cursor(row_factory=class_row(DocumentHeading)) as cursor:
        heading = cursor.execute(load_query("reading/document_heading"), wanted).fetchone()
    if heading is None:
        raise UnknownDocumentError(f"no document has the id {document_id!r}")
    with connection.cursor(row_factory=class_row(DocumentPage)) as cursor:
        pages = cursor.execute(load_query("reading/document_window"), wanted).fetchall()
    with connection.cursor(row_factory=class_row(Origin)) as cursor:
        origins = cursor.execute(
            load_query("reading/messages_of_document"), {**wanted, "count": _MOST_MESSAGES}
        ).fetchall()
    return ReadableDocument(heading, pages, origins)
