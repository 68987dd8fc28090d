"""Opening the archive for a command."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import psycopg
import sqlalchemy.exc

from archive_pipeline.cli.output import note
from archive_pipeline.errors import DatabaseUnavailableError
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.import_log import only_writer
from archive_pipeline.store.migrate import migrate


@dataclass(frozen=True, slots=True)
class OpenArchive:
    """The settings of a command and its database, migrated."""

    settings: Settings
    database: Database


@contextmanager
def open_archive() -> Iterator[OpenArchive]:
    """Open the archive of the environment; a database that goes away meanwhile is one line, not a traceback."""
    settings = Settings.from_environment()
    try:
        database = Database.open(settings)
        migrate(database)
        yield OpenArchive(settings, database)
    except (psycopg.OperationalError, psycopg.InterfaceError, sqlalchemy.exc.OperationalError) as error:
        reason = str(getattr(error, "orig", error)).strip().splitlines()[0]
        raise DatabaseUnavailableError(f"the database failed ({reason}); run the command again") from error


@contextmanager
def open_for_writing() -> Iterator[OpenArchive]:
    """Open the archive and hold its writer lock, after waiting for another process that has it."""
    with open_archive() as archive, only_writer(archive.database, _say_waiting):
        yield archive


def _say_waiting() -> None:
    note("another process is writing to this archive; waiting for it to finish")
