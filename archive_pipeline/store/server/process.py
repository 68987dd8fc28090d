"""The embedded server as files and a process: making its data folder, starting it, stopping it, whoever started it."""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

import psutil

from archive_pipeline.errors import DatabaseUnavailableError
from archive_pipeline.store.server.account import name_of, server_account, this_user
from archive_pipeline.store.server.files import ADMINISTRATOR, ServerFiles, configure
from archive_pipeline.store.server.programs import run_program
from archive_pipeline.store.server.socket import PORT, SOCKET

RECOVERY_SECONDS: Final = 300
STOP_SECONDS: Final = 60.0
ORPHAN_SECONDS: Final = 5.0
START_ATTEMPTS: Final = 6
# Of the write-ahead log, which keeps some whole segments at rest: with PostgreSQL's 16 a small archive is mostly log.
WAL_SEGMENT_MEGABYTES: Final = 1
# Of PostgreSQL itself, not of the machine: letters of all scripts have cases, texts are in the order of code points,
# and a copy of the folder starts anywhere.
LOCALE: Final = ("--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8")
# Relative to the data folder, and so of any length.
SOCKET_PLACE: Final = "."
_SOCKET_LINE: Final = 4
_ROOT: Final = 0
_LOG_BYTES: Final = 8_192
_ENDED: Final = frozenset({psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD})


