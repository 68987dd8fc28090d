"""Tables that were written to are vacuumed and analyzed when it is worth it, and nobody is kept waiting."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator

import psycopg
import pytest
from psycopg import sql

from archive_pipeline.store.database import Database
from archive_pipeline.store.table_upkeep import analyze_all_tables, tidy_tables
from archive_pipeline_tests.conftest import administrator_url
from archive_pipeline_tests.tables import query

pytestmark = pytest.mark.postgres

TABLE = "derived.grown"


def execute(database: Database, *statements: str) -> None:
    """Execute statements in a session of its own, after whose end PostgreSQL has counted their rows."""
    with psycopg.connect(database.url, autocommit=True) as connection:
        connection.execute("SET client_min_messages = error")
        for statement in statements:
            connection.execute(statement.encode())


def add_rows(database: Database, number: int, table: str = TABLE) -> None:
    insert = sql.SQL("INSERT INTO {} SELECT gen_random_uuid() FROM generate_series(1, {})")
    with psycopg.connect(database.url) as connection:
        connection.execute(insert.format(sql.Identifier(*table.split(".")), number))


def size(database: Database) -> int:
    [(found,)] = query(database, "SELECT pg_relation_size('derived.grown')")
    return int(found)


def expected_rows(database: Database, table: str = TABLE) -> int:
    """Return how many rows the planner expects."""
    [(plan,)] = query(database, f"EXPLAIN (FORMAT JSON) SELECT FROM {table}")
    return int(plan[0]["Plan"]["Plan Rows"])


@pytest.fixture
def grown(new_database: Callable[[], Database]) -> Iterator[Database]:
    """An archive of one table, which is empty and which autovacuum leaves alone."""
    database = new_database()
    execute(
        database,
        "CREATE SCHEMA derived",
        "CREATE TABLE derived.grown (id uuid) WITH (autovacuum_enabled = off)",
    )
    tidy_tables(database)
    yield database
    database.engine.dispose()


def test_a_new_table_is_analyzed_once(grown: Database) -> None:
    add_rows(grown, 10_000)
    assert tidy_tables(grown) == [TABLE]
    assert expected_rows(grown) == 10_000
    assert query(grown, "SELECT n_distinct FROM pg_stats WHERE tablename = 'grown'") == [(-1.0,)]
    assert tidy_tables(grown) == []


def test_a_few_rows_are_not_worth_it(grown: Database) -> None:
    add_rows(grown, 100)
    assert tidy_tables(grown) == []


def test_a_table_is_analyzed_when_it_has_grown_by_a_fifth(grown: Database) -> None:
    add_rows(grown, 100_000)
    tidy_tables(grown)
    add_rows(grown, 15_000)
    assert tidy_tables(grown) == []
    add_rows(grown, 15_000)
    assert tidy_tables(grown) == [TABLE]
    assert expected_rows(grown) == 130_000


def test_statistics_are_made_though_counters_are_lost(grown: Database) -> None:
    add_rows(grown, 10_000)
    with psycopg.connect(administrator_url(grown)) as connection:
        connection.execute("SELECT pg_stat_reset()")
    assert tidy_tables(grown) == [TABLE]


def test_a_table_of_known_size_without_statistics_is_analyzed(grown: Database) -> None:
    add_rows(grown, 10_000)
    execute(grown, "VACUUM derived.grown")
    assert tidy_tables(grown) == [TABLE]


def test_a_table_that_is_replaced_again_and_again_stays_as_large(grown: Database) -> None:
    add_rows(grown, 10_000)
    tidy_tables(grown)
    once = size(grown)
    for _ in range(5):
        execute(grown, "DELETE FROM derived.grown")
        add_rows(grown, 10_000)
        assert tidy_tables(grown) == [TABLE]
    assert size(grown) <= 2 * once


def test_a_few_dead_rows_stay(grown: Database) -> None:
    add_rows(grown, 100_000)
    tidy_tables(grown)
    execute(grown, "DELETE FROM derived.grown WHERE id < '20000000-0000-0000-0000-000000000000'")
    assert tidy_tables(grown) == []


def test_a_table_that_somebody_locks_is_left(grown: Database) -> None:
    add_rows(grown, 10_000)
    with psycopg.connect(grown.url) as connection:
        connection.execute("LOCK TABLE derived.grown IN SHARE UPDATE EXCLUSIVE MODE")
        tidy_tables(grown)
        assert query(grown, "SELECT count(*) FROM pg_stats WHERE tablename = 'grown'") == [(0,)]
    assert tidy_tables(grown) == [TABLE]


def test_readers_and_writers_do_not_wait(grown: Database) -> None:
    add_rows(grown, 10_000)
    with psycopg.connect(grown.url) as connection:
        connection.execute("SELECT count(*) FROM derived.grown")
        connection.execute("INSERT INTO derived.grown VALUES (gen_random_uuid())")
        assert tidy_tables(grown) == [TABLE]


def test_a_statement_that_the_server_ends_is_left(grown: Database) -> None:
    create = (
        "CREATE OR REPLACE FUNCTION derived.slow(id uuid) RETURNS uuid IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN {} $$"
    )
    execute(grown, create.format("RETURN id; END"))
    execute(grown, "CREATE INDEX slow ON derived.grown (derived.slow(id)) WHERE id IS NULL")
    add_rows(grown, 10_000)
    execute(grown, "INSERT INTO derived.grown VALUES (NULL)")
    execute(grown, create.format("PERFORM pg_sleep(60); RETURN id; END"))  # not before: the insert calls it, too
    cancelling = threading.Thread(target=cancel_what_sleeps, args=(grown,))
    cancelling.start()
    assert tidy_tables(grown) == []
    cancelling.join()


def cancel_what_sleeps(grown: Database) -> None:
    statement = "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'"
    until = time.monotonic() + 50
    while not query(grown, statement) and time.monotonic() < until:
        time.sleep(0.05)


def test_of_a_partitioned_table_the_root_is_tidied(grown: Database) -> None:
    execute(
        grown,
        "CREATE SCHEMA IF NOT EXISTS partitions",
        "CREATE TABLE derived.parts (id uuid) PARTITION BY HASH (id)",
        "CREATE TABLE partitions.part_0 PARTITION OF derived.parts FOR VALUES WITH (MODULUS 2, REMAINDER 0)",
        "CREATE TABLE partitions.part_1 PARTITION OF derived.parts FOR VALUES WITH (MODULUS 2, REMAINDER 1)",
    )
    tidy_tables(grown)
    add_rows(grown, 20_000, "derived.parts")
    assert tidy_tables(grown) == ["derived.parts"]
    assert query(grown, "SELECT DISTINCT tablename FROM pg_stats WHERE tablename LIKE 'part%%' ORDER BY 1") == [
        ("part_0",),
        ("part_1",),
        ("parts",),
    ]
    assert expected_rows(grown, "derived.parts") == 20_000
    assert tidy_tables(grown) == []


def test_tables_of_others_are_left(grown: Database) -> None:
    add_rows(grown, 10_000)
    with psycopg.connect(administrator_url(grown), autocommit=True) as connection:
        connection.execute("ALTER TABLE derived.grown OWNER TO CURRENT_USER")
    assert tidy_tables(grown) == []


def test_all_tables_are_analyzed_at_night(new_migrated_database: Callable[[], Database]) -> None:
    database = new_migrated_database()
    assert analyze_all_tables(database) > 20
    of_messages = "SELECT last_analyze IS NOT NULL FROM pg_stat_user_tables WHERE relid = 'raw.messages'::regclass"
    assert query(database, of_messages) == [(True,)]
