"""An error of another process is judged as where it was met, and says where that was."""

from __future__ import annotations

import errno

import adbc_driver_manager
import psycopg
import pytest
import sqlalchemy.exc

from archive_pipeline.building.executors.sent_errors import received, sent
from archive_pipeline.errors import DatabaseUnavailableError
from archive_pipeline.store.failures import is_systemic, is_transient, reason_of


class _UnsendableError(OSError):
    """Its constructor takes what it does not keep."""

    def __init__(self, *, place: str) -> None:
        super().__init__(errno.ENOSPC, f"no space at {place}")


def _adbc(kind: type[adbc_driver_manager.Error], sqlstate: str = "") -> adbc_driver_manager.Error:
    return kind("gone away", status_code=adbc_driver_manager.AdbcStatusCode.IO, sqlstate=sqlstate)


ERRORS = [
    psycopg.errors.AdminShutdown("terminating connection"),
    psycopg.errors.DeadlockDetected("deadlock detected"),
    psycopg.errors.UndefinedTable("no such table"),
    psycopg.errors.DiskFull("no space"),
    psycopg.errors.ProgramLimitExceeded("too long"),
    psycopg.OperationalError("connection refused"),
    sqlalchemy.exc.TimeoutError("no connection left"),
    sqlalchemy.exc.OperationalError("SELECT 1", {}, psycopg.errors.CannotConnectNow("starting up")),
    _adbc(adbc_driver_manager.OperationalError),
    _adbc(adbc_driver_manager.ProgrammingError, "42P01"),
    DatabaseUnavailableError("cannot reach it"),
    MemoryError("no memory"),
    OSError(errno.ENOSPC, "no space"),
    _UnsendableError(place="home"),
    ValueError("of nobody's fault"),
]


def _met(error: BaseException) -> BaseException:
    try:
        raise error  # noqa: TRY301 (it has a place then)
    except BaseException as met:  # noqa: BLE001 (what is sent has been raised)
        return met


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_an_error_is_judged_alike_on_the_other_side(error: BaseException):
    found = received(sent(_met(error)))
    assert (is_systemic(found), is_transient(found)) == (is_systemic(error), is_transient(error))
    assert reason_of(error) in str(found)
    [note] = found.__notes__
    assert note.startswith("in the process ")
    assert " in _met" in note


@pytest.mark.parametrize("error", [*ERRORS[:6], *ERRORS[10:13]], ids=lambda error: type(error).__name__)
def test_what_can_be_pickled_keeps_its_type(error: BaseException):
    assert type(received(sent(_met(error)))) is type(error)
