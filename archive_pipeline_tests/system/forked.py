"""Commands in processes that are forked from one that has imported what they need.

Imports are most of a short command: two seconds of processor time, always for the same. A forked process is the
user's in all else: it has a process number, session, environment, output and exit code of its own, gets signals, and
ends as the interpreter ends. What a command does before it has imported anything is for tests that start it anew.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

# What most commands of the tests import.
PRELOADED = (
    "archive_pipeline.cli.import_files",
    "archive_pipeline.cli.commands",
    "archive_pipeline.cli.stats",
    "archive_pipeline.orchestration.build",
    "archive_pipeline.orchestration.instance.opening",
    "archive_pipeline.orchestration.local_runs",
    "py3langid.langid",
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

    def start(
        self, entry: str, arguments: Sequence[str], *, out: Path, err: Path, environment: Mapping[str, str]
    ) -> ForkedProcess:
        """Start a process.

        Args:
            entry: `module:function`, what it calls; its result is the exit code, as in the scripts of a package.
            arguments: the process's `sys.argv`.
            out: the file of its standard output.
            err: the file of its standard error.
            environment: all of its environment.
        """
        request = {
            "entry": entry,
            "argv": [*arguments],
            "out": str(out),
            "err": str(err),
            "environment": {**environment},
            "folder": str(Path.cwd()),
        }
        own, others = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with others:
            socket.send_fds(self._connected(), [json.dumps(request).encode()], [others.fileno()])
        return ForkedProcess(int(own.recv(LINE_BYTES)), own)

    def close(self) -> None:
        """End it; what it forked goes on."""
        if self._control is not None and self._process is not None:
            self._control.close()
            self._process.wait()
            self._control = None

    def _connected(self) -> socket.socket:
        if self._control is None:
            self._control, others = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            with others:
                command = [sys.executable, "-m", __name__, str(others.fileno())]
                self._process = subprocess.Popen(command, pass_fds=[others.fileno()], start_new_session=True)
        return self._control


def _wait_for_request(control: socket.socket) -> dict[str, Any]:
    """Fork a process for each request and return in that; end when nobody can ask any more."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody asks for the exit code of those who wait for commands
    while True:
        message, descriptors, _, _ = socket.recv_fds(control, MESSAGE_BYTES, 1)
        if not message:
            sys.exit(0)
        if os.fork() == 0:
            break
        os.close(descriptors[0])
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    control.close()
    with socket.socket(fileno=descriptors[0]) as asker:
        command = os.fork()
        if command != 0:
            asker.send(str(command).encode())
            _, status = os.waitpid(command, 0)
            with suppress(BrokenPipeError):
                asker.send(str(os.waitstatus_to_exitcode(status)).encode())
            os._exit(0)
    return dict(json.loads(message))


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
    gc.freeze()  # no search for garbage writes to memory that processes share
    request = _wait_for_request(socket.socket(fileno=int(sys.argv[1])))
    _become(request)
    module, _, function = request["entry"].partition(":")
    sys.exit(getattr(import_module(module), function)())


if __name__ == "__main__":
    _main()
