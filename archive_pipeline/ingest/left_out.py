"""What an import left out, told when it is known which files messages point to."""

from __future__ import annotations

from archive_pipeline.ingest.attachments import KeptAttachments
from archive_pipeline.readers.attached_files import attached_as_companions
from archive_pipeline.readers.found import SkippedFile
from archive_pipeline.readers.reading import ArchiveReading


def left_out(reading: ArchiveReading, kept: KeptAttachments) -> list[SkippedFile]:
    """Return what an import left out; attached files that the archive keeps are companions of the export.

    Args:
        reading: what was imported, read to its end.
        kept: what became of attached files.
    """
    if not kept.is_wanted:
        return reading.skipped
    return attached_as_companions(reading.skipped, reading.companions, kept.ids)
