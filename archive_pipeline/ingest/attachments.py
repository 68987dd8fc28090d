"""Keeping the files that messages came with: found in the container of an import, stored once, told missing if not.

What messages point to is looked up after the import of the conversations, in the whole archive: a file may come with a
later export than its dialogue, even if that has not changed. The other way round nothing is kept: a file that no
message points to is nobody's attachment. All of it can be repeated after a crash at any point and ends the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, NamedTuple

from more_itertools import chunked

from archive_pipeline.domain.choices import AttachmentHandling
from archive_pipeline.domain.progress import Progress, no_progress
from archive_pipeline.domain.records import RejectedRecord
from archive_pipeline.errors import UnreadableInputError
from archive_pipeline.ingest.attachment_owner import Owner
from archive_pipeline.ingest.attachment_store import AttachmentStore
from archive_pipeline.ingest.attachment_texts import read_texts
from archive_pipeline.ingest.documents import Added, remove_unlinked
from archive_pipeline.ingest.summary import ImportSummary
from archive_pipeline.readers.attached_files import AttachedFile, attached_files
from archive_pipeline.readers.file_ids import id_in_name, pointed_id
from archive_pipeline.readers.found import is_container
from archive_pipeline.readers.reading import ArchiveReading
from archive_pipeline.settings import Settings
from archive_pipeline.store import attachments as stored
from archive_pipeline.store.database import Database
from archive_pipeline.text.sanitize import clean_optional, clean_text

STORING: Final = "storing attached files"
_DIALOGUES_PER_QUESTION: Final = 500
_FILES_PER_TRANSACTION: Final = 100
_READ_ERRORS: Final = (OSError, UnreadableInputError)


@dataclass
class KeptAttachments:
    """What became of the files that the dialogues of an import point to.

    Attributes:
        stored, stored_bytes: contents that were not kept before.
        unchanged: files whose content was kept already.
        repaired: contents whose kept copy was lost or damaged, and was made anew.
        missing: names of files that no import had, by their ids; None where no export names one.
        unreadable: files of the container that cannot be read, though messages point to them, and damaged zips.
        unclaimed: files that no message in the archive points to, which are not kept.
        texts: what became of the texts in them.
        ids: of all files whose content the archive has kept, earlier imports' included.
        is_wanted: files are kept; False if they are left in the exports, and nothing was looked for.
    """

    stored: int = 0
    stored_bytes: int = 0
    unchanged: int = 0
    repaired: int = 0
    missing: dict[str, str | None] = field(default_factory=dict)
    unreadable: list[RejectedRecord] = field(default_factory=list)
    unclaimed: int = 0
    texts: list[Added] = field(default_factory=list)
    ids: set[str] = field(default_factory=set)
    is_wanted: bool = True


def attachments_of_import(
    database: Database,
    settings: Settings,
    reading: ArchiveReading,
    summary: ImportSummary,
    *,
    is_wanted: bool = True,
    progress: Progress = no_progress,
) -> KeptAttachments:
    """Do what follows imports and mirroring: keep files, read their texts, remove what no message points to.

    Args:
        database: the archive; the caller holds the writer lock since before the import.
        settings: ``attachments`` says whether files are kept, too.
        reading: what was imported, read to its end.
        summary: what the import did.
        is_wanted: files of this import are kept.
        progress: told of the stages of ``keep_attachments`` and ``read_texts``.

    Returns:
        what became of the files; nothing if they are not wanted.
    """
    kept = KeptAttachments(is_wanted=False)
    if is_wanted and settings.attachments is AttachmentHandling.KEEP:
        met = {dialogue for ids in summary.present.values() for dialogue in ids}
        kept = keep_attachments(database, settings, reading, met, progress=progress)
    purge_unreferenced(database, settings)
    if kept.is_wanted:
        kept.texts = read_texts(database, settings, progress=progress)
    return kept


def keep_attachments(
    database: Database,
    settings: Settings,
    reading: ArchiveReading,
    dialogue_ids: Iterable[str],
    *,
    progress: Progress = no_progress,
) -> KeptAttachments:
    """Keep the attached files of an import.

    Args:
        database: the archive; the caller holds the writer lock since before the import.
        settings: its home is where contents go.
        reading: what was imported, read to its end.
        dialogue_ids: of the dialogues that the import met.
        progress: told of the bytes that were read, as ``storing attached files``.

    Raises:
        ArchiveError: nothing can be written.
    """
    ids = sorted(dialogue_ids)
    for some in chunked(ids, _DIALOGUES_PER_QUESTION):
        with database.session() as connection:
            pointers = stored.pointers_of(connection, some)
            files = [(row, file_id) for row in pointers if (file_id := pointed_id(row.pointer))]
            stored.replace_files(connection, some, files)
    kept = _Keeping(database, AttachmentStore.of(settings.home), reading, progress).run()
    looked_in = "\n".join(clean_text(place.name, Counter()) for place in reading.places)
    for some in chunked(ids, _DIALOGUES_PER_QUESTION):
        with database.session() as connection:
            missing = stored.note_missing(connection, some, looked_in)
        kept.missing.update({row.file_id: row.file_name for row in missing})
    return kept


class Purged(NamedTuple):
    """What became of contents that no message points to.

    Attributes:
        contents: how many there were.
        elsewhere: of how many this home has no file; another machine may have it.
        shared: of how many the file stays, since another archive in this home has written it.
    """

    contents: int
    elsewhere: int = 0
    shared: int = 0


def purge_unreferenced(database: Database, settings: Settings) -> Purged:
    """Remove contents that no message points to any more, and documents of no live message.

    Contents stay with deleted messages, which may come back; derived rows, and what search finds, follow live ones.
    So are files that this archive wrote and no row speaks of: a process was killed between the file and its row, or
    another machine deleted the row.
    """
    remove_unlinked(database, settings)
    store = AttachmentStore.of(settings.home)
    with database.session() as connection:
        owner = Owner.of(store.folder, connection)
        store.claim(owner, partial(stored.known_contents, connection))  # while it still says what it keeps
        hashes = stored.delete_unreferenced(connection)
    there = {sha256 for sha256 in hashes if store.path_of(sha256).exists()}
    with database.session() as connection:  # now that no row speaks of them
        store.remove_strays(owner, partial(stored.known_contents, connection))
    left = sum(store.path_of(sha256).exists() for sha256 in there)
    return Purged(len(hashes), elsewhere=len(hashes) - len(there), shared=left)


class _Keeping:
    """The files of one import on their way into the store."""

    def __init__(self, database: Database, store: AttachmentStore, reading: ArchiveReading, progress: Progress) -> None:
        self._database = database
        self._store = store
        self._reading = reading
        self._progress = progress
        self._kept = KeptAttachments()
        self._waiting: list[dict[str, Any]] = []
        self._bytes = 0
        self._intact: dict[str, bool] = {}
        with database.session() as connection:
            self._known = {row.file_id: row for row in stored.known_files(connection)}
            self._owner = Owner.of(store.folder, connection)
            store.claim(self._owner, partial(stored.known_contents, connection))

    def run(self) -> KeptAttachments:
        """Store what messages point to."""
        told = {file.locator for file in self._reading.files}
        for item in attached_files(self._reading.places, self._reading.companions, self._known):
            if isinstance(item, AttachedFile):
                self._keep(item)
            elif item.locator not in told and self._is_of_interest(item):
                self._kept.unreadable.append(item)
            if len(self._waiting) == _FILES_PER_TRANSACTION:
                self._flush()
        self._flush()
        self._kept.ids = {row.file_id for row in self._known.values() if row.sha256 is not None}
        return self._kept

    def _keep(self, file: AttachedFile) -> None:
        known = [self._known[file_id] for file_id in file.ids if file_id in self._known]
        if not known:
            self._kept.unclaimed += 1
            return
        if file.size == 0:
            return  # what an export has in the place of a file that it lacks
        if all(self._has_as_much(row, file.size) for row in known):
            self._kept.unchanged += 1
            return
        try:
            with file.open() as stream:
                content = self._store.add(stream, self._owner)
        except _READ_ERRORS as error:
            reason = f"{file.locator} cannot be read, and was not kept"
            technical = f"{type(error).__name__}: {error}"
            self._kept.unreadable.append(RejectedRecord(file.locator, reason, technical))
            return
        for row in known:
            if row.size_bytes is None or row.size_bytes < content.size_bytes:
                self._known[row.file_id] = stored.KnownFile(row.file_id, content.sha256, content.size_bytes)
        if self._intact.get(content.sha256) is False:
            self._intact[content.sha256] = True
            self._kept.repaired += 1
        self._bytes += content.size_bytes
        self._progress(STORING, self._bytes, self._bytes)
        self._waiting.append(
            {
                "sha256": content.sha256,
                "size_bytes": content.size_bytes,
                "media_type": content.media_type,
                "file_ids": list(file.ids),
                "file_name": clean_optional(file.file_name, Counter()),
                "found_at": clean_text(file.locator, Counter()),
            }
        )

    def _has_as_much(self, row: stored.KnownFile, size: int) -> bool:
        """Tell whether what is kept of a file is no less than what the container has; ids are given once.

        A kept copy that is as long is read, once: a damaged one is the container's to replace.
        """
        if row.sha256 is None or row.size_bytes is None or row.size_bytes < size:
            return False
        if row.size_bytes > size:
            return self._store.has(row.sha256, row.size_bytes)
        if row.sha256 not in self._intact:
            self._intact[row.sha256] = self._store.is_intact(row.sha256)
        return self._intact[row.sha256]

    def _is_of_interest(self, record: RejectedRecord) -> bool:
        """Tell whether what cannot be read is a zip, or a file that messages point to."""
        name = record.locator.rpartition("/")[2]
        file_id = id_in_name(name)
        return file_id in self._known if file_id else is_container(name)

    def _flush(self) -> None:
        waiting, self._waiting = self._waiting, []
        if not waiting:
            return
        self._store.flush({content["sha256"]: None for content in waiting})
        with self._database.session() as connection:
            before = stored.known_contents(connection, [content["sha256"] for content in waiting])
            stored.give_contents(connection, waiting)
        new = {content["sha256"]: content["size_bytes"] for content in waiting if content["sha256"] not in before}
        self._kept.stored += len(new)
        self._kept.stored_bytes += sum(new.values())
        self._kept.unchanged += len(waiting) - len(new)
