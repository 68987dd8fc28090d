"""Advisory locks: one holder at a time, waiting said once, and released however the holder ends."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import psycopg
import pytest

from archive_pipeline.store import locks
from archive_pipeline.store.database import Database

pytestmark = pytest.mark.postgres

HOLDERS = "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = %s AND objsubid = 1 AND granted"
LOW = 2**32  # pg_locks has the halves of a key apart


def holders(database: Database, key: int) -> list[int]:
    with psycopg.connect(database.url, autocommit=True) as connection:
        return [row[0] for row in connection.execute(HOLDERS, [key % LOW])]


def end_holder(database: Database, key: int) -> None:
    [pid] = holders(database, key)
    with psycopg.connect(database.url, autocommit=True) as connection:
        connection.execute("SELECT pg_terminate_backend(%s, 10000)", [pid])


def is_free(database: Database, key: int) -> bool:
    with locks.held_if_free(database, key) as is_held:
        return is_held


def if_free(database: Database, key: int) -> AbstractContextManager[bool]:
    return locks.held_if_free(database, key)


@contextmanager
def waiting(database: Database, key: int) -> Iterator[bool]:
    with locks.held(database, key):
        yield True


Holding = Callable[[Database, int], AbstractContextManager[bool]]
both = pytest.mark.parametrize("holding", [waiting, if_free])


@both
def test_a_lock_has_one_holder_and_is_free_at_once_afterwards(database: Database, holding: Holding):
    with holding(database, locks.INDEXER) as is_held:
        assert is_held
        assert len(holders(database, locks.INDEXER)) == 1
        assert not is_free(database, locks.INDEXER)
        assert is_free(database, locks.ARCHIVE_WRITER)
    assert holders(database, locks.INDEXER) == []
    assert is_free(database, locks.INDEXER)


@both
def test_a_lock_is_released_after_an_error(database: Database, holding: Holding):
    with pytest.raises(KeyError, match="inside"), holding(database, locks.INDEXER):
        raise KeyError("inside")
    assert holders(database, locks.INDEXER) == []


@both
def test_a_lock_whose_connection_is_lost_is_free_and_says_so_in_the_log(
    database: Database, caplog: pytest.LogCaptureFixture, holding: Holding
):
    with caplog.at_level(logging.WARNING), holding(database, locks.INDEXER):
        end_holder(database, locks.INDEXER)
        assert is_free(database, locks.INDEXER)
    assert "the connection that held a lock was lost" in caplog.text


def test_an_error_inside_wins_over_a_lost_connection(database: Database):
    def fail() -> None:
        with locks.held(database, locks.INDEXER):
            end_holder(database, locks.INDEXER)
            raise KeyError("inside")

    with pytest.raises(KeyError, match="inside"):
        fail()


@pytest.mark.parametrize("key", locks.WAITING)
def test_a_second_holder_waits_and_says_so_once(database: Database, key: int):
    said: list[str] = []
    is_waiting, is_in = threading.Event(), threading.Event()

    def say(message: str) -> None:
        said.append(message)
        is_waiting.set()

    def second() -> None:
        with locks.held(database, key, say):
            is_in.set()

    thread = threading.Thread(target=second)
    with locks.held(database, key, said.append):
        thread.start()
        assert is_waiting.wait(300)
        assert not is_in.is_set()
    thread.join(60)
    assert is_in.is_set()
    assert said == [locks.WAITING[key]]
    assert "waiting for it to finish" in said[0]


def of_psycopg(database: Database, key: int, part: str | None) -> AbstractContextManager[None]:
    @contextmanager
    def transaction() -> Iterator[None]:
        with database.session() as connection:
            locks.hold_in_transaction(connection, key, part)
            yield

    return transaction()


def of_sqlalchemy(database: Database, key: int, part: str | None) -> AbstractContextManager[None]:
    @contextmanager
    def transaction() -> Iterator[None]:
        with database.engine.begin() as connection:
            locks.hold_in_transaction(connection, key, part)
            yield

    return transaction()


def advisory_locks(database: Database) -> list[Any]:
    query = "SELECT objsubid FROM pg_locks WHERE locktype = 'advisory' AND granted AND database = %s::oid"
    with psycopg.connect(database.url, autocommit=True) as connection:
        own = connection.execute("SELECT oid FROM pg_database WHERE datname = current_database()").fetchone()
        assert own is not None
        return [row[0] for row in connection.execute(query, [own[0]])]


@pytest.mark.parametrize("transaction", [of_psycopg, of_sqlalchemy])
@pytest.mark.parametrize(("key", "part"), [(locks.MIGRATION, None), (locks.API_BEGINNING, "a path")])
def test_a_lock_of_a_transaction_ends_with_it(database: Database, transaction: Any, key: int, part: str | None):
    with transaction(database, key, part):
        assert advisory_locks(database) == [1 if part is None else 2]
    assert advisory_locks(database) == []
    with pytest.raises(KeyError), transaction(database, key, part):
        raise KeyError
    assert advisory_locks(database) == []


def test_parts_of_a_lock_do_not_wait_for_each_other(database: Database):
    with of_psycopg(database, locks.API_BEGINNING, "a path"), of_psycopg(database, locks.API_BEGINNING, "another"):
        assert advisory_locks(database) == [2, 2]


def test_no_two_locks_have_the_same_key():
    keys = [value for name, value in vars(locks).items() if name.isupper() and isinstance(value, int)]
    assert len(keys) == len(set(keys)) == 9
