"""The sessions of one request of a user: they only read, their statements end in time, and another thread can end them.

A search must not outlive whoever asked for it, nor occupy the server for as long as a query can be made to run.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, TypeVar

import psycopg

from archive_pipeline.errors import QueryCancelledError, QueryTimeoutError
from archive_pipeline.store.database import Database, psycopg_connection
from archive_pipeline.store.sql_files import load_query

STATEMENT_SECONDS: Final = 30.0
# PostgreSQL forgets a cancellation that comes between two statements, so it is repeated until the session ends.
_CANCEL_AGAIN_SECONDS: Final = 0.1
_CANCEL_TIMEOUT_SECONDS: Final = 5.0

ResultT = TypeVar("ResultT")


class Sessions(Protocol):
    """Opens connections: a ``Database``, or a ``ReadRequest`` on one."""

    def session(self) -> AbstractContextManager[psycopg.Connection[Any]]:
        """Yield a connection for the time of a transaction."""


@dataclass
class ReadRequest:
    """What one request reads.

    Attributes:
        database: the archive.
        seconds: after which PostgreSQL ends a statement; ``STATEMENT_SECONDS`` by default.
    """

    database: Database
    seconds: float | None = None
    _connections: set[psycopg.Connection[Any]] = field(default_factory=set, init=False, repr=False)
    _is_cancelled: bool = field(default=False, init=False, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)

    @contextmanager
    def session(self) -> Iterator[psycopg.Connection[Any]]:
        """Yield a connection whose transaction reads only.

        It is committed at the end: psycopg forgets after a rollback what it has prepared, and planning what a search
        shows takes longer than reading it.

        Raises:
            QueryTimeoutError: a statement took too long.
            QueryCancelledError: the request was cancelled.
        """
        seconds = STATEMENT_SECONDS if self.seconds is None else self.seconds
        with self.database.engine.connect() as pooled:
            connection = psycopg_connection(pooled)
            connection.execute(load_query("search/limit_transaction"), {"milliseconds": str(round(seconds * 1_000))})
            self._begin(connection)
            try:
                yield connection
            except psycopg.errors.QueryCanceled as error:
                raise self._reason(seconds) from error
            finally:
                self._end(connection)
                if self._is_cancelled:
                    # A cancellation on its way must not meet the statement of whoever has the connection next.
                    pooled.invalidate()
            if not self._is_cancelled:
                connection.commit()

    def cancel(self) -> None:
        """End the running statements and let none begin; return at once."""
        with self._lock:
            self._is_cancelled = True
            is_running = bool(self._connections)
        if is_running:
            threading.Thread(target=self._cancel_until_over, name="cancel", daemon=True).start()

    def _begin(self, connection: psycopg.Connection[Any]) -> None:
        with self._lock:
            if self._is_cancelled:
                raise QueryCancelledError("the request was cancelled")
            self._connections.add(connection)

    def _end(self, connection: psycopg.Connection[Any]) -> None:
        with self._lock:
            self._connections.discard(connection)

    def _reason(self, seconds: float) -> Exception:
        if self._is_cancelled:
            return QueryCancelledError("the request was cancelled")
        return QueryTimeoutError(
            f"a query of the archive took more than {seconds:g} seconds, which is the limit; "
            "use fewer or rarer words, or filters"
        )

    def _cancel_until_over(self) -> None:
        while True:
            with self._lock:
                if not self._connections:
                    return
                for connection in self._connections:
                    with contextlib.suppress(psycopg.Error):  # the connection may be lost by now
                        connection.cancel_safe(timeout=_CANCEL_TIMEOUT_SECONDS)
            time.sleep(_CANCEL_AGAIN_SECONDS)


async def read_in_thread(request: ReadRequest, read: Callable[[], ResultT]) -> ResultT:
    """Return what a function reads in a thread; if the caller is cancelled, so is the request."""
    try:
        return await asyncio.to_thread(read)
    except asyncio.CancelledError:
        request.cancel()
        raise
