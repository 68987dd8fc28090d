"""Reads one question-answer pair or artifact in full: what search found, where the page around it has not all of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

import psycopg

from archive_pipeline.domain.identity import as_uuid
from archive_pipeline.retrieval.pages.markdown import artifact_markdown, page_markdown, trace_markdown
from archive_pipeline.retrieval.pages.reading import ReadPage, ReadPages, Window, read_pages
from archive_pipeline.store.rows import fetch_row
from archive_pipeline.text.user_input import LONGEST_QUERY, check_text


@dataclass(frozen=True, slots=True)
class ReadWhole(ReadPages):
    """A pair or an artifact, as the only one of ``pages``; its number is that of the page that it is found on."""

    what: str

    @property
    def next_page(self) -> None:
        """It has no next page."""
        return

    @property
    def left_out(self) -> list[str]:
        """What is not here, a sentence each."""
        [whole] = self.pages
        around = f"page {whole.page} of {self.page_count} is the turn that it is part of"
        said = [f"this is {self.what}; {around}: ask for {self.doc_id} with first_page={whole.page}"]
        return said + whole.missing("it")


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


class _Artifact(NamedTuple):
    """The row of ``find_artifact``."""

    doc_id: str
    filename: str
    source: str
    created_at: datetime | None
    page_count: int
    page: int
    is_on_primary_path: bool
    text: str
    title: str | None
    is_code: bool


def read_whole_or_pages(
    connection: psycopg.Connection[Any], name: str, *, first_page: int, max_pages: int, window: Window
) -> ReadPages:
    """Return the pair or artifact with an id, or else what ``read_pages`` returns for the name.

    A tool call comes with its full result, and a user message with its full answer, as the id of the pair says
    (seed 004).

    Raises:
        UnknownDialogueError: there is no pair, artifact, dialogue or document with the name.
        InvalidQueryError: the name is no text, there are fewer pages than ``first_page``, or the text ends before
            the window.
    """
    check_text("the key or id", name, LONGEST_QUERY)
    if (pair := fetch_row(connection, "pages/find_pair", _Pair, {"name": name})) is not None:
        return _whole(pair, _pair_text(pair), window, "one question with its answer")
    part_id = as_uuid(name)
    artifact = part_id and fetch_row(connection, "pages/find_artifact", _Artifact, {"id": part_id})
    if artifact:
        text = artifact_markdown(artifact.text, artifact.title, is_code=artifact.is_code)
        return _whole(artifact, text, window, "one artifact")
    return read_pages(connection, name, first_page=first_page, max_pages=max_pages, window=window)


def _pair_text(pair: _Pair) -> str:
    if pair.is_trace:
        return trace_markdown(pair.question, pair.answer, is_error=pair.is_error)
    return page_markdown(pair.question, pair.answer)


def _whole(found: _Pair | _Artifact, text: str, window: Window, what: str) -> ReadWhole:
    page = ReadPage.cut(found.page, text, window, is_abandoned_branch=not found.is_on_primary_path)
    return ReadWhole(found.doc_id, found.filename, found.source, found.created_at, found.page_count, [page], what=what)
