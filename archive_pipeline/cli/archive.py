"""Opening the archive for a command."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Final

import psycopg
import sqlalchemy.exc

from archive_pipeline.cli.output import note
from archive_pipeline.errors import ArchiveError, ConfigurationError, DatabaseUnavailableError
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.failures import is_denied, is_read_only, is_transient, is_unavailable, reason_of
from archive_pipeline.store.home import mend_home
from archive_pipeline.store.import_log import only_writer
from archive_pipeline.store.migrate import RIGHTFUL_ROLE, migrate

if TYPE_CHECKING:
    import dagster as dg

# PostgreSQL allocates its log in files of 16 MB.
_FULL_BELOW_BYTES: Final = 16 * 1024 * 1024
# A table with its indexes, statistics and a temporary file or two.
_FULL_BELOW_INODES: Final = 32


@dataclass(frozen=True)
class OpenArchive:
    """The settings of a command and its database, migrated."""

    settings: Settings
    database: Database
    _opened: ExitStack = field(default_factory=ExitStack, repr=False)

    @cached_property
    def instance(self) -> dg.DagsterInstance:
        """The Dagster instance, made when a command first asks for it, and disposed of with the archive."""
        # Dagster takes seconds to import: commands that do without it never do, others when their own work is done.
        from archive_pipeline.orchestration.instance.opening import instance_for  # noqa: PLC0415

        return self._opened.enter_context(instance_for(self.settings))


@contextmanager
def open_archive() -> Iterator[OpenArchive]:
    """Open the archive of the environment; a database that goes away meanwhile is one line, not a traceback."""
    settings = Settings.from_environment()
    if mend_home(settings.home):
        note(f"{settings.home} could be entered by other users; it and what is in it are private now")
    try:
        with _disk_watched(settings), _connected(settings) as database, ExitStack() as opened:
            migrate(database)
            yield OpenArchive(settings, database, opened)
    except Exception as error:
        # What is explained is told as it is.
        explained = None if isinstance(error, ArchiveError) else _explained(error)
        if explained is None:
            raise
        raise DatabaseUnavailableError(explained) from error


def _explained(error: Exception) -> str | None:
    """Return what an error of the database means to the user, None if it is not one of those."""
    if is_read_only(error):
        return f"the database takes no writes ({reason_of(error)}); is it a standby, or set read-only?"
    if denied := _first_of(error, is_denied):
        return f"the archive cannot be used: {reason_of(denied)}; {RIGHTFUL_ROLE}"
    lost = _first_of(error, is_unavailable)
    return f"the database failed ({reason_of(lost)}); run the command again" if lost else None


@contextmanager
def _connected(settings: Settings) -> Iterator[Database]:
    """Yield the database and close its connections at the end: a process may run many commands."""
    database = _connect(settings)
    try:
        yield database
    finally:
        database.engine.dispose()


@contextmanager
def _disk_watched(settings: Settings) -> Iterator[None]:
    """Name a full disk as the cause: a server that cannot write its log just goes away."""
    try:
        yield
    except Exception as error:
        lack = _lack(settings) if is_transient(error) else None
        if lack is None:
            raise
        raise DatabaseUnavailableError(
            f"only {lack} are free: make room on the disk of {settings.home} and run the command again; "
            f"what was committed stays ({reason_of(error)})"
        ) from error


@contextmanager
def translate_lost_database() -> Iterator[None]:
    """Raise ``DatabaseUnavailableError`` for whatever Dagster makes of a database that went away in a run."""
    try:
        yield
    except Exception as error:
        cause = _first_of(error, is_unavailable)
        if cause is None:
            raise
        raise lost_while_building(reason_of(cause)) from error


def lost_while_building(reason: str) -> DatabaseUnavailableError:
    """Return the error of a database that went away in a run; ``reason`` is what it or its driver said."""
    return DatabaseUnavailableError(
        f"the database failed while derived tables were built ({reason}); what was committed stays, run the command "
        "again"
    )


def _first_of(error: BaseException, is_kind: Callable[[BaseException], bool]) -> BaseException | None:
    """Return the error of this kind that caused an error, None if none did."""
    return next((link for link in _chain(error) if is_kind(link)), None)


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _lack(settings: Settings) -> str | None:
    """Return what the disk of an embedded server has too little of: bytes, or inodes for new files."""
    if settings.database_url is not None or not settings.home.exists():
        return None
    disk = os.statvfs(settings.home)
    free = disk.f_bavail * disk.f_frsize
    if free < _FULL_BELOW_BYTES:
        return f"{free / 1e6:.1f} MB"
    # Some file systems have no fixed number of inodes and say 0.
    return f"{disk.f_favail} inodes" if disk.f_files and disk.f_favail < _FULL_BELOW_INODES else None


def _connect(settings: Settings) -> Database:
    try:
        return Database.open(settings)
    except (ValueError, psycopg.ProgrammingError, sqlalchemy.exc.ProgrammingError) as error:
        raise ConfigurationError(
            f"ARCHIVE_DATABASE_URL cannot be used ({reason_of(error)}); write postgresql://user:password@host:5432/database"
        ) from error
    except DatabaseUnavailableError as error:
        if settings.database_url is None:
            raise
        raise DatabaseUnavailableError(f"{error}; start it, or correct ARCHIVE_DATABASE_URL") from error


@contextmanager
def open_for_writing() -> Iterator[OpenArchive]:
    """Open the archive and hold its writer lock, after waiting for another process that has it."""
    with open_archive() as archive, only_writer(archive.database, note):
        yield archive
