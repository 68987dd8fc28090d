"""The embedded PostgreSQL: started when the first process needs it, stopped when the last one that used it is gone.

Every process that uses the server holds a shared file lock for its lifetime; the kernel releases it even when the
process is killed. Whoever exits and can take the lock exclusively is the last one and stops the server, unless
``llm-archive db url`` asked to keep it for a client of the user's own.
"""

from __future__ import annotations

import atexit
import errno
import os
import re
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import fasteners
import psutil
import psycopg
import sqlalchemy
from sqlalchemy.engine.interfaces import DBAPIConnection

from archive_pipeline.domain.reasons import first_line
from archive_pipeline.errors import DatabaseUnavailableError
from archive_pipeline.store.home import prepare_home
from archive_pipeline.store.server.database import DATABASE, prepare_database
from archive_pipeline.store.server.files import ADMINISTRATOR, ROLE
from archive_pipeline.store.server.process import RECOVERY_SECONDS, START_ATTEMPTS, ServerProcess
from archive_pipeline.store.server.socket import PORT, remove_link, socket_folder

# What the server says of a database in a locale that the machine lacks; only older versions made those.
_MISSING_LOCALE: Final = re.compile(r'initialized with LC_(?:COLLATE|CTYPE) "([^"]*)"')

_servers: dict[Path, EmbeddedServer] = {}


class EmbeddedServer:
    """A handle on the server of one data folder, held by this process until it exits."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._users = fasteners.InterProcessReaderWriterLock(folder.parent / "postgres-users.lock")
        self._startup = fasteners.InterProcessLock(folder.parent / "postgres-startup.lock")
        self._process = ServerProcess(folder)
        self._one_thread = threading.Lock()  # file locks are between processes

    def start(self) -> str:
        """Start the server if it is not running, and return its URL without a driver.

        Raises:
            DatabaseUnavailableError: the server does not come up; the message names its log.
        """
        with self._errors_told():
            with self._one_thread, self._startup:
                self._end_another_version()
            self._users.acquire_read_lock()
        try:
            return self.ensure_running()
        except BaseException:
            self.release()  # what did come up must not stay without a user
            raise

    def ensure_running(self) -> str:
        """Start the server again if it was stopped or killed since; return its URL."""
        with self._errors_told(), self._one_thread, self._startup:
            attempts_left = START_ATTEMPTS
            while True:
                try:
                    return self._start_and_prepare()
                except psycopg.OperationalError:
                    # A server that was killed a moment ago still looks alive, and is gone when it is to answer.
                    attempts_left -= 1
                    if not attempts_left:
                        raise
                    time.sleep(0.5)

    def release(self) -> None:
        """Give up this process's use, and stop the server if nobody else uses it."""
        self._users.release_read_lock()
        if keep_marker(self.folder).exists() or not self._users.acquire_write_lock(blocking=False):
            return
        try:
            self._process.stop()
            remove_link(self.folder)
        finally:
            self._users.release_write_lock()

    def _start_and_prepare(self) -> str:
        if self._process.postmaster() is None:
            self._process.prepare()
            self._process.start()
        clients = socket_folder(self.folder)
        prepare_database(lambda database: self._connect(clients, database))
        return server_url(clients, ROLE, DATABASE, self._process.account.name if clients != self.folder else None)

    def _end_another_version(self) -> None:
        """Stop a server that another version started and nobody uses: it lets others in."""
        if not self._process.listens_elsewhere():
            return
        if not self._users.acquire_write_lock(blocking=False):
            raise DatabaseUnavailableError(
                f"another version of llm-archive is using {self.folder}; end its commands (`up` above all) first"
            )
        try:
            self._process.stop()
        finally:
            self._users.release_write_lock()

    @contextmanager
    def _errors_told(self) -> Iterator[None]:
        try:
            yield
        except (OSError, RuntimeError, psutil.Error, psycopg.Error) as error:
            reason = first_line(error)
            is_full = os.strerror(errno.ENOSPC) in reason
            log = self.folder / "log"
            advice = "make room on its disk (`df -h`, `df -i`)" if is_full else f"see {log}" if log.exists() else None
            raise DatabaseUnavailableError(
                f"the embedded PostgreSQL in {self.folder} does not start ({reason}){f'; {advice}' if advice else ''}"
            ) from error

    def _connect(self, clients: Path, database: str) -> psycopg.Connection[Any]:
        url = server_url(clients, ADMINISTRATOR, database, None)
        deadline = time.monotonic() + RECOVERY_SECONDS
        while True:
            try:
                return psycopg.connect(url, autocommit=True)
            except psycopg.OperationalError as error:
                if missing := _MISSING_LOCALE.search(str(error)):
                    raise DatabaseUnavailableError(
                        f"the embedded PostgreSQL in {self.folder} was made in the locale {missing[1]}, which this "
                        "machine lacks; install it (`locale -a` lists those that are installed)"
                    ) from error
                if "starting up" not in str(error) or time.monotonic() > deadline:
                    raise
                time.sleep(0.2)


def server_url(clients: Path, role: str, database: str, server_user: str | None) -> str:
    """Return the URL by which a role reaches a database.

    Args:
        clients: folder of the socket, as clients see it.
        role: of the database.
        database: its name.
        server_user: whom the server must run as, for clients that come by a folder outside the home.
    """
    peer = f"&requirepeer={quote(server_user, safe='')}" if server_user else ""
    return f"postgresql://{role}@/{database}?host={quote(str(clients), safe='/')}&port={PORT}{peer}"


def embedded_url(folder: Path) -> str:
    """Return the URL of the embedded server of ``folder``, started if it is not running."""
    if folder not in _servers:
        prepare_home(folder.parent)
        server = EmbeddedServer(folder)
        url = server.start()
        _servers[folder] = server
        atexit.register(_release_at_exit, folder)
        return url
    return _servers[folder].ensure_running()


def _release_at_exit(folder: Path) -> None:
    """Give up the server at the end of the process, whose work is done: Ctrl-C has nothing to interrupt any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    release(folder)


def release(folder: Path) -> None:
    """Give up this process's use of the server of ``folder`` now instead of at exit."""
    server = _servers.pop(folder, None)
    if server is not None:
        server.release()


def restart_when_gone(engine: sqlalchemy.Engine, folder: Path) -> None:
    """Have the engine start the server of ``folder`` again when it connects and the server was killed.

    For processes that stay: whichever needs the database first brings it back for all of them.
    """

    @sqlalchemy.event.listens_for(engine, "do_connect")
    def connect(
        dialect: sqlalchemy.Dialect, _record: Any, arguments: tuple[Any, ...], named: dict[str, Any]
    ) -> DBAPIConnection:
        try:
            return dialect.connect(*arguments, **named)
        except dialect.loaded_dbapi.OperationalError:
            embedded_url(folder)
            return dialect.connect(*arguments, **named)


def keep_marker(folder: Path) -> Path:
    """Return the file whose presence keeps the server running after the last process of the project is gone."""
    return folder.parent / "postgres-keep-running"
