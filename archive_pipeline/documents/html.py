"""HTML to Markdown, cut at its page breaks; DOCX goes this way too."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

from archive_pipeline.documents.limits import MAX_TEXT_BYTES, check_pages, check_size
from archive_pipeline.documents.pagination import markdown_pages
from archive_pipeline.documents.records import Document, Kind
from archive_pipeline.documents.structure import EXTRA, PURPOSE, pages_of
from archive_pipeline.domain.optional import import_optional
from archive_pipeline.errors import UnreadableDocumentError
from archive_pipeline.text.html_markdown import clean, markdown_of

PAGE_BREAK_CLASS: Final = "archive-page-break"
# Stands for a page break on its way through the conversion.
_BREAK: Final = "\ue000page-break\ue000"
_BREAK_BEFORE: Final = re.compile(r"(?:page-)?break-before\s*:\s*(?:always|page)", re.IGNORECASE)
_BREAK_AFTER: Final = re.compile(r"(?:page-)?break-after\s*:\s*(?:always|page)", re.IGNORECASE)


def read_html(path: Path, name: str) -> Document:
    """Read an HTML file; its encoding is the one it declares, else guessed."""
    check_size(path, name, MAX_TEXT_BYTES)
    pages = pages_of(markdown_pages(html_pieces(path.read_bytes())))
    check_pages(len(pages), name)
    if not any(page.markdown.strip() for page in pages):
        raise UnreadableDocumentError(f"{name} holds no text")
    return Document(Kind.HTML, "html", pages)


def html_pieces(html: str | bytes) -> list[str]:
    """Return HTML as Markdown, cut at its page breaks."""
    import bs4  # noqa: PLC0415 (most commands read no HTML)

    import_optional("lxml", extra=EXTRA, purpose=PURPOSE)
    soup = bs4.BeautifulSoup(html, "lxml")
    for text in soup.find_all(string=lambda text: _BREAK in text):
        text.replace_with(type(text)(text.replace(_BREAK, "")))
    clean(soup)
    _mark_breaks(soup)
    return [piece.strip("\n") for piece in markdown_of(soup).split(_BREAK)]


def _mark_breaks(soup: Any) -> None:
    for element in soup.find_all("hr", class_=PAGE_BREAK_CLASS):
        element.replace_with(_BREAK)
    for element in soup.find_all(style=True):
        if _BREAK_BEFORE.search(element["style"]):
            element.insert_before(_BREAK)
        if _BREAK_AFTER.search(element["style"]):
            element.insert_after(_BREAK)
