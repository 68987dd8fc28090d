"""What an import left out, told when it is known which files messages point to."""

from __future__ import annotations

from archive_pipeline.ingest.attachments import KeptAttachments
from archive_pipeline.readers.attached_files import attached_as_companions
from archive_pipeline.readers.found import SkippedFile
from archive_pipeline.readers.reading import ArchiveReading
from archive_pipeline.store import attachments as stored
from archive_pipeline.store.database import Database


def left_out(database: Database, reading: ArchiveReading, kept: KeptAttachments) -> list[SkippedFile]:
    """Return what an import left out; attached files that the archive keeps are companions of the export.

    Args:
        database: the archive, after the import.
        reading: what was imported, read to its end.
        kept: what became of attached files.
    """
    if not kept.is_wanted:
        return reading.skipped
    with database.session() as connection:
        ids = {row.file_id for row in stored.known_files(connection) if row.sha256 is not None}
    return attached_as_companions(reading.skipped, reading.companions, ids)
