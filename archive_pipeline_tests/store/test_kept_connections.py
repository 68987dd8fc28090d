"""Connections are used again while somebody says so, and never one that failed or may have ended."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import adbc_driver_manager
import pytest

from archive_pipeline.store import kept_connections
from archive_pipeline.store.database import Database
from archive_pipeline.store.kept_connections import KeptConnections
from archive_pipeline_tests.tables import query


class Opened:
    """Connections by number, and which of them are closed."""

    def __init__(self) -> None:
        self._numbers = itertools.count()
        self.closed: set[int] = set()

    def __call__(self) -> Connection:
        return Connection(next(self._numbers), self.closed)


class Connection:
    def __init__(self, number: int, closed: set[int]) -> None:
        self.number = number
        self._closed = closed

    def close(self) -> None:
        self._closed.add(self.number)


@pytest.fixture
def opened() -> Opened:
    return Opened()


def lend(connections: KeptConnections) -> int:
    with connections.lent() as connection:
        number: int = connection.number
    return number


def test_each_reader_has_one_of_its_own_unless_they_are_kept(opened: Opened):
    connections = KeptConnections(opened)
    assert [lend(connections), lend(connections)] == [0, 1]
    assert opened.closed == {0, 1}
    with connections.kept(), connections.kept():
        assert [lend(connections), lend(connections)] == [2, 2]
        with connections.kept():
            assert lend(connections) == 2
        assert lend(connections) == 2
    assert opened.closed == {0, 1, 2}
    assert lend(connections) == 3


def test_two_readers_at_once_have_two(opened: Opened):
    connections, both = KeptConnections(opened), Barrier(2)

    def read(_: int) -> int:
        with connections.lent() as connection:
            both.wait(30)
            number: int = connection.number
        return number

    with connections.kept(), ThreadPoolExecutor(2) as threads:
        for _ in range(3):
            assert sorted(threads.map(read, range(2))) == [0, 1]
        assert opened.closed == set()
    assert opened.closed == {0, 1}


def test_one_that_is_given_back_after_the_end_is_closed(opened: Opened):
    connections = KeptConnections(opened)
    with connections.kept():
        lent = connections.lent()
        lent.__enter__()
    lent.__exit__(None, None, None)
    assert opened.closed == {0}


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_one_on_which_something_failed_is_not_lent_again(opened: Opened, error: type[BaseException]):
    connections = KeptConnections(opened)
    with connections.kept():
        with pytest.raises(error), connections.lent():
            raise error
        assert opened.closed == {0}
        assert lend(connections) == 1


def test_one_that_was_idle_for_long_is_not_lent_again(opened: Opened, monkeypatch: pytest.MonkeyPatch):
    connections = KeptConnections(opened)
    with connections.kept():
        assert lend(connections) == 0
        monkeypatch.setattr(kept_connections, "ASKED_AFTER_SECONDS", 0.0)
        assert lend(connections) == 1
        assert opened.closed == {0}


def process_of(database: Database) -> int:
    with database.arrow() as connection, connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid() AS process")
        number: int = cursor.fetch_arrow_table()["process"].to_pylist()[0]
    return number


@pytest.fixture
def unshared(database: Database) -> Iterator[Database]:
    """The archive, by connections that no other test has."""
    own = Database(database.url)
    yield own
    own.engine.dispose()


@pytest.mark.postgres
def test_arrow_reads_by_one_connection_while_it_is_kept(unshared: Database):
    with unshared.arrow_kept():
        first = process_of(unshared)
        assert process_of(unshared) == first
        query(unshared, "SELECT pg_terminate_backend(%s, 10000)", first)
        with pytest.raises(adbc_driver_manager.Error):
            process_of(unshared)
        assert process_of(unshared) != first


@pytest.mark.postgres
def test_what_a_pooler_lends_is_not_kept(unshared: Database):
    by_pooler = Database(unshared.url, unshared.url)
    seen: list[Any] = []
    with by_pooler.arrow_kept():
        for _ in range(2):
            with by_pooler.arrow() as connection:
                seen.append(connection)
    assert seen[0] is not seen[1]
    assert by_pooler._arrow_connections._idle == []
