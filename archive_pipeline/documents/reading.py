"""One document file to pages. What a file is, its content says; its name matters for text only."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path, PurePath
from typing import Final

from archive_pipeline.documents.docx import read_docx
from archive_pipeline.documents.html import read_html
from archive_pipeline.documents.images import read_image
from archive_pipeline.documents.limits import check_characters, check_size
from archive_pipeline.documents.pdf import read_pdf
from archive_pipeline.documents.pptx import read_pptx
from archive_pipeline.documents.records import Document, Kind, PageDone
from archive_pipeline.documents.text import read_text
from archive_pipeline.errors import ArchiveError, UnreadableDocumentError
from archive_pipeline.text.links import with_harmless_links

# Increased when a file is read in another way than before: stored documents are then read again when they are added.
READER_VERSION: Final = 4

HTML_EXTENSIONS: Final = frozenset({"html", "htm", "xhtml"})
MARKDOWN_EXTENSIONS: Final = frozenset({"md", "markdown", "mdown", "mkd"})
IMAGE_EXTENSIONS: Final = frozenset({"png", "jpg", "jpeg", "webp", "gif", "tif", "tiff", "bmp"})
# What is read of a folder; a file that is named is read whatever its name.
EXTENSIONS: Final = (
    frozenset({"pdf", "docx", "pptx", "txt", "text"}) | HTML_EXTENSIONS | MARKDOWN_EXTENSIONS | IMAGE_EXTENSIONS
)

_TEXTS: Final = frozenset({Kind.TEXT, Kind.MARKDOWN})
_HEAD_BYTES: Final = 4_096
_PDF_WITHIN: Final = 1_024
_IMAGE_MAGIC: Final = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a", b"II*\0", b"MM\0*", b"BM")
_OLE: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED_PACKAGE: Final = "EncryptedPackage".encode("utf-16-le")
_READERS: Final[dict[Kind, Callable[[Path, str], Document]]] = {
    Kind.DOCX: read_docx,
    Kind.PPTX: read_pptx,
    Kind.HTML: read_html,
}
_READERS_BY_PAGE: Final[dict[Kind, Callable[[Path, str, PageDone], Document]]] = {
    Kind.PDF: read_pdf,
    Kind.IMAGE: read_image,
}


def _nothing() -> None:
    """Nobody has to know."""


def read_document(
    path: Path, *, name: str | None = None, kind: Kind | None = None, page_done: PageDone = _nothing
) -> Document:
    """Read a document, in this process: what comes from anywhere is read by ``process.ReaderProcess``.

    Args:
        path: the file.
        name: what messages call it, and whose extension counts, if it is not the path.
        kind: what it is, where that is known better than by its content: a text extracted from a PDF is a text.
        page_done: called after each page of formats that are read page by page.

    Raises:
        UnreadableDocumentError: it cannot be read; the message says why.
        MissingExtraError: the packages that parse documents are not installed.
        MemoryError: it needs more memory than this process may use.
    """
    shown = str(path) if name is None else name
    try:
        check_size(path, shown)
        extension = PurePath(shown).suffix.lower().removeprefix(".")
        if kind is not None:
            extension = kind.value
        kind = kind or kind_of(path, shown, extension)
        document = _with_harmless_links(_read(path, shown, kind, extension or kind.value, page_done))
        check_characters(sum(page.characters for page in document.pages), shown)
    except ArchiveError:
        raise
    except Exception as error:  # parsers of damaged files raise anything
        raise damaged(shown, error) from error
    return document if kind in _TEXTS else _with_name_in_errors(document, shown, extension)


def damaged(name: str, error: Exception) -> UnreadableDocumentError:
    """Return what is said of a document whose parser raised something.

    Raises:
        MemoryError: that was why, whatever the parser made of it.
    """
    link: BaseException | None = error
    while link is not None:
        if isinstance(link, MemoryError):
            raise link
        link = link.__cause__ or link.__context__
    if isinstance(error, UnreadableDocumentError):
        return error
    if isinstance(error, RecursionError):
        return UnreadableDocumentError(f"{name} is nested too deeply to be read")
    detail = " ".join(str(error).split())[:200]
    if isinstance(error, OSError):
        return UnreadableDocumentError(f"{name} cannot be read: {error.strerror or detail}")
    return UnreadableDocumentError(f"{name} is damaged: {type(error).__name__}: {detail}")


def _read(path: Path, name: str, kind: Kind, extension: str, page_done: PageDone) -> Document:
    if kind in _TEXTS:
        return read_text(path, name, kind, extension)
    if kind in _READERS_BY_PAGE:
        return _READERS_BY_PAGE[kind](path, name, page_done)
    return _READERS[kind](path, name)


def kind_of(path: Path, name: str, extension: str) -> Kind:
    """Return what a file is.

    Raises:
        UnreadableDocumentError: it is nothing that can be read.
    """
    with path.open("rb") as file:
        head = file.read(_HEAD_BYTES)
    if b"%PDF-" in head[:_PDF_WITHIN]:
        return Kind.PDF
    if head.startswith(b"PK\x03\x04"):
        return _office_kind(path, name)
    if head.startswith(_OLE):
        raise UnreadableDocumentError(f"{name} {_what_is_in_ole(path)}")
    if head.startswith(_IMAGE_MAGIC) or (head.startswith(b"RIFF") and head[8:12] == b"WEBP"):
        return Kind.IMAGE
    if head.startswith(b"{\\rtf"):
        raise UnreadableDocumentError(f"{name} is an RTF file: save it as DOCX")
    if extension in {"pdf", "docx", "pptx"} | IMAGE_EXTENSIONS:
        raise UnreadableDocumentError(f"{name} is no {extension.upper()} file, and nothing else that can be read")
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if extension in HTML_EXTENSIONS or start.startswith((b"<!doctype html", b"<html")):
        return Kind.HTML
    return Kind.MARKDOWN if extension in MARKDOWN_EXTENSIONS else Kind.TEXT


def _office_kind(path: Path, name: str) -> Kind:
    try:
        with zipfile.ZipFile(path) as archive:
            names = set(archive.namelist())
    except (zipfile.BadZipFile, NotImplementedError, ValueError) as error:
        raise UnreadableDocumentError(f"{name} is damaged or cut off: it is a zip that cannot be opened") from error
    if "word/document.xml" in names:
        return Kind.DOCX
    if "ppt/presentation.xml" in names:
        return Kind.PPTX
    if "xl/workbook.xml" in names:
        raise UnreadableDocumentError(f"{name} is a spreadsheet, which is not read: save it as PDF or text")
    raise UnreadableDocumentError(f"{name} is a zip, and neither a DOCX nor a PPTX file")


def _what_is_in_ole(path: Path) -> str:
    if _ENCRYPTED_PACKAGE in path.read_bytes():
        return "is encrypted: save it without a password"
    return "is an old Office file (DOC, PPT, XLS): save it as DOCX, PPTX or PDF"


def _with_harmless_links(document: Document) -> Document:
    pages = tuple(replace(page, markdown=with_harmless_links(page.markdown)) for page in document.pages)
    return replace(document, pages=pages)


def _with_name_in_errors(document: Document, name: str, extension: str) -> Document:
    usual = {document.extension, document.kind.value}
    if document.kind is Kind.HTML:
        usual |= HTML_EXTENSIONS
    if document.kind is Kind.IMAGE:
        usual |= IMAGE_EXTENSIONS if extension in {"jpeg", "tif"} else set()
    if not extension or extension in usual:
        return document
    note = f"{name} is named .{extension} but is {document.extension.upper()}; it was read as that"
    return replace(document, notes=(note, *document.notes))
