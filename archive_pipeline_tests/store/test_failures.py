"""Whose fault an error is, by driver and class of SQLSTATE."""

from __future__ import annotations

import adbc_driver_manager
import dagster as dg
import psycopg
import psycopg2
import pytest
import sqlalchemy.exc
from psycopg import errors
from sqlalchemy.engine import make_url

from archive_pipeline.errors import DatabaseUnavailableError, NothingCanBeBuiltError
from archive_pipeline.orchestration.resources import transient_errors_retried
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.failures import is_systemic, is_transient, is_unavailable, reason_of

SYSTEMIC = [
    errors.AdminShutdown(),
    errors.DeadlockDetected(),
    errors.DiskFull(),
    errors.TooManyConnections(),
    errors.QueryCanceled(),
    errors.IoError(),
    errors.InsufficientPrivilege(),
    errors.UndefinedTable(),
    errors.ReadOnlySqlTransaction(),
    psycopg.OperationalError("server closed the connection unexpectedly"),
    psycopg.InterfaceError("the connection is closed"),
    psycopg.InternalError("received 2 results from command 'COMMIT'"),
    sqlalchemy.exc.OperationalError("SELECT 1", {}, psycopg.OperationalError("gone")),
    sqlalchemy.exc.TimeoutError("no connection left in the pool"),
    psycopg2.OperationalError("server closed the connection unexpectedly"),
    psycopg2.InterfaceError("connection already closed"),
    MemoryError(),
    OSError(28, "No space left on device"),
]
OF_A_DIALOGUE = [
    errors.CheckViolation(),
    errors.UniqueViolation(),
    errors.NumericValueOutOfRange(),
    errors.UntranslatableCharacter(),
    errors.ProgramLimitExceeded(),
    errors.StatementTooComplex(),
    psycopg.DataError("PostgreSQL text fields cannot contain NUL (0x00) bytes"),
    ValueError("parents in a circle"),
    RecursionError(),
    KeyError("x"),
]


@pytest.mark.parametrize("error", SYSTEMIC, ids=repr)
def test_the_database_and_the_machine_are_no_dialogue_s_fault(error: Exception):
    assert is_systemic(error)


@pytest.mark.parametrize("error", OF_A_DIALOGUE, ids=repr)
def test_what_is_refused_or_cannot_be_computed_is(error: Exception):
    assert not is_systemic(error)


TRANSIENT = [
    errors.TransactionTimeout(),
    errors.IdleInTransactionSessionTimeout(),
    errors.AdminShutdown(),
    errors.DeadlockDetected(),
    psycopg.OperationalError("server closed the connection unexpectedly"),
    psycopg.InterfaceError("the connection is closed"),
    psycopg.InternalError("received 2 results from command 'COMMIT'"),
    sqlalchemy.exc.OperationalError("SELECT 1", {}, psycopg.OperationalError("gone")),
    sqlalchemy.exc.InterfaceError("SELECT 1", {}, psycopg.InterfaceError("the connection is closed")),
    sqlalchemy.exc.TimeoutError("no connection left in the pool"),
    psycopg2.OperationalError("server closed the connection unexpectedly"),
    psycopg2.InterfaceError("connection already closed"),
    adbc_driver_manager.OperationalError("gone", status_code=adbc_driver_manager.AdbcStatusCode.IO),
    adbc_driver_manager.InterfaceError("closed", status_code=adbc_driver_manager.AdbcStatusCode.INVALID_STATE),
    DatabaseUnavailableError("cannot reach PostgreSQL"),
]
LASTING = [
    errors.ProgramLimitExceeded(),
    errors.UndefinedTable(),
    errors.ReadOnlySqlTransaction(),
    MemoryError(),
    OSError(28, "No space left on device"),
    NothingCanBeBuiltError("all failed"),
    *OF_A_DIALOGUE,
]


@pytest.mark.parametrize("error", TRANSIENT, ids=repr)
def test_what_may_succeed_in_a_moment_is_tried_again_whichever_driver_says_so(error: Exception):
    assert is_transient(error)
    with pytest.raises(dg.RetryRequested), transient_errors_retried():
        raise error


@pytest.mark.parametrize("error", LASTING, ids=repr)
def test_what_would_fail_again_fails_the_step_at_once(error: Exception):
    assert not is_transient(error)
    with pytest.raises(type(error)) as raised, transient_errors_retried():
        raise error
    assert raised.value is error


@pytest.mark.postgres
@pytest.mark.parametrize(
    ("query", "systemic"),
    [
        ("SELECT 1 / 0", False),
        ("SELECT repeat('x', 2000000000)", False),
        ("SELECT * FROM raw.nothing", True),
        ("SELECT pg_terminate_backend(pg_backend_pid())", True),
    ],
)
def test_errors_while_reading_are_told_apart_too(archive: Database, query: str, systemic: bool):
    with pytest.raises(adbc_driver_manager.Error) as raised:
        _fetch(archive, query)
    assert is_systemic(raised.value) is systemic


@pytest.mark.postgres
def test_a_connection_of_adbc_that_is_ended_is_transient(archive: Database):
    with pytest.raises(dg.RetryRequested), transient_errors_retried():
        _fetch(archive, "SELECT pg_terminate_backend(pg_backend_pid())")


@pytest.mark.postgres
@pytest.mark.parametrize("driver", ["psycopg", "psycopg2"])
def test_what_exceeds_a_limit_of_postgresql_is_no_failure_of_the_database(archive: Database, driver: str):
    engine = sqlalchemy.create_engine(make_url(archive.url).set(drivername=f"postgresql+{driver}"))
    with pytest.raises(sqlalchemy.exc.OperationalError) as raised, engine.connect() as connection:
        connection.exec_driver_sql("SELECT repeat('x', 2000000000)")
    engine.dispose()
    for error in (raised.value, raised.value.orig):
        assert error is not None
        assert not is_systemic(error)
        assert not is_unavailable(error)
        assert not is_transient(error)


def test_a_reason_is_one_line_of_the_driver():
    of_driver = psycopg.OperationalError("server closed the connection\n\tThis probably means\n")
    assert reason_of(sqlalchemy.exc.OperationalError("SELECT 1", {}, of_driver)) == "server closed the connection"
    assert reason_of(of_driver) == "server closed the connection"
    assert reason_of(psycopg.OperationalError()) == "OperationalError"


def _fetch(archive: Database, query: str) -> None:
    with archive.arrow() as connection, connection.cursor() as cursor:
        cursor.execute(query)
        cursor.fetch_arrow_table()


def test_a_server_that_is_not_there_is_systemic(settings: Settings):
    with pytest.raises(adbc_driver_manager.Error) as raised, Database("postgresql:///x?host=/nowhere").arrow():
        pass
    assert is_systemic(raised.value)
