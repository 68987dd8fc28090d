"""Indexes of tables that have doubled are rebuilt, once, and nobody who uses one is kept waiting."""

from __future__ import annotations

from collections.abc import Callable

import psycopg
import pytest

from archive_pipeline.store.database import Database
from archive_pipeline.store.index_upkeep import rebuild_grown_indexes
from archive_pipeline.store.sql_files import load_query
from archive_pipeline_tests.tables import query

pytestmark = pytest.mark.postgres

SMALLEST = 65_536
KEY = "derived.grown_pkey"
ALL_VALID = "SELECT count(*) FROM pg_index WHERE NOT indisvalid"


def execute(database: Database, statement: str) -> None:
    with database.session() as connection:
        connection.execute(statement.encode())


def add_rows(database: Database, number: int) -> None:
    """Add rows whose keys come in no order, and are the same for each test."""
    with database.session() as connection:
        connection.execute(
            "INSERT INTO derived.grown SELECT md5(((SELECT count(*) FROM derived.grown) + n)::text)::uuid"
            " FROM generate_series(1, %s) AS n",
            [number],
        )


def index_by_function(database: Database, body: str) -> None:
    """Index a function of the key that does something else since."""
    create = (
        "CREATE OR REPLACE FUNCTION derived.same(id uuid) RETURNS uuid IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN {} $$"
    )
    execute(database, create.format("RETURN id; END"))
    execute(database, "CREATE INDEX grown_same ON derived.grown (derived.same(id))")
    execute(database, create.format(body))


def size(database: Database) -> int:
    [(found,)] = query(database, f"SELECT pg_relation_size('{KEY}')")
    return int(found)


@pytest.fixture
def grown(new_migrated_database: Callable[[], Database]) -> Database:
    """An archive with a table whose index has room to spare."""
    database = new_migrated_database()
    execute(database, "CREATE TABLE derived.grown (id uuid PRIMARY KEY)")
    for _ in range(20):
        add_rows(database, 1_000)
    return database


def test_an_index_is_rebuilt_whenever_its_table_has_doubled(grown: Database):
    before = size(grown)
    assert rebuild_grown_indexes(grown, smallest=SMALLEST) == [KEY]
    # An entry takes 16 bytes of key, 8 of its own and 4 of its page, so 262 are nine tenths of the 8,152 bytes that a
    # page has for them: 77 pages of entries, one above them, and the first, which describes the index.
    assert size(grown) == 79 * 8_192 < 0.85 * before
    assert rebuild_grown_indexes(grown, smallest=SMALLEST) == []
    add_rows(grown, 15_000)
    assert rebuild_grown_indexes(grown, smallest=SMALLEST) == []
    add_rows(grown, 6_000)
    assert rebuild_grown_indexes(grown, smallest=SMALLEST) == [KEY]
    assert query(grown, ALL_VALID) == [(0,)]


def test_small_and_large_indexes_are_left(grown: Database):
    assert rebuild_grown_indexes(grown, smallest=size(grown) + 1) == []
    assert rebuild_grown_indexes(grown, smallest=SMALLEST, largest=size(grown) - 1) == []


@pytest.mark.parametrize("mode", ["ROW EXCLUSIVE", "ACCESS SHARE"])
def test_an_index_in_use_is_left_for_the_next_time(grown: Database, mode: str):
    before = size(grown)
    with grown.statements() as other, other.transaction():
        other.execute(f"LOCK TABLE derived.grown IN {mode} MODE".encode())
        other.execute("SELECT FROM derived.grown WHERE id = gen_random_uuid()")
        assert rebuild_grown_indexes(grown, smallest=SMALLEST) == []
        assert size(grown) == before
    assert rebuild_grown_indexes(grown, smallest=SMALLEST) == [KEY]
    assert query(grown, ALL_VALID) == [(0,)]


def test_indexes_of_partitions_are_rebuilt_too(grown: Database):
    execute(grown, "CREATE SCHEMA partitions")
    execute(grown, "ALTER TABLE derived.grown SET SCHEMA partitions")
    assert rebuild_grown_indexes(grown, smallest=SMALLEST) == ["partitions.grown_pkey"]


def test_no_other_index_of_a_table_in_use_is_tried(grown: Database):
    execute(grown, "CREATE INDEX grown_twice ON derived.grown (id, id)")
    with grown.statements() as other, other.transaction():
        other.execute("COMMENT ON INDEX derived.grown_pkey IS 'in use'")  # which locks this one alone
        assert rebuild_grown_indexes(grown, smallest=SMALLEST) == []
    assert rebuild_grown_indexes(grown, smallest=SMALLEST) == [KEY, "derived.grown_twice"]


def test_what_the_server_cancels_is_left_until_the_table_has_doubled(grown: Database):
    index_by_function(grown, "RAISE query_canceled; END")  # as a statement_timeout does
    assert rebuild_grown_indexes(grown, smallest=SMALLEST) == []
    assert query(grown, ALL_VALID) == [(0,)]
    assert rebuild_grown_indexes(grown, smallest=SMALLEST) == [KEY]


def test_a_rebuild_that_takes_too_long_is_given_up(grown: Database):
    index_by_function(grown, "PERFORM pg_sleep(300); RETURN id; END")  # for each of the rows
    assert rebuild_grown_indexes(grown, smallest=SMALLEST, longest=500) == []
    assert query(grown, ALL_VALID) == [(0,)]
    assert rebuild_grown_indexes(grown, smallest=SMALLEST) == [KEY]  # and not the other one again


@pytest.mark.parametrize(("own", "limited"), [("0", "5s"), ("200ms", "200ms"), ("1min", "5s")])
def test_a_lower_limit_of_the_server_stays(grown: Database, own: str, limited: str):
    with grown.statements() as connection, connection.transaction():
        connection.execute(f"SET LOCAL statement_timeout = '{own}'".encode())
        connection.execute(load_query("locks/limit_statements"), {"milliseconds": 5_000})
        assert connection.execute("SHOW statement_timeout").fetchall() == [(limited,)]


def test_tables_of_another_role_are_left(own_server: str, own_database: Database):
    execute(own_database, "CREATE TABLE derived.grown (id uuid PRIMARY KEY)")
    add_rows(own_database, 3_000)
    with psycopg.connect(own_server, autocommit=True, dbname=own_database.engine.url.database) as superuser:
        superuser.execute("ALTER TABLE derived.grown OWNER TO postgres")
        assert rebuild_grown_indexes(own_database, smallest=SMALLEST) == []