class ServerProcess:
    """The server of a data folder. Whoever changes something holds the home's start-up lock."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.account = server_account()

    def prepare(self) -> None:
        """Make the data folder if it is missing, and write the configuration; the server must not run."""
        if not _is_initialised(self.folder):
            self._initialise()
        self._take_over()
        configure(self.folder, self.account, this_user())

    def start(self) -> None:
        """Start the server, or wait for one that is being started.

        Raises:
            RuntimeError: it does not start; the message has the reason its log gives.
        """
        for attempts_left in reversed(range(START_ATTEMPTS)):
            self._clear_after_a_crash()
            if self.postmaster() is not None or self._run_control():
                return
            if not attempts_left:
                raise RuntimeError(self._reason())
            time.sleep(0.5)  # processes of a server that was killed a moment ago may still hold its memory

    def stop(self) -> None:
        """Stop the server, whichever process started it. Nothing is opened or created for it."""
        for number in (signal.SIGINT, signal.SIGQUIT):  # "fast", then "immediate"
            server = self.postmaster()
            if server is None:
                return
            with suppress(psutil.NoSuchProcess):
                server.send_signal(number)
                _wait_for_end(server, STOP_SECONDS)

    def postmaster(self) -> psutil.Process | None:
        """Return the running server's main process."""
        with suppress(OSError, ValueError, IndexError, psutil.Error):
            process = psutil.Process(int(self._pid_lines()[0]))
            return process if _is_server(process) and self._is_of_this_folder(process) else None
        return None

    def listens_elsewhere(self) -> bool:
        """Tell whether a running server has its socket in another folder: one that another version started."""
        with suppress(OSError, IndexError):
            return self.postmaster() is not None and self._pid_lines()[_SOCKET_LINE] != SOCKET_PLACE
        return False

    def _initialise(self) -> None:
        # In a folder beside, which is renamed when it is complete: one that was interrupted would not be told from it.
        # The program may outlive the process that ran it, so each has a folder of its own.
        home, prefix = self.folder.parent, f"{self.folder.name}-partial-"
        for left in home.glob(f"{prefix}*"):
            shutil.rmtree(left, ignore_errors=True)
        partial = Path(tempfile.mkdtemp(prefix=prefix, dir=home))
        if self.account.is_other:
            os.chown(partial, self.account.uid, self.account.gid)
        done = run_program(
            "initdb",
            *("--auth=peer", "--encoding=utf8", *LOCALE, f"--username={ADMINISTRATOR}", "--no-instructions"),
            f"--wal-segsize={WAL_SEGMENT_MEGABYTES}",
            folder=partial,
            account=self.account,
        )
        if done.returncode:
            shutil.rmtree(partial, ignore_errors=True)
            raise RuntimeError(_first_line(done.stderr))
        if self.folder.exists() and any(self.folder.iterdir()):
            self.folder.rename(self.folder.with_name(f"{self.folder.name}-incomplete-{time.time_ns()}"))
        partial.rename(self.folder)

    def _take_over(self) -> None:
        """Give the data folder to the server's user where it came from another machine or a copy made by root."""
        owner = self.folder.stat().st_uid
        if owner == self.account.uid:
            return
        name = name_of(owner)
        if not self.account.is_other or (owner != _ROOT and name is not None):
            raise DatabaseUnavailableError(
                f"the embedded PostgreSQL in {self.folder} belongs to {name or f'user number {owner}'}; "
                "run the command as that user, or set ARCHIVE_HOME"
            )
        for path in _all_below(self.folder):
            os.lchown(path, self.account.uid, self.account.gid)

    def _run_control(self) -> bool:
        settings = f"-c unix_socket_permissions=0700 -c cluster_name={self._cluster_name}"
        done = run_program(
            "pg_ctl",
            *("start", "-s", "-w", "-t", str(RECOVERY_SECONDS), "-l", "log"),
            *("-o", f"-h '' -k {SOCKET_PLACE} -p {PORT} {settings}"),
            folder=self.folder,
            account=self.account,
        )
        return done.returncode == 0

    @property
    def _cluster_name(self) -> str:
        """What the server's processes show in the list of processes, and by which they are known again."""
        state = self.folder.stat()
        return f"llm-archive-{hashlib.sha256(f'{state.st_dev}-{state.st_ino}'.encode()).hexdigest()[:10]}"

    def _clear_after_a_crash(self) -> None:
        # The number in postmaster.pid is that of no running server if, after a reboot, it belongs to another program,
        # or if the server was killed: in a container without init it then stays a zombie. PostgreSQL would take either
        # for a running server, and the socket's lock file names it too.
        file = self.folder / "postmaster.pid"
        if file.exists() and self.postmaster() is None:
            self._wait_for_orphans()
            (self.folder / f"{SOCKET}.lock").unlink(missing_ok=True)
            file.unlink(missing_ok=True)

    def _wait_for_orphans(self) -> None:
        """Wait until the processes of a killed server are gone: another one must not start beside them.

        Most end by themselves at once. One that waits for a lock would wait for ever, since whoever held it is gone:
        it is killed, which loses nothing that the server's end has not lost already.
        """
        orphans = [process for process in psutil.process_iter() if self._is_alive_here(process)]
        _ended, left = psutil.wait_procs(orphans, timeout=ORPHAN_SECONDS)
        for process in left:
            with suppress(psutil.NoSuchProcess):
                process.kill()
        if any(self._is_alive_here(process) for process in psutil.wait_procs(left, timeout=ORPHAN_SECONDS)[1]):
            raise RuntimeError("processes of a killed server are still running")

    def _is_alive_here(self, process: psutil.Process) -> bool:
        try:
            return _is_server(process) and self._is_of_this_folder(process)
        except psutil.Error:
            return False

    def _is_of_this_folder(self, process: psutil.Process) -> bool:
        # In a container root may not look at the working folders of others.
        title = " ".join(process.cmdline())
        if self._cluster_name in title or str(self.folder) in title:
            return True
        with suppress(psutil.AccessDenied, OSError):
            return Path(process.cwd()) == self.folder.resolve()
        return False

    def _pid_lines(self) -> list[str]:
        return ServerFiles(self.folder, self.account).read("postmaster.pid").splitlines()

    def _reason(self) -> str:
        """Return why the server did not start, as its log says."""
        with suppress(OSError):
            lines = ServerFiles(self.folder, self.account).read("log")[-_LOG_BYTES:].splitlines()
            for line in reversed(lines):
                if "FATAL:" in line or "PANIC:" in line:
                    return line
        return "its log does not say why"


def _is_initialised(folder: Path) -> bool:
    return (folder / "PG_VERSION").exists() and (folder / "global" / "pg_control").exists()


def _is_server(process: psutil.Process) -> bool:
    return "postgres" in process.name() and process.status() not in _ENDED


def _wait_for_end(process: psutil.Process, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while process.is_running() and process.status() not in _ENDED and time.monotonic() < deadline:
        time.sleep(0.01)


def _all_below(folder: Path) -> Iterator[Path]:
    for path, names, files in os.walk(folder):
        yield Path(path)
        yield from (Path(path, name) for name in (*names, *files))


def _first_line(text: str) -> str:
    return next((line for line in text.splitlines() if line.strip()), "initdb said nothing")
