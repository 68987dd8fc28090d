"""Worker processes, from the side of the one that has tasks for them."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
from collections import deque
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from multiprocessing.reduction import send_handle
from typing import Any, Final

from archive_pipeline.building.executors.answer import Answer
from archive_pipeline.building.executors.fork_requests import CAN_FORK, Request, Start, WaitFor
from archive_pipeline.building.executors.one_thread import one_thread_environment
from archive_pipeline.building.executors.worker import Begin
from archive_pipeline.building.tasks import Task
from archive_pipeline.errors import WorkerLostError
from archive_pipeline.ingest.child_process import ending, how_ended, start_child

_MODULE: Final = "archive_pipeline.building.executors.fork_server"
_SECONDS_TO_END: Final = 30


class ForkServer:
    """The process that starts workers (``fork_server``), and the connection with it; threads may use it at once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._connection: Connection[Request, int]
        self._connection, other = Pipe()
        with other:
            self._process = start_child(_MODULE, other, one_thread_environment())

    def start(self, connection: Connection[Any, Any]) -> int:
        """Start a worker that serves a connection, and return its process id.

        Raises:
            WorkerLostError: the server has ended.
        """
        try:
            return self._answer(Start(is_forked=CAN_FORK), connection)
        except (EOFError, OSError) as error:
            how = ending(self._process, _SECONDS_TO_END)
            raise WorkerLostError(f"no process can be started: the one that starts them ended {how}") from error

    def wait_for(self, pid: int) -> str:
        """Wait for a worker that is ending, and say how it ended.

        Raises:
            subprocess.TimeoutExpired: it is still there; the server, which waits for it, is ended.
        """
        try:
            return how_ended(self._answer(WaitFor(pid)))
        except (EOFError, OSError):
            return "unseen, since the one that had started it was gone"

    def close(self) -> None:
        """End the server, whatever it does."""
        self._connection.close()
        self._process.kill()
        self._process.wait(_SECONDS_TO_END)

    def _answer(self, request: Request, connection: Connection[Any, Any] | None = None) -> int:
        """Return what the server answers. If nobody waits for that, it is ended: the next request would be given it."""
        with self._lock:
            try:
                return self._ask(request, connection)
            except (EOFError, ConnectionError):
                raise  # it is ending by itself, and how is going to be asked
            except BaseException:
                self.close()
                raise

    def _ask(self, request: Request, connection: Connection[Any, Any] | None) -> int:
        self._connection.send(request)
        if connection is not None:
            send_handle(self._connection, connection.fileno(), self._process.pid)
        elif not self._connection.poll(_SECONDS_TO_END):
            raise subprocess.TimeoutExpired(self._process.args, _SECONDS_TO_END)
        return self._connection.recv()


class Worker:
    """A worker process, the connection with it, and the tasks that it has, which it does one after the other.

    Args:
        server: starts it.
        begin: what it is told first.
    """

    def __init__(self, server: ForkServer, begin: Begin) -> None:
        self.connection: Connection[Any, Answer]
        self.connection, other = Pipe()
        self.tasks: deque[Task] = deque()
        self._server = server
        with other:
            self.pid = server.start(other)
        self._send(begin)

    def begin(self, task: Task) -> None:
        """Have a task done after those before it."""
        self.tasks.append(task)
        self._send(task)

    def answer(self) -> tuple[Any, Answer | None]:
        """Return the first of its tasks and what came of it, once the connection has it; None if the process ended."""
        answer = None
        with contextlib.suppress(EOFError, ConnectionError):
            answer = self.connection.recv()
        return self.tasks.popleft(), answer  # an interrupted one is still busy: the rest of its answer may come

    def end(self) -> str:
        """End the process, whatever it does; return how it ended."""
        self.connection.close()
        with contextlib.suppress(ProcessLookupError):  # without its server nobody keeps its number
            os.kill(self.pid, signal.SIGKILL)
        return self._server.wait_for(self.pid)

    def _send(self, message: Begin | Task) -> None:
        try:
            self.connection.send(message)
        except ConnectionError:
            return  # it ended, which its answer says
