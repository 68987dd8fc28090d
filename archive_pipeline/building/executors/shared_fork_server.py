"""The one process that all workers of this one are forked from, whichever executors they work for."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from archive_pipeline.building.executors.worker import Begin
from archive_pipeline.building.executors.worker_processes import ForkServer, Worker
from archive_pipeline.errors import WorkerLostError


class SharedForkServer:
    """A `ForkServer` that is started when it is needed, or before, and ends when nobody holds it any more.

    Threads may use it at the same time.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._holders = 0
        self._server: ForkServer | None = None

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep the server, once it is started, to the end of the block."""
        with self._lock:
            self._holders += 1
        try:
            yield
        finally:
            with self._lock:
                self._holders -= 1
                if self._holders == 0:
                    self._end()

    def start_ahead(self) -> None:
        """Start the server, which loads what workers need while this process does something else."""
        with self._lock:
            if self._server is None:
                self._server = ForkServer()

    def start_worker(self, begin: Begin) -> Worker:
        """Start a worker; if the server has ended since it was started, start that again, too.

        Raises:
            WorkerLostError: a server ended that was started for this worker.
        """
        with self._lock:
            if self._server is not None:
                try:
                    return Worker(self._server, begin)
                except WorkerLostError:
                    self._end()
            self._server = ForkServer()
            return Worker(self._server, begin)

    def forget(self) -> None:
        """Leave the server to the process that this one is a fork of."""
        self._lock = threading.Lock()
        self._holders = 0
        self._server = None

    def _end(self) -> None:
        if self._server is not None:
            self._server.close()
            self._server = None


SHARED: Final = SharedForkServer()
os.register_at_fork(after_in_child=SHARED.forget)
