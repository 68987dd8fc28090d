"""What a command that wrote to the archive does at its end, when all is said."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import psycopg

from archive_pipeline.cli.archive import OpenArchive
from archive_pipeline.cli.output import note
from archive_pipeline.store.database import Database
from archive_pipeline.store.failures import reason_of
from archive_pipeline.store.index_upkeep import rebuild_grown_indexes
from archive_pipeline.store.later_indexes import make_missing_indexes
from archive_pipeline.store.table_upkeep import tidy_tables

# In this order: after its indexes were rebuilt PostgreSQL takes a table for counted.
_STEPS: Final[Mapping[str, Callable[[Database], object]]] = {
    "tables were not tidied": tidy_tables,
    "indexes were not made": make_missing_indexes,
    "indexes were not rebuilt": rebuild_grown_indexes,
}


def tidy(archive: OpenArchive) -> None:
    """Tidy tables, make the indexes that a killed process has left out, and rebuild those of tables that have doubled.

    That it fails is a remark, as what was written is written.
    """
    for failure, step in _STEPS.items():
        try:
            step(archive.database)
        except psycopg.Error as error:
            note(f"{failure} ({reason_of(error)}); the next import, build or night tries again")
