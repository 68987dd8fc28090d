"""Texts of kept attachments become documents of their own, linked to the messages they came with.

They are documents like those that are added by a path: in pages, cut into chunks, found and cited by file name and page
(decision 17). Pictures hold no text that the readers take, and are left to ``documents add --from-export``.
"""

from __future__ import annotations

from pathlib import PurePosixPath

from archive_pipeline.documents.process import ReaderProcess
from archive_pipeline.documents.reading import READER_VERSION
from archive_pipeline.domain.progress import Progress, no_progress
from archive_pipeline.errors import MissingExtraError
from archive_pipeline.ingest.attachment_store import AttachmentStore
from archive_pipeline.ingest.documents import Added, Candidate, Outcome, add_document
from archive_pipeline.ingest.media_types import READABLE
from archive_pipeline.settings import Settings
from archive_pipeline.store.attachments import TextToRead, texts_to_read
from archive_pipeline.store.database import Database

READING_FILES = "reading attached files"


def read_texts(database: Database, settings: Settings, *, progress: Progress = no_progress) -> list[Added]:
    """Read every kept content with text that is not read, or not linked to a message it came with.

    Args:
        database: the archive; the caller holds the writer lock.
        settings: its home has the contents.
        progress: told of files, as ``reading attached files``.

    Returns:
        what became of each: new, read again, unchanged (only linked), or rejected with the reason.
    """
    with database.session() as connection:
        waiting = texts_to_read(connection, READABLE, reader_version=READER_VERSION)
    store = AttachmentStore.of(settings.home)
    added: list[Added] = []
    with ReaderProcess() as reader:
        for number, text in enumerate(waiting, start=1):
            added.append(_read(database, settings, _candidate(store, text), reader))
            progress(READING_FILES, number, len(waiting))
    return added


def _candidate(store: AttachmentStore, text: TextToRead) -> Candidate:
    """Return the file of a content by the name that the user gave it: of texts its suffix says what they are."""
    name = text.file_name or PurePosixPath(text.found_at).name
    locator = text.found_at if _says(text.found_at, name) else f"{text.found_at}/{name}"
    return Candidate(store.path_of(text.sha256), locator, name, text.message_ids)


def _says(place: str, name: str) -> bool:
    """Tell whether the place of a file ends with its name, as in ``file-1-paper.pdf``."""
    return place.endswith(name) and PurePosixPath(place).suffix == PurePosixPath(name).suffix


def _read(database: Database, settings: Settings, candidate: Candidate, reader: ReaderProcess) -> Added:
    try:
        return add_document(database, settings, candidate, reader)
    except MissingExtraError as error:  # it is read by the first import after the extra is installed
        return Added(candidate.locator, Outcome.SKIPPED, reason=f"{candidate.locator}: {error}")
