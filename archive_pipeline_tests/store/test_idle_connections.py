"""Connections that a pool lends: those that ended are replaced, and the others are not asked."""

from __future__ import annotations

import select
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest
import sqlalchemy

from archive_pipeline.orchestration.instance.pooled_engine import pooled_engine
from archive_pipeline.store import idle_connections
from archive_pipeline.store.database import Database

pytestmark = pytest.mark.postgres

ENGINES: dict[str, Callable[[Database], sqlalchemy.Engine]] = {
    "archive": lambda database: Database(database.url).engine,
    "dagster": lambda database: pooled_engine(database.dagster_url),
}
BACKEND = sqlalchemy.text("SELECT pg_backend_pid()")


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest, archive: Database) -> Iterator[sqlalchemy.Engine]:
    engine = ENGINES[request.param](archive)
    yield engine
    engine.dispose()


def backend_of(engine: sqlalchemy.Engine) -> int:
    with engine.connect() as connection:
        return int(connection.execute(BACKEND).scalar_one())


def asked_when_lent(engine: sqlalchemy.Engine, monkeypatch: pytest.MonkeyPatch) -> list[object]:
    asked: list[object] = []
    ping = engine.dialect.do_ping

    def note(connection: object) -> bool:
        asked.append(connection)
        return bool(ping(connection))

    monkeypatch.setattr(engine.dialect, "do_ping", note)
    return asked


def test_a_connection_that_the_server_ended_is_replaced(engine: sqlalchemy.Engine, archive: Database):
    ended = backend_of(engine)
    with psycopg.connect(archive.url, autocommit=True) as connection:
        connection.execute("SELECT pg_terminate_backend(%s, 5000)", [ended])
    assert backend_of(engine) != ended


def test_all_that_were_opened_before_are_replaced_with_it(engine: sqlalchemy.Engine, archive: Database):
    with engine.connect() as first, engine.connect() as second:
        backends = [connection.execute(BACKEND).scalar_one() for connection in (first, second)]
    with psycopg.connect(archive.url, autocommit=True) as connection:
        connection.execute("SELECT pg_terminate_backend(pid, 5000) FROM unnest(%s) AS pid", [backends])
    with engine.connect() as first, engine.connect() as second:
        assert {connection.execute(BACKEND).scalar_one() for connection in (first, second)}.isdisjoint(backends)


def test_one_that_was_used_just_now_is_not_asked(engine: sqlalchemy.Engine, monkeypatch: pytest.MonkeyPatch):
    first = backend_of(engine)
    asked = asked_when_lent(engine, monkeypatch)
    assert backend_of(engine) == first
    assert asked == []


def test_one_that_was_idle_for_long_is_asked(engine: sqlalchemy.Engine, monkeypatch: pytest.MonkeyPatch):
    first = backend_of(engine)
    monkeypatch.setattr(idle_connections, "ASKED_AFTER_SECONDS", 0.0)
    asked = asked_when_lent(engine, monkeypatch)
    assert backend_of(engine) == first
    assert len(asked) == 1


def test_what_the_server_says_unasked_is_no_end(
    engine: sqlalchemy.Engine, archive: Database, monkeypatch: pytest.MonkeyPatch
):
    with engine.connect() as connection:
        first = int(connection.execute(BACKEND).scalar_one())
        connection.exec_driver_sql("LISTEN something")
        connection.commit()
        below: Any = connection.connection.driver_connection
    with psycopg.connect(archive.url, autocommit=True) as other:
        other.execute("NOTIFY something")
    assert select.select([below.fileno()], [], [], 60.0)[0]
    asked = asked_when_lent(engine, monkeypatch)
    assert backend_of(engine) == first
    assert len(asked) == 1
