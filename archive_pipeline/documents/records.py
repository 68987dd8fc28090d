"""What a reader yields: a document as pages of Markdown, and pictures of the pages where the format has pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Kind(StrEnum):
    """What a document is, by its content; the value is the usual extension."""

    PDF = "pdf"
    DOCX = "docx"
    PPTX = "pptx"
    HTML = "html"
    MARKDOWN = "md"
    TEXT = "txt"
    IMAGE = "image"


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading; ``level`` counts from 1."""

    level: int
    text: str


@dataclass(frozen=True, slots=True)
class Page:
    """One page.

    Attributes:
        number: from 1.
        markdown: its text.
        headings: headings on it, in order.
        section_path: the headings that the beginning of the page stands below, ``Introduction > Methods``; for a page
            that begins with a heading, that one included. None if there is none.
        parent_heading: the last of them.
        num_tables, num_pictures: how many it has.
    """

    number: int
    markdown: str
    headings: tuple[Heading, ...] = ()
    section_path: str | None = None
    parent_heading: str | None = None
    num_tables: int = 0
    num_pictures: int = 0

    @property
    def num_headings(self) -> int:
        """How many headings it has."""
        return len(self.headings)


def _no_images() -> Iterator[tuple[int, Any]]:
    return iter(())


@dataclass(frozen=True, slots=True)
class Document:
    """A document that was read.

    Attributes:
        kind: what it is.
        extension: its kind's; of an image, its format's; of plain text, the file's own.
        pages: at least one.
        page_images: yields the number and the picture (``PIL.Image.Image``) of each page that can be drawn, one at a
            time; nothing for formats without pages.
        notes: remarks for the user, a line each.
    """

    kind: Kind
    extension: str
    pages: tuple[Page, ...]
    page_images: Callable[[], Iterator[tuple[int, Any]]] = _no_images
    notes: tuple[str, ...] = ()
