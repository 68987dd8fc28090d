"""Adding documents: read, draw, store. The same content is the same document, wherever it is found."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Final

from archive_pipeline.documents.limits import check_size
from archive_pipeline.documents.process import ReaderProcess
from archive_pipeline.documents.reading import READER_VERSION
from archive_pipeline.documents.records import Document, Kind
from archive_pipeline.domain import identity
from archive_pipeline.domain.counted import counted
from archive_pipeline.domain.frames import frame
from archive_pipeline.errors import UnreadableDocumentError
from archive_pipeline.ingest.page_images import WrittenImages, delete_images, write_images
from archive_pipeline.settings import Settings
from archive_pipeline.store import documents as stored
from archive_pipeline.store.database import Database
from archive_pipeline.text.sanitize import clean_optional, clean_text

if TYPE_CHECKING:
    import pandas as pd

_PAGE_COLUMNS: Final = (
    "document_id",
    "page",
    "markdown",
    "section_path",
    "parent_heading",
    "num_headings",
    "num_tables",
    "num_pictures",
    "image_path",
    "thumb_path",
)
_HASHED_AT_ONCE: Final = 1 << 20


class Outcome(StrEnum):
    """What became of a file."""

    NEW = "new"
    READ_AGAIN = "read_again"
    UNCHANGED = "unchanged"
    REJECTED = "rejected"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A file to add.

    Attributes:
        path: the file.
        locator: where it came from, for people: its path, or a place in an export.
        file_name: its name.
        message_ids: messages it came with; none for a file that was added by its path.
        kind: what it is, if not its content says so.
    """

    path: Path
    locator: str
    file_name: str
    message_ids: Sequence[str] = ()
    kind: Kind | None = None


@dataclass(frozen=True, slots=True)
class Added:
    """What became of one file.

    Attributes:
        locator: where it came from.
        outcome: what became of it.
        document_id: its document; None if it has none.
        pages, images: how many there are.
        reason: why it was rejected or skipped.
        notes: remarks.
    """

    locator: str
    outcome: Outcome
    document_id: str | None = None
    pages: int = 0
    images: int = 0
    reason: str | None = None
    notes: tuple[str, ...] = field(default=())


def document_id(sha256: str) -> str:
    """A document is its content."""
    return identity.row_id("document", sha256)


def add_document(
    database: Database, settings: Settings, candidate: Candidate, reader: ReaderProcess | None = None
) -> Added:
    """Add a file; what cannot be read is stored as failed, with its reason, and read again when it is added again.

    Args:
        database: the archive.
        settings: its home is where images go.
        candidate: the file.
        reader: the process that reads a batch of files; None starts one for this file.
    """
    if reader is None:
        with ReaderProcess() as own:
            return add_document(database, settings, candidate, own)
    try:
        check_size(candidate.path, candidate.locator)
        sha256 = _sha256(candidate.path)
    except UnreadableDocumentError as error:
        return Added(candidate.locator, Outcome.REJECTED, reason=str(error))
    except OSError as error:
        reason = f"{candidate.locator} cannot be read: {error.strerror or error}"
        return Added(candidate.locator, Outcome.REJECTED, reason=reason)
    identifier = document_id(sha256)
    with database.session() as connection:
        known = stored.find_document(connection, identifier)
        if known is not None and known.status == "done" and known.reader_version == READER_VERSION:
            stored.note_origin(connection, identifier, candidate.message_ids)
            return Added(candidate.locator, Outcome.UNCHANGED, identifier, known.page_count)
    was_read = known is not None and known.status == "done"
    try:
        document = reader.read(candidate.path, name=candidate.locator, kind=candidate.kind)
        images = write_images(document, settings, sha256)
        if document.kind is Kind.IMAGE and images.reason is not None:
            raise UnreadableDocumentError(images.reason)  # noqa: TRY301 (there is nothing else in a picture)
    except UnreadableDocumentError as error:
        if not was_read:
            _store(database, candidate, sha256, None, {}, error=str(error))
        return Added(candidate.locator, Outcome.REJECTED, identifier, reason=str(error))
    _store(database, candidate, sha256, document, images.paths)
    outcome = Outcome.READ_AGAIN if was_read else Outcome.NEW
    notes = (*document.notes, *_undrawn(candidate, document, images))
    return Added(candidate.locator, outcome, identifier, len(document.pages), len(images.paths), notes=notes)


def _undrawn(candidate: Candidate, document: Document, images: WrittenImages) -> Iterator[str]:
    missing = len(document.pages) - len(images.paths)
    if images.reason is not None:
        yield f"{candidate.locator}: {counted(missing, 'page has', 'pages have')} no image: {images.reason}"
    elif images.paths and missing:
        yield f"{candidate.locator}: {counted(missing, 'page')} cannot be drawn"


def remove_document(database: Database, settings: Settings, identifier: str) -> stored.StoredDocument | None:
    """Delete a document and its images; return what was stored of it, None if it is not there."""
    with database.session() as connection:
        known = stored.find_document(connection, identifier)
        if known is None:
            return None
        stored.delete(connection, known.document_id)
    delete_images(settings, known.sha256)
    return known


def remove_unlinked(database: Database, settings: Settings) -> int:
    """Delete documents that came with messages which are all gone or deleted; return how many."""
    with database.session() as connection:
        hashes = stored.delete_unlinked(connection)
    for sha256 in hashes:
        delete_images(settings, sha256)
    return len(hashes)


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(_HASHED_AT_ONCE):
            digest.update(piece)
    return digest.hexdigest()


def _store(
    database: Database,
    candidate: Candidate,
    sha256: str,
    document: Document | None,
    images: dict[int, tuple[str, str]],
    *,
    error: str | None = None,
) -> None:
    counts: Counter[str] = Counter()
    identifier = document_id(sha256)
    suffix = PurePath(candidate.file_name).suffix.lower().removeprefix(".")
    row = {
        "id": identifier,
        "sha256": sha256,
        "file_name": clean_text(candidate.file_name, counts),
        "extension": clean_text(suffix if document is None else document.extension, counts),
        "size_bytes": candidate.path.stat().st_size,
        "source_path": clean_text(candidate.locator, counts),
        "origin": "attachment" if candidate.message_ids else "path",
        "status": "failed" if document is None else "done",
        "error": clean_optional(error, counts),
        "page_count": 0 if document is None else len(document.pages),
        "reader_version": READER_VERSION,
    }
    with database.session() as connection:
        stored.write_document(connection, row, _page_frame(identifier, document, images), candidate.message_ids)


def _page_frame(identifier: str, document: Document | None, images: dict[int, tuple[str, str]]) -> pd.DataFrame:
    counts: Counter[str] = Counter()
    rows = [
        (
            identifier,
            page.number,
            clean_text(page.markdown, counts),
            clean_optional(page.section_path, counts),
            clean_optional(page.parent_heading, counts),
            page.num_headings,
            page.num_tables,
            page.num_pictures,
            *images.get(page.number, (None, None)),
        )
        for page in (() if document is None else document.pages)
    ]
    columns = list(zip(*rows, strict=True)) or [()] * len(_PAGE_COLUMNS)
    return frame(dict(zip(_PAGE_COLUMNS, columns, strict=True)))
