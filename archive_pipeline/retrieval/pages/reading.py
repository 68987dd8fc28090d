"""Reads a dialogue or document page by page as Markdown, from PostgreSQL alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, NamedTuple

import psycopg
from psycopg.rows import class_row

from archive_pipeline.domain.identity import as_uuid
from archive_pipeline.errors import InvalidQueryError, UnknownDialogueError
from archive_pipeline.retrieval.pages.markdown import page_text
from archive_pipeline.store.rows import fetch_row
from archive_pipeline.store.sql_files import load_query
from archive_pipeline.text.user_input import LONGEST_QUERY, check_text

_PAGES_PER_FETCH: Final = 20


class Window(NamedTuple):
    """Which characters are read: from one of the first page on, of all pages together."""

    first: int
    most: int


@dataclass(frozen=True, slots=True)
class ReadPage:
    """A page.

    Attributes:
        page: from 1.
        markdown: its text, or a piece of it if ``characters`` is more.
        characters: of the whole page.
        first_character: of the piece, from 1.
        is_abandoned_branch: the exchange is not on the dialogue's primary path; always false in documents.
    """

    page: int
    markdown: str
    characters: int
    is_abandoned_branch: bool
    first_character: int = 1

    @classmethod
    def cut(cls, page: int, text: str, window: Window, *, is_abandoned_branch: bool) -> ReadPage:
        """Return what of a text is in a window.

        Raises:
            InvalidQueryError: the text ends before the window begins.
        """
        first, most = window
        if first > max(len(text), 1):
            raise InvalidQueryError(f"page {page:,} has {len(text):,} characters; {first:,} is beyond its end")
        return cls(page, text[first - 1 : first - 1 + most], len(text), is_abandoned_branch, first)

    def missing(self, name: str, page: str = "") -> list[str]:
        """Return a sentence on what of it is not here, none if it is whole.

        Args:
            name: what it is called.
            page: the argument that asks for it, if there is one.
        """
        if len(self.markdown) == self.characters:
            return []
        since = f", from character {self.first_character:,} on" if self.first_character > 1 else ""
        said = f"{name} is cut: {len(self.markdown):,} of {self.characters:,} characters are here{since}"
        end = self.first_character + len(self.markdown)
        return [said if end > self.characters else f"{said}; ask with {page}first_character={end} for the rest"]


@dataclass(frozen=True, slots=True)
class ReadPages:
    """Some pages of a dialogue or document.

    Attributes:
        doc_id: its id.
        title: the dialogue's title, the file's name.
        source: such as ``chatgpt``; ``document``.
        created_at: when it began, or the file was added; None if unknown.
        page_count: how many pages there are.
        pages: those that were read, one after another.
    """

    doc_id: str
    title: str
    source: str
    created_at: datetime | None
    page_count: int
    pages: Sequence[ReadPage]

    @property
    def next_page(self) -> int | None:
        """The page after those that were read; None at the end."""
        last = self.pages[-1].page if self.pages else 0
        return last + 1 if last < self.page_count else None

    @property
    def left_out(self) -> list[str]:
        """What is not here, a sentence each."""
        if not self.pages:
            return ["there are no pages yet; `llm-archive build` makes them"]
        said = []
        first, last = self.pages[0].page, self.pages[-1].page
        if first > 1:
            said.append(f"pages 1 to {first - 1} of {self.page_count} are before these")
        for page in self.pages:
            said += page.missing(f"page {page.page}", f"first_page={page.page}, ")
        if last < self.page_count:
            said.append(f"pages {last + 1} to {self.page_count} follow; ask with first_page={last + 1}")
        return said


class _Readable(NamedTuple):
    """The row of ``find_readable``."""

    doc_id: str
    filename: str
    source: str
    extension: str
    created_at: datetime | None
    page_count: int | None


class _PageRow(NamedTuple):
    """A row of ``read_pages``."""

    page: int
    is_on_primary_path: bool | None
    user_text: str | None
    assistant_text: str | None
    markdown: str | None


def read_pages(
    connection: psycopg.Connection[Any], name: str, *, first_page: int, max_pages: int, window: Window
) -> ReadPages:
    """Return whole pages as long as they fit; only the first one is cut if it alone is too long.

    Args:
        connection: to the archive.
        name: partition key or id of a dialogue, or id of a document.
        first_page: from 1.
        max_pages: most pages.
        window: where the text of the first one begins, and most characters of all texts together.

    Raises:
        UnknownDialogueError: there is neither a dialogue nor a document with the name.
        InvalidQueryError: the name is no text, there are fewer pages than ``first_page``, or the first one ends
            before the window.
    """
    check_text("the key or id", name, LONGEST_QUERY)
    found = fetch_row(connection, "pages/find_readable", _Readable, {"name": name, "id": as_uuid(name)})
    if found is None:
        raise UnknownDialogueError(f"no dialogue or document has the key or id {name!r}")
    count = found.page_count or 0
    if first_page > max(count, 1):
        raise InvalidQueryError(f"{name!r} has {count:,} pages; page {first_page:,} cannot be read")
    span = {"doc_id": found.doc_id, "first_page": first_page, "last_page": first_page + max_pages - 1}
    # A cursor of the server: pages that do not fit are not fetched.
    with connection.cursor("pages", row_factory=class_row(_PageRow)) as rows:
        rows.itersize = _PAGES_PER_FETCH
        pages = _fitting(rows.execute(load_query("pages/read_pages"), span), window)
    return ReadPages(found.doc_id, found.filename, found.source, found.created_at, count, pages)


def _fitting(rows: Iterable[_PageRow], window: Window) -> list[ReadPage]:
    pages: list[ReadPage] = []
    for row in rows:
        text = page_text(row)
        if pages and len(text) > window.most:
            break
        pages.append(ReadPage.cut(row.page, text, window, is_abandoned_branch=row.is_on_primary_path is False))
        window = Window(1, window.most - len(pages[-1].markdown))
    return pages
