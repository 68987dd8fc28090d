"""Whose fault an error is, by driver and class of SQLSTATE."""

from __future__ import annotations

import adbc_driver_manager
import psycopg
import pytest
import sqlalchemy.exc
from psycopg import errors

from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.failures import is_systemic

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
    sqlalchemy.exc.OperationalError("SELECT 1", {}, psycopg.OperationalError("gone")),
    sqlalchemy.exc.TimeoutError("no connection left in the pool"),
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


def _fetch(archive: Database, query: str) -> None:
    with archive.arrow() as connection, connection.cursor() as cursor:
        cursor.execute(query)
        cursor.fetch_arrow_table()


def test_a_server_that_is_not_there_is_systemic(settings: Settings):
    with pytest.raises(adbc_driver_manager.Error) as raised, Database("postgresql:///x?host=/nowhere").arrow():
        pass
    assert is_systemic(raised.value)
