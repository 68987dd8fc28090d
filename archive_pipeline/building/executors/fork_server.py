"""The process that worker processes are forked from: what they need is loaded once, and its memory is theirs together.

``worker_processes.ForkServer`` starts it, and asks by the connection for workers and for how they ended. It ends when
nobody is at the other end; its workers, which have connections of their own, do so by themselves.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import traceback
from collections.abc import Callable
from functools import cache, partial
from importlib import import_module
from multiprocessing.connection import Connection
from multiprocessing.reduction import recv_handle
from typing import Any, NoReturn

from archive_pipeline.building.executors import worker
from archive_pipeline.building.executors.fork_requests import CAN_FORK, Request, WaitFor
from archive_pipeline.building.executors.models import load_models
from archive_pipeline.ingest.child_process import start_child


def serve(connection: Connection[int, Request]) -> None:
    """Answer what is asked until the connection ends."""
    ends: dict[int, Callable[[], int]] = {}
    while True:
        request = connection.recv()
        if isinstance(request, WaitFor):
            connection.send(ends.pop(request.pid)())
        else:
            pid, end = _started(connection, recv_handle(connection), is_forked=request.is_forked)
            ends[pid] = end
            connection.send(pid)


def _started(connection: Connection[Any, Any], handle: int, *, is_forked: bool) -> tuple[int, Callable[[], int]]:
    """Start a worker; return its process id and what waits for its end."""
    with Connection(handle) as of_worker:
        if not is_forked:
            process = start_child(worker.__name__, of_worker)
            return process.pid, process.wait
        _load()
        pid = os.fork()
        if pid == 0:
            connection.close()
            _work(of_worker)
        return pid, partial(_exit_code, pid)


@cache
def _load() -> None:
    """Load what workers would load each for itself."""
    import_module("adbc_driver_postgresql.dbapi")  # and what makes frames, each when it is first needed
    load_models()
    gc.collect()
    gc.freeze()  # the collector of a worker would write to what is shared, which copies it


def _work(connection: Connection[Any, Any]) -> NoReturn:
    """Be a worker to the end: what is above on the stack is the server's."""
    code = 0
    try:
        worker.work(connection)
    except BaseException:  # noqa: BLE001 (as at the end of any program)
        traceback.print_exc()
        code = 1
    os._exit(code)


def _exit_code(pid: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def main() -> None:
    """Serve the connection whose file descriptor is the first argument."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the one who asks says when it is over
    if CAN_FORK:
        _load()  # before anything is asked: who starts this ahead has something else to do first
    try:
        serve(Connection(int(sys.argv[1])))
    except (EOFError, ConnectionError):
        return
