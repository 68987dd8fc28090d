"""Plain text and Markdown."""

from __future__ import annotations

import codecs
from contextlib import suppress
from pathlib import Path
from typing import Final

from archive_pipeline.documents.limits import MAX_TEXT_BYTES, check_pages, check_size
from archive_pipeline.documents.pagination import markdown_pages, text_pages
from archive_pipeline.documents.records import Document, Kind, Page
from archive_pipeline.documents.structure import pages_of
from archive_pipeline.errors import UnreadableDocumentError

PAGE_BREAK: Final = "\f"
_UTF16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def read_text(path: Path, name: str, kind: Kind, extension: str) -> Document:
    """Read a text file: UTF-8, damaged or not, UTF-16 with its mark, else Windows-1252."""
    check_size(path, name, MAX_TEXT_BYTES)
    text, note = decode(path.read_bytes(), name)
    document = document_of_text(text, kind=kind, extension=extension, name=name)
    return Document(document.kind, document.extension, document.pages, notes=note)


def document_of_text(text: str, *, kind: Kind, extension: str, name: str) -> Document:
    """Return a text as a document; a form feed is a page break. Plain text is kept as it is, not made Markdown."""
    pieces = text.replace("\r\n", "\n").split(PAGE_BREAK)
    if kind is Kind.MARKDOWN:
        pages = pages_of(markdown_pages(pieces))
    else:
        pages = tuple(Page(number, page) for number, page in enumerate(text_pages(pieces), start=1))
    check_pages(len(pages), name)
    if not any(page.markdown.strip() for page in pages):
        raise UnreadableDocumentError(f"{name} holds no text")
    return Document(kind, extension, pages)


def decode(data: bytes, name: str) -> tuple[str, tuple[str, ...]]:
    """Return the text of bytes, and a remark if it is not UTF-8.

    Raises:
        UnreadableDocumentError: it is no text.
    """
    note: tuple[str, ...] = ()
    try:
        text = data.decode("utf-16" if data.startswith(_UTF16) else "utf-8-sig")
    except UnicodeDecodeError:
        text, remark = _decode_damaged(data)
        note = (f"{name} is not UTF-8; {remark}",)
    if "\0" in text:
        raise UnreadableDocumentError(f"{name} is neither text nor a document of a known format")
    return text, note


def _decode_damaged(data: bytes) -> tuple[str, str]:
    """Return the text of bytes that are no UTF-8, and how they were read.

    UTF-16 may be cut within a character at its end; damaged elsewhere it is no text, as binary data with its mark is.
    Damaged UTF-8, such as a file that was cut within a character, has more characters of several bytes than damages. In
    other encodings such characters come about by chance alone.
    """
    if data.startswith(_UTF16):
        with suppress(UnicodeDecodeError):
            text = codecs.getincrementaldecoder("utf-16")().decode(data)
            return f"{text}\ufffd", "it was read as UTF-16, but for its last character"
    text = data.decode("utf-8-sig", errors="replace")
    damages = text.count("\ufffd") - data.count("\ufffd".encode())
    several_bytes = len(text) - len(text.encode("ascii", errors="ignore")) - text.count("\ufffd")
    if damages < several_bytes:
        return text, f"it was read as such, but for {damages:,} places"
    return data.decode("cp1252", errors="replace"), "it was read as Windows-1252"
