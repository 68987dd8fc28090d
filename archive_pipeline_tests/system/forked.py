"""Commands in processes that are forked from one that has imported what they need.

Imports are most of a short command: two seconds of processor time, always for the same, and the model of languages
takes another half. A forked process is the user's in all else: it has a process number, session, environment, output
and exit code of its own, gets signals, and ends as the interpreter ends. What a command does before it has imported
anything is for tests that start it anew.
"""

from __future__ import annotations

import gc
import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from archive_pipeline.readers.registry import readers
from archive_pipeline.text.language_model import language_model

# What most commands of the tests import.
PRELOADED = (
    "adbc_driver_postgresql.dbapi",
    "archive_pipeline.cli.build",
    "archive_pipeline.cli.commands.import_files",
    "archive_pipeline.cli.import_files",
    "archive_pipeline.cli.stats",
    "archive_pipeline.cli.verify",
    "archive_pipeline.orchestration.build",
    "archive_pipeline.orchestration.instance.archive_instance",
    "archive_pipeline.orchestration.instance.opening",
    "archive_pipeline.orchestration.local_runs",
    "dagster._core.executor.in_process",
    "dagster._core.instance.factory",
    "psycopg2.extras",
    "upath.implementations.local",
)
MESSAGE_BYTES = 1 << 20
LINE_BYTES = 64


class ForkedProcess:
    """A process that another one forked, with what `subprocess.Popen` has for it."""

    def __init__(self, pid: int, end: socket.socket) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self._end = end

    def poll(self) -> int | None:
        """Return the exit code, None while there is none."""
        with suppress(subprocess.TimeoutExpired):
            self.wait(0.0)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Return the exit code, the negative number of the signal that ended it."""
        if self.returncode is None:
            self._end.settimeout(timeout)
            try:
                self.returncode = int(self._end.recv(LINE_BYTES))
            except (TimeoutError, BlockingIOError) as error:
                raise subprocess.TimeoutExpired(str(self.pid), timeout or 0.0) from error
            self._end.close()
        return self.returncode

    def send_signal(self, number: signal.Signals) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


class Forks:
    """The process that forks; it starts with the first command and ends with ``close``, or with this process."""

    def __init__(self) -> None:
        self._control: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._folder = tempfile.TemporaryDirectory(prefix="forks-")

    @property
    def address(self) -> str:
        """Where `start_at` asks for processes, from any process of this user."""
        address = f"{self._folder.name}/socket"
        if self._control is None:
            self._control, others = socket.socketpair(socket.AF_UNIX)
            with others, socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
                listener.bind(address)
                listener.listen()
                passed = [others.fileno(), listener.fileno()]
                command = [sys.executable, "-m", __name__, *map(str, passed)]
                self._process = subprocess.Popen(command, pass_fds=passed, start_new_session=True)
        return address

    def start(
        self, entry: str, arguments: Sequence[str], *, out: Path, err: Path, environment: Mapping[str, str]
    ) -> ForkedProcess:
        """Start a process in the working folder of this one, as `start_at` does."""
        return start_at(self.address, entry, arguments, out=out, err=err, environment=environment, folder=Path.cwd())

    def close(self) -> None:
        """End it; what it forked goes on."""
        if self._control is not None and self._process is not None:
            self._control.close()
            self._process.wait()
            self._control = None
        self._folder.cleanup()


def start_at(
    address: str,
    entry: str,
    arguments: Sequence[str],
    *,
    out: Path,
    err: Path,
    environment: Mapping[str, str],
    folder: Path,
) -> ForkedProcess:
    """Have a process forked.

    Args:
        address: of the `Forks` to ask.
        entry: `module:function`, what it calls; its result is the exit code, as in the scripts of a package.
        arguments: the process's `sys.argv`.
        out: the file of its standard output.
        err: the file of its standard error.
        environment: all of its environment.
        folder: its working folder.
    """
    request = {
        "entry": entry,
        "argv": [*arguments],
        "out": str(out),
        "err": str(err),
        "environment": {**environment},
        "folder": str(folder),
    }
    own = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    own.connect(address)
    own.send(json.dumps(request).encode())
    return ForkedProcess(int(own.recv(LINE_BYTES)), own)


def _wait_for_request(control: socket.socket, listener: socket.socket) -> dict[str, Any]:
    """Fork a process for each request and return in that; end when the process that started this one has."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody asks for the exit code of those who wait for commands
    with selectors.DefaultSelector() as selector:
        selector.register(control, selectors.EVENT_READ)
        selector.register(listener, selectors.EVENT_READ)
        while True:
            if control in {key.fileobj for key, _ in selector.select()}:
                sys.exit(0)
            asker, _ = listener.accept()
            if os.fork() == 0:
                break
            asker.close()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    control.close()
    listener.close()
    with asker:
        request = asker.recv(MESSAGE_BYTES)
        command = os.fork()
        if command != 0:
            asker.send(str(command).encode())
            _, status = os.waitpid(command, 0)
            with suppress(BrokenPipeError):
                asker.send(str(os.waitstatus_to_exitcode(status)).encode())
            os._exit(0)
    return dict(json.loads(request))


def _become(request: Mapping[str, Any]) -> None:
    """Give this process what the command is to have."""
    os.setsid()
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    time.tzset()
    for descriptor, name in ((1, "out"), (2, "err")):
        file = os.open(request[name], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
        os.dup2(file, descriptor)
        os.close(file)
    sys.argv = request["argv"]


def _main() -> None:
    for name in PRELOADED:
        import_module(name)
    readers()
    language_model()
    gc.collect()
    gc.freeze()  # no search for garbage writes to memory that processes share
    control, listener = (socket.socket(fileno=int(number)) for number in sys.argv[1:])
    request = _wait_for_request(control, listener)
    _become(request)
    module, _, function = request["entry"].partition(":")
    sys.exit(getattr(import_module(module), function)())


if __name__ == "__main__":
    _main()
