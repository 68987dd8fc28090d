"""Dagster's services kept running: what dies is started again, and all of it is stopped, by id.

`orchestration.instance.services` starts a web server, a daemon and a code server, which starts another process with
the code in it. It ends when the web server or the daemon dies, and starts the outer code server again; but when the
process with the code dies it goes on without, and nothing is imported or built any more.
"""

from __future__ import annotations

import signal
import subprocess
import time
from collections import deque
from collections.abc import Callable, Iterable
from typing import Final

import psutil

from archive_pipeline.cli.output import EXIT_FAILED, fail, note

WATCH_SECONDS: Final = 2.0
STOP_SECONDS: Final = 20.0
LEFT_OVER_SECONDS: Final = 5.0
# Who waits longer is told for what.
QUIET_SECONDS: Final = 3.0
# More ends than these within the time are no accidents; nor is one before all parts were there.
MOST_RESTARTS: Final = 5
RESTARTS_WITHIN_SECONDS: Final = 600.0
_CODE_SERVER: Final = "code-server"
# How a command line shows what a process does, the first one that is there.
_PARTS: Final = {
    "spawn_main": "a run",
    "grpc": "the process with the code",
    _CODE_SERVER: "the code server",
    "archive_pipeline.orchestration.instance.daemon": "the daemon",
    "archive_pipeline.orchestration.instance.web_server": "the web server",
    "archive_pipeline.orchestration.instance.services": "what started them",
}

Start = Callable[[], "subprocess.Popen[bytes]"]


def keep_running(start: Start) -> int:
    """Run what ``start`` starts until this process is interrupted or terminated; return its exit code.

    If it ends by itself it is started again, unless it never got to work or keeps ending.
    """
    # Also SIGINT: a shell that starts a command in the background has it ignored.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _interrupt)
    try:
        return _restart(start)
    except KeyboardInterrupt:
        note("stopped")
        return 0


def _restart(start: Start) -> int:
    ends: deque[float] = deque(maxlen=MOST_RESTARTS)
    while True:
        watch = _Watch(start())
        try:
            code = watch.until_end()
        finally:
            watch.stop()
        now = time.monotonic()
        if not watch.was_complete or (len(ends) == MOST_RESTARTS and now - ends[0] < RESTARTS_WITHIN_SECONDS):
            fail(f"Dagster ended by itself (exit code {code}); what it printed says why")
            return EXIT_FAILED
        ends.append(now)
        note("a part of Dagster ended unexpectedly; starting it again")


def _interrupt(_signal: int, _frame: object) -> None:
    raise KeyboardInterrupt


class _Watch:
    """What the services started at one time.

    Attributes:
        was_complete: every part of it was there at some time.
    """

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._seen: set[psutil.Process] = set()
        self._with_code: set[psutil.Process] = set()
        self.was_complete = False

    def until_end(self) -> int:
        """Wait for its end; end code servers that have lost the process with the code, which has them replaced."""
        while True:
            try:
                return self._process.wait(WATCH_SECONDS)
            except subprocess.TimeoutExpired:
                self._look()

    def stop(self) -> None:
        """Stop the process and all it started: they sit in sessions of their own and outlive a group signal."""
        self._remember()
        has_ended = self._process.poll() is not None
        if not has_ended:
            note("stopping the web server, the daemon and the code server; what runs have committed stays")
            self._process.send_signal(signal.SIGINT)
        # Nobody tells what is left of one that has ended by itself to stop; its runs are started again anyhow.
        patience = LEFT_OVER_SECONDS if has_ended else STOP_SECONDS
        _end(self._seen, told_to_stop=not has_ended, patience=patience)

    def _look(self) -> None:
        self._remember()
        for server in filter(_is_code_server, self._parts()):
            if _children(server):
                self._with_code.add(server)
                self.was_complete = True
            elif server in self._with_code:
                note("the process with the code ended unexpectedly; starting it again")
                _signal(server, psutil.Process.kill)

    def _parts(self) -> list[psutil.Process]:
        return _children(psutil.Process(self._process.pid)) if self._process.poll() is None else []

    def _remember(self) -> None:
        # Of a process that has ended one cannot ask any more what it started.
        if self._process.poll() is None:
            parent = psutil.Process(self._process.pid)
            self._seen |= {parent, *_children(parent, recursive=True)}
        self._seen = {process for process in self._seen if process.is_running()}


def _children(process: psutil.Process, *, recursive: bool = False) -> list[psutil.Process]:
    try:
        return [child for child in process.children(recursive=recursive) if _is_alive(child)]
    except psutil.NoSuchProcess:
        return []


def _is_alive(process: psutil.Process) -> bool:
    try:
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def _is_code_server(process: psutil.Process) -> bool:
    return _CODE_SERVER in _command_line(process)


def _command_line(process: psutil.Process) -> list[str]:
    try:
        return list(process.cmdline())
    except psutil.NoSuchProcess:
        return []


def _end(processes: Iterable[psutil.Process], *, told_to_stop: bool, patience: float) -> None:
    alive = list(processes)
    if told_to_stop:
        _gone, alive = psutil.wait_procs(alive, timeout=min(QUIET_SECONDS, patience))
        if alive:
            note(f"still waiting for {_described(alive)}, {patience:.0f} seconds at most; then they are ended")
            _gone, alive = psutil.wait_procs(alive, timeout=max(0.0, patience - QUIET_SECONDS))
    for end in (psutil.Process.terminate, psutil.Process.kill):
        for survivor in alive:
            _signal(survivor, end)
        _gone, alive = psutil.wait_procs(alive, timeout=patience)


def _described(processes: Iterable[psutil.Process]) -> str:
    parts = sorted({part for process in processes if (part := _part(process)) is not None})
    return ", ".join(parts) or "the last process"


def _part(process: psutil.Process) -> str | None:
    words = " ".join(_command_line(process))
    return next((part for word, part in _PARTS.items() if word in words), None)


def _signal(process: psutil.Process, send: Callable[[psutil.Process], None]) -> None:
    try:
        send(process)
    except psutil.NoSuchProcess:
        return
