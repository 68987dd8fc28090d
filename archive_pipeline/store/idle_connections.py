"""Whether a pooled connection can still be used, without a question to the server each time one is lent.

SQLAlchemy's own `pool_pre_ping` asks each time, which is every second request of a run of Dagster. A server that ends a
connection says so on its socket, and so does the kernel where a process was killed: to look there is enough. A network
may forget a connection without a word while it is idle, so one that was idle for long is asked all the same.
"""

from __future__ import annotations

import select
import time
from typing import Any, Final

import sqlalchemy
from sqlalchemy.exc import InvalidatePoolError

# Firewalls and load balancers keep idle connections for minutes.
ASKED_AFTER_SECONDS: Final = 10.0
_RETURNED_AT: Final = "returned_at"


def check_when_lent(engine: sqlalchemy.Engine) -> None:
    """Have the engine's pool replace connections that ended, and those of before too, where it would lend one."""
    dialect = engine.dialect

    @sqlalchemy.event.listens_for(engine, "checkin")
    def returned(_connection: Any, record: Any) -> None:
        record.info[_RETURNED_AT] = time.monotonic()

    @sqlalchemy.event.listens_for(engine, "checkout")
    def lent(connection: Any, record: Any, _fairy: object) -> None:
        returned_at = record.info.get(_RETURNED_AT)
        if returned_at is None:  # it was opened just now
            return
        if time.monotonic() - returned_at < ASKED_AFTER_SECONDS and not _has_something_to_read(connection):
            return
        try:
            dialect.do_ping(connection)
        except dialect.loaded_dbapi.Error as error:
            raise InvalidatePoolError from error


def _has_something_to_read(connection: Any) -> bool:
    """Return whether the server said something that nobody asked for, or is gone."""
    if connection.closed:
        return True
    waiting = select.poll()
    waiting.register(connection.fileno(), select.POLLIN)
    return bool(waiting.poll(0))
