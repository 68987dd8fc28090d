"""While the database is away, services log one line a minute, and everything else as it is."""

from __future__ import annotations

import logging
import subprocess
import sys
from collections.abc import Callable

import psycopg2
import pytest
import sqlalchemy.exc
from dagster._utils.error import SerializableErrorInfo, serializable_error_info_from_exc_info
from dagster_postgres.utils import DagsterPostgresException

from archive_pipeline.orchestration.instance.lost_database_log import LostDatabaseFilter

REFUSED = "connection to server at 127.0.0.1 failed: Connection refused"
SHORT = f"the database cannot be reached ({REFUSED}); it is tried again, and this told once a minute"


def refused() -> None:
    """Fail as Dagster's storage does after its retries."""
    error = psycopg2.OperationalError(f"{REFUSED}\n\tIs the server running?")
    cause = sqlalchemy.exc.OperationalError("SELECT 1", {}, error)
    raise DagsterPostgresException("too many retries for DB connection") from cause


def other() -> None:
    raise ValueError("a sensor is wrong")


@pytest.fixture
def logged(caplog: pytest.LogCaptureFixture) -> tuple[logging.Logger, list[float]]:
    """A logger with the filter, and its clock."""
    clock = [0.0]
    logger = logging.Logger("daemon")  # noqa: LOG001 (of this test alone)
    logger.addHandler(caplog.handler)
    logger.addFilter(LostDatabaseFilter(lambda: clock[-1]))
    return logger, clock


def _error_info() -> SerializableErrorInfo:
    return serializable_error_info_from_exc_info(sys.exc_info())


def log(logger: logging.Logger, fail: Callable[[], None], *, is_serialised: bool) -> None:
    """Log a failure as the daemon does: with the exception, or with its text and trace as an argument."""
    try:
        fail()
    except Exception:
        if is_serialised:
            logger.error("Failed to add heartbeat: \n%s", _error_info())  # noqa: TRY400 (as the daemon does it)
        else:
            logger.exception("caught an error")


@pytest.mark.parametrize("is_serialised", [False, True])
def test_a_lost_database_is_one_line_a_minute(
    logged: tuple[logging.Logger, list[float]], caplog: pytest.LogCaptureFixture, is_serialised: bool
):
    logger, clock = logged
    for moment in (0.0, 1.0, 59.9, 60.0, 61.0, 200.0):
        clock.append(moment)
        log(logger, refused, is_serialised=is_serialised)
    messages = [record.getMessage() for record in caplog.records]
    assert len(messages) == 3
    assert all(REFUSED in message and "\n" not in message for message in messages)
    assert not is_serialised or messages[0].startswith("the database cannot be reached (")
    assert is_serialised or messages == [SHORT] * 3
    assert [record.exc_info for record in caplog.records] == [None] * 3


@pytest.mark.parametrize("is_serialised", [False, True])
def test_other_errors_are_logged_each_time_with_their_traceback(
    logged: tuple[logging.Logger, list[float]], caplog: pytest.LogCaptureFixture, is_serialised: bool
):
    logger, _ = logged
    log(logger, refused, is_serialised=False)
    for _ in range(3):
        log(logger, other, is_serialised=is_serialised)
    logger.warning("a value of %s is odd", "this kind")
    assert caplog.text.count("ValueError: a sensor is wrong") == caplog.text.count("in other") == 3
    assert "a value of this kind is odd" in caplog.text


def test_a_warning_about_a_connection_that_is_tried_again_is_one_of_them(
    logged: tuple[logging.Logger, list[float]], caplog: pytest.LogCaptureFixture
):
    logger, _ = logged
    for _ in range(3):
        logger.warning("Retrying failed database connection: %s", psycopg2.OperationalError(REFUSED))
    assert [record.getMessage() for record in caplog.records] == [SHORT]


def test_loggers_that_there_are_and_those_made_later_are_filtered():
    """In a process of its own, whose loggers stay so."""
    program = (
        "import logging, psycopg2, sys\n"
        "from dagster._utils.log import configure_loggers\n"
        "early = logging.getLogger('early.below')\n"
        "from archive_pipeline.orchestration.instance.lost_database_log import filter_logs\n"
        "configure_loggers()\n"
        "filter_logs()\n"
        "configure_loggers()\n"
        "logging.basicConfig(stream=sys.stdout, format='%(name)s %(message)s')\n"
        "for logger in (early, logging.getLogger('late.below'), logging.getLogger()):\n"
        "    for _ in range(2):\n"
        "        logger.warning('retrying: %s', psycopg2.OperationalError('gone'))\n"
        "    logger.warning('other')\n"
    )
    out = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout
    assert out.splitlines() == [
        "early.below the database cannot be reached (gone); it is tried again, and this told once a minute",
        "early.below other",
        "late.below other",
        "root other",
    ]
