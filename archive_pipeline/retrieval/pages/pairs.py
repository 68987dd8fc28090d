"""Reads one question-answer pair in full: what search found, where the page around it is not what is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

import psycopg

from archive_pipeline.retrieval.pages.markdown import page_markdown, trace_markdown
from archive_pipeline.retrieval.pages.reading import ReadPage, ReadPages, Window, read_pages
from archive_pipeline.store.rows import fetch_row
from archive_pipeline.text.user_input import LONGEST_QUERY, check_text


@dataclass(frozen=True, slots=True)
class ReadPair(ReadPages):
    """A pair, as the only one of ``pages``; its number is that of the page that it is found on."""

    @property
    def next_page(self) -> None:
        """A pair has no next page."""
        return

    @property
    def left_out(self) -> list[str]:
        """What is not here, a sentence each."""
        [pair] = self.pages
        around = f"page {pair.page} of {self.page_count} is the turn that it is part of"
        said = [f"this is one question with its answer; {around}: ask for {self.doc_id} with first_page={pair.page}"]
        return said + pair.missing("it")


class _Pair(NamedTuple):
    """The row of ``find_pair``."""

    doc_id: str
    filename: str
    source: str
    created_at: datetime | None
    page_count: int
    page: int
    is_on_primary_path: bool
    is_trace: bool
    question: str
    answer: str
    is_error: bool


def read_pair_or_pages(
    connection: psycopg.Connection[Any], name: str, *, first_page: int, max_pages: int, window: Window
) -> ReadPages:
    """Return the pair with an id, or else what ``read_pages`` returns for the name.

    A tool call comes with its full result, and a user message with its full answer, as the id of the pair says
    (seed 004).

    Raises:
        UnknownDialogueError: there is neither a pair, a dialogue nor a document with the name.
        InvalidQueryError: the name is no text, there are fewer pages than ``first_page``, or the text ends before
            the window.
    """
    check_text("the key or id", name, LONGEST_QUERY)
    found = fetch_row(connection, "pages/find_pair", _Pair, {"name": name})
    if found is None:
        return read_pages(connection, name, first_page=first_page, max_pages=max_pages, window=window)
    if found.is_trace:
        text = trace_markdown(found.question, found.answer, is_error=found.is_error)
    else:
        text = page_markdown(found.question, found.answer)
    page = ReadPage.cut(found.page, text, window, is_abandoned_branch=not found.is_on_primary_path)
    return ReadPair(found.doc_id, found.filename, found.source, found.created_at, found.page_count, [page])
