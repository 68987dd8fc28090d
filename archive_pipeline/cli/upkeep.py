"""What a command that wrote to the archive does at its end, when all is said."""

from __future__ import annotations

import psycopg

from archive_pipeline.cli.archive import OpenArchive
from archive_pipeline.cli.output import note
from archive_pipeline.store.failures import reason_of
from archive_pipeline.store.index_upkeep import rebuild_grown_indexes


def rebuild_indexes(archive: OpenArchive) -> None:
    """Rebuild the indexes of tables that have doubled; that it fails is a remark, as what was written is written."""
    try:
        rebuild_grown_indexes(archive.database)
    except psycopg.Error as error:
        note(f"indexes were not rebuilt ({reason_of(error)}); the next import, build or night tries again")
