"""Opening the archive for a command."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import psycopg
import sqlalchemy.exc

from archive_pipeline.cli.output import note
from archive_pipeline.errors import ConfigurationError, DatabaseUnavailableError
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
        database = _connect(settings)
        migrate(database)
        yield OpenArchive(settings, database)
    except (psycopg.OperationalError, psycopg.InterfaceError, sqlalchemy.exc.OperationalError) as error:
        raise DatabaseUnavailableError(f"the database failed ({reason_of(error)}); run the command again") from error


def _connect(settings: Settings) -> Database:
    try:
        return Database.open(settings)
    except (ValueError, sqlalchemy.exc.ProgrammingError) as error:
        raise ConfigurationError(
            f"ARCHIVE_DATABASE_URL cannot be used ({reason_of(error)}); write postgresql://user:password@host:5432/database"
        ) from error
    except DatabaseUnavailableError as error:
        if settings.database_url is None:
            raise
        raise DatabaseUnavailableError(f"{error}; start it, or correct ARCHIVE_DATABASE_URL") from error


def reason_of(error: BaseException) -> str:
    """Return what the database or its driver said, without what SQLAlchemy adds."""
    return (str(getattr(error, "orig", error)).strip() or type(error).__name__).splitlines()[0]


@contextmanager
def open_for_writing() -> Iterator[OpenArchive]:
    """Open the archive and hold its writer lock, after waiting for another process that has it."""
    with open_archive() as archive, only_writer(archive.database, _say_waiting):
        yield archive


def _say_waiting() -> None:
    note("another process is writing to this archive; waiting for it to finish")
