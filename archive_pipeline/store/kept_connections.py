"""Connections that whoever reads next uses again, while somebody says so.

A new connection begins with empty caches of the catalogue: to open one, and plan its first queries, takes longer than
to read a thousand messages.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any

from archive_pipeline.store.idle_connections import ASKED_AFTER_SECONDS


class KeptConnections:
    """Lends connections, each to one reader at a time; threads may ask at once.

    Args:
        open_connection: opens one.
    """

    def __init__(self, open_connection: Callable[[], Any]) -> None:
        self._open = open_connection
        self._lock = Lock()
        self._keepers = 0
        self._idle: list[tuple[float, Any]] = []

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Keep what is given back for the next reader, until the end of the block."""
        with self._lock:
            self._keepers += 1
        try:
            yield
        finally:
            with self._lock:
                self._keepers -= 1
                ended = [] if self._keepers else self._take_all()
            for connection in ended:
                connection.close()

    @contextmanager
    def lent(self) -> Iterator[Any]:
        """Yield a connection. One on which something failed is not kept."""
        connection = self._take()
        try:
            yield connection
        except BaseException:
            connection.close()
            raise
        if not self._give_back(connection):
            connection.close()

    def _take(self) -> Any:
        with self._lock:
            returned_at, connection = self._idle.pop() if self._idle else (0.0, None)
        if connection is None:
            return self._open()
        if time.monotonic() - returned_at < ASKED_AFTER_SECONDS:
            return connection
        connection.close()  # the server may have been started anew meanwhile
        return self._open()

    def _give_back(self, connection: Any) -> bool:
        with self._lock:
            if self._keepers:
                self._idle.append((time.monotonic(), connection))
            return self._keepers > 0

    def _take_all(self) -> list[Any]:
        taken = [connection for _, connection in self._idle]
        self._idle.clear()
        return taken
