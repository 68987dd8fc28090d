"""The engine that Dagster's storages of one process share."""

from __future__ import annotations

import os
from functools import cache
from typing import Any, Final
from weakref import WeakSet

import sqlalchemy
from dagster_postgres.utils import set_pg_statement_timeout

from archive_pipeline.store.idle_connections import check_when_lent

# Connections that a process keeps open; any number more are opened when needed, as the stock storages do.
POOL_SIZE: Final = 4
RECYCLE_SECONDS: Final = 3_600

_engines: WeakSet[sqlalchemy.Engine] = WeakSet()
_limited: WeakSet[sqlalchemy.Engine] = WeakSet()


def pooled_engine(url: str) -> sqlalchemy.Engine:
    """Return an autocommitting engine whose pool survives restarts of the server and forks."""
    engine = sqlalchemy.create_engine(
        url,
        isolation_level="AUTOCOMMIT",
        pool_size=POOL_SIZE,
        max_overflow=-1,
        pool_recycle=RECYCLE_SECONDS,
    )
    check_when_lent(engine)
    _engines.add(engine)
    _watch_forks()
    return engine


def limit_statements(engine: sqlalchemy.Engine, milliseconds: int) -> None:
    """Have statements end after some time; of the storages that share the engine each may ask for it."""
    if engine in _limited:
        return
    _limited.add(engine)

    @sqlalchemy.event.listens_for(engine, "connect")
    def limit(connection: Any, _record: object) -> None:
        set_pg_statement_timeout(connection, milliseconds)

    engine.dispose()  # what is open was opened without


class OnPooledEngine:
    """A storage of Dagster on the engine; Dagster's own make another one, which survives no restart of the server."""

    _engine: sqlalchemy.Engine

    def optimize_for_webserver(self, statement_timeout: int, pool_recycle: int, max_overflow: int) -> None:
        """Bound the time of statements."""
        del pool_recycle, max_overflow
        limit_statements(self._engine, statement_timeout)


@cache
def _watch_forks() -> None:
    os.register_at_fork(after_in_child=_purge_connections)


def _purge_connections() -> None:
    # A forked child inherits the pools; two processes on one socket would read each other's answers. The connections
    # are forgotten, not closed, which would end the parent's sessions.
    for engine in _engines:
        engine.dispose(close=False)
