"""Whose fault an error is: the database's or the machine's, or that of what was to be written. Only this decides it."""

from __future__ import annotations

from typing import Final

import adbc_driver_manager
import psycopg
import psycopg2
import sqlalchemy.exc

from archive_pipeline.domain.reasons import first_line
from archive_pipeline.errors import DatabaseUnavailableError

# What cannot be reached, was ended, is full, busy or deadlocked, whichever driver says so.
_UNAVAILABLE: Final = (
    psycopg.OperationalError,
    psycopg.InterfaceError,
    psycopg2.OperationalError,
    psycopg2.InterfaceError,
    sqlalchemy.exc.OperationalError,
    sqlalchemy.exc.InterfaceError,
    sqlalchemy.exc.TimeoutError,
    adbc_driver_manager.OperationalError,
    adbc_driver_manager.InterfaceError,
)
# The server ended a transaction that was idle or took longer than it allows, and the connection with it.
_ENDED: Final = frozenset({"25P03", "25P04"})
_OF_THE_MACHINE: Final = (MemoryError, OSError)
# Classes of SQLSTATE. What exceeds PostgreSQL's limits (an id too long for an index, a text of a gigabyte) is an
# operational error by its Python type, but the fault of what was to be written.
_PROGRAM_LIMIT: Final = "54"
# A read-only server, a missing privilege, a table that is not there: no other row would fare better.
_OF_THE_DATABASE: Final = ("25", "42")
_READ_ONLY: Final = "25006"
_DENIED: Final = "42501"


def is_systemic(error: BaseException) -> bool:
    """Tell whether the database or the machine failed, rather than refused a dialogue."""
    sqlstate = sqlstate_of(error)
    if sqlstate.startswith(_PROGRAM_LIMIT):
        return False
    return (
        sqlstate.startswith(_OF_THE_DATABASE) or _is_lost(error) or isinstance(error, (*_UNAVAILABLE, *_OF_THE_MACHINE))
    )


def is_transient(error: BaseException) -> bool:
    """Tell whether the same may succeed in a moment: the server went away, deadlocked, or had no connection left.

    Every retry asks this, so a failure is transient for all drivers or for none. What the machine lacks (memory, files)
    is systemic and not transient.
    """
    return is_unavailable(error) or isinstance(error, DatabaseUnavailableError)


def is_unavailable(error: BaseException) -> bool:
    """Tell whether an error of a driver means that the database cannot be reached or used now."""
    sqlstate = sqlstate_of(error)
    if sqlstate in _ENDED:
        return True
    return _is_lost(error) or (isinstance(error, _UNAVAILABLE) and not sqlstate.startswith(_PROGRAM_LIMIT))


def is_read_only(error: BaseException) -> bool:
    """Tell whether the database takes no writes: a standby, or a role or server that is set so."""
    return sqlstate_of(error) == _READ_ONLY


def is_denied(error: BaseException) -> bool:
    """Tell whether the database's role lacks a right."""
    return sqlstate_of(error) == _DENIED


def reason_of(error: BaseException) -> str:
    """Return what the database or its driver said, on one line and without what SQLAlchemy adds."""
    return first_line(_of_driver(error))


def sqlstate_of(error: BaseException) -> str:
    """Return the SQLSTATE that the server gave, empty if it gave none."""
    cause = _of_driver(error)
    return str(getattr(cause, "sqlstate", None) or getattr(cause, "pgcode", None) or "")


def _is_lost(error: BaseException) -> bool:
    """Tell whether a commit had two answers: behind a pooler, the second one are the last words of the server."""
    return isinstance(_of_driver(error), psycopg.InternalError) and not sqlstate_of(error)


def _of_driver(error: BaseException) -> BaseException:
    return getattr(error, "orig", None) or error
