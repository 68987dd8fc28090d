"""The import of files into ``raw``: one bad record never costs another, and an interrupted import can be repeated.

Dialogues are written in groups, a transaction each (``file_import``). Large files, and many small ones, are read by
other processes, ahead of what is being written (``ahead``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import sqlalchemy.exc

from archive_pipeline.domain.progress import Progress, no_progress
from archive_pipeline.errors import DatabaseUnavailableError
from archive_pipeline.ingest.ahead import ReadAhead
from archive_pipeline.ingest.collection import seldom_collected
from archive_pipeline.ingest.file_import import FileImport
from archive_pipeline.ingest.groups import ImportContext
from archive_pipeline.ingest.processors import available_processors
from archive_pipeline.ingest.seen import Seen, StateKey
from archive_pipeline.ingest.shards import missing_shards
from archive_pipeline.ingest.summary import ImportSummary
from archive_pipeline.readers.reading import ArchiveReading, FileReading
from archive_pipeline.store import import_log
from archive_pipeline.store.database import Database
from archive_pipeline.store.deleted_dialogues import deleted_dialogues
from archive_pipeline.store.failures import is_systemic, reason_of
from archive_pipeline.store.raw_writes import column_kinds
from archive_pipeline.text.sanitize import clean_text


def import_archive(
    database: Database,
    reading: ArchiveReading,
    *,
    is_partial: bool = False,
    workers: int | None = None,
    progress: Progress = no_progress,
) -> ImportSummary:
    """Import every file of ``reading``; return what was done.

    Args:
        database: where to.
        reading: the files.
        is_partial: messages that the files do not have stay (they are soft-deleted otherwise).
        workers: how many processes may be busy with large imports, the one that writes among them; None for one more
            than there are processors, or 1 on one.
        progress: told of bytes of the files, as ``reading``, after each group and each file.

    Raises:
        DatabaseUnavailableError: the database went away or is full; what was committed stays, nothing is half-written.
        ReaderProcessError: a process that reads ahead ended; what was committed stays.
    """
    summary = ImportSummary()
    seen: dict[StateKey, Seen] = {}
    deleted = _deleted_for_good(database)

    def tell() -> None:
        reading.tell(progress)

    tell()
    most = _best_workers() if workers is None else workers
    with ReadAhead(reading, column_kinds(), is_partial=is_partial, workers=most) as ahead:
        for file in reading:
            with _database_errors(file), seldom_collected():
                context = ImportContext(_start(database, file, is_partial=is_partial), is_partial, deleted)
                one = FileImport(database, file, context, total=summary, seen=seen, on_step=tell)
                one.run(ahead.groups(file))
    summary.missing = [*missing_shards(file.locator for file in reading.files), *reading.missing]
    summary.not_understood = [*reading.not_understood, *summary.missing]
    return summary


def _deleted_for_good(database: Database) -> frozenset[str]:
    """Return the ids of dialogues that were deleted for good; the caller's lock keeps others from deleting more."""
    with database.session() as connection:
        return frozenset(dialogue.id for dialogue in deleted_dialogues(connection))


def _best_workers() -> int:
    """Return one more than there are processors, as the one that writes mostly waits; it alone reads too, on one."""
    processors = available_processors()
    return processors + 1 if processors > 1 else 1


def _start(database: Database, file: FileReading, *, is_partial: bool) -> str:
    """Note that the import of a file begins; return the import's id."""
    with database.session() as connection:
        return import_log.start(connection, clean_text(file.locator, Counter()), is_partial=is_partial)


@contextmanager
def _database_errors(file: FileReading) -> Iterator[None]:
    try:
        yield
    except (psycopg.Error, sqlalchemy.exc.SQLAlchemyError) as error:
        if not is_systemic(error):
            raise
        raise DatabaseUnavailableError(
            f"{file.locator}: the database failed after {file.bytes_read:,} bytes were read ({reason_of(error)}); "
            "what was committed stays, run the import again"
        ) from error
