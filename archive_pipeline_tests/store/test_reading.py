"""Sessions of a user's request: read only, bounded in time, and ended by whoever does not wait any more."""

from __future__ import annotations

import asyncio
import threading
from contextlib import ExitStack
from typing import Any

import psycopg
import pytest

from archive_pipeline.errors import QueryCancelledError, QueryTimeoutError
from archive_pipeline.store.database import Database
from archive_pipeline.store.reading import ReadRequest, read_in_thread
from archive_pipeline_tests.store.activity import running
from archive_pipeline_tests.system.commands import wait_until

pytestmark = pytest.mark.postgres

SLEEP = "SELECT pg_sleep(600)"


def sleep(request: ReadRequest) -> None:
    with request.session() as connection:
        connection.execute(SLEEP)


def test_it_reads_and_does_not_write(database: Database):
    with ReadRequest(database).session() as connection:
        assert connection.execute("SELECT count(*) FROM raw.dialogues").fetchone() == (0,)
        with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
            connection.execute("DELETE FROM raw.dialogues")
    with database.session() as connection:  # the next one on the connection may
        connection.execute("DELETE FROM raw.dialogues")
        assert connection.execute("SHOW statement_timeout").fetchone() == ("0",)


def test_what_a_request_prepared_is_there_for_the_next(database: Database):
    statement = "SELECT count(*) FROM raw.dialogues WHERE id = %s"
    with ExitStack() as at_once:  # the pool has several connections from here on
        for _ in range(4):
            at_once.enter_context(ReadRequest(database).session())
    for _ in range(10):  # psycopg prepares what it has executed five times
        with ReadRequest(database).session() as connection:
            connection.execute(statement, [None])
            prepared = connection.execute("SELECT count(*) FROM pg_prepared_statements").fetchone()
    assert prepared is not None
    assert prepared[0] > 0


def test_a_failed_request_leaves_its_connection_to_the_next(database: Database):
    with pytest.raises(psycopg.errors.UndefinedTable), ReadRequest(database).session() as connection:
        connection.execute("SELECT FROM raw.nothing")
    with ReadRequest(database).session() as connection:
        assert connection.execute("SELECT count(*) FROM raw.dialogues").fetchone() == (0,)


def test_a_statement_ends_in_time(database: Database):
    with pytest.raises(QueryTimeoutError, match=r"more than 0\.2 seconds, which is the limit"):
        sleep(ReadRequest(database, seconds=0.2))
    assert running(database, SLEEP) == 0


def test_another_thread_ends_it_whatever_comes_between_statements(database: Database):
    request = ReadRequest(database)
    ended: list[Exception] = []

    def many() -> None:
        try:
            with request.session() as connection:
                connection.execute(SLEEP)
        except QueryCancelledError as error:
            ended.append(error)

    thread = threading.Thread(target=many)
    thread.start()
    wait_until(lambda: running(database, SLEEP) == 1, "the statement runs")
    request.cancel()
    thread.join(60)
    assert len(ended) == 1
    assert running(database, SLEEP) == 0
    with pytest.raises(QueryCancelledError):
        sleep(request)
    with database.session() as connection:  # nothing of the cancellation is left for others
        assert connection.execute("SELECT 1").fetchone() == (1,)


def test_a_cancellation_between_two_statements_ends_the_second(database: Database):
    request = ReadRequest(database)

    def read() -> None:
        with request.session() as connection:
            connection.execute("SELECT 1")
            request.cancel()
            connection.execute(SLEEP)

    with pytest.raises(QueryCancelledError):
        read()
    assert running(database, SLEEP) == 0


def test_a_task_that_is_cancelled_takes_its_statement_along(database: Database):
    async def cancelled() -> Any:
        request = ReadRequest(database)
        task = asyncio.create_task(read_in_thread(request, lambda: sleep(request)))
        await asyncio.to_thread(wait_until, lambda: running(database, SLEEP) == 1, "the statement runs")
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(cancelled())
    assert running(database, SLEEP) == 0
