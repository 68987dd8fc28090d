"""Tables of dialogues in hash partitions: the same rows, keys, indexes, privileges and views, and back again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.building.verify import verify_archive
from archive_pipeline.errors import DatabaseUnavailableError, DatabaseVersionError
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.migrate import migrate
from archive_pipeline.store.raw_writes import delete_dialogues
from archive_pipeline.store.sql_files import load_query
from archive_pipeline.store.table_partitions import PARTITIONS, partition_counts, partition_tables
from archive_pipeline.store.tables.spread import tables_of_dialogues
from archive_pipeline_tests.conftest import administrator_url
from archive_pipeline_tests.exports import chain, chatgpt, load
from archive_pipeline_tests.store.schema import differences
from archive_pipeline_tests.tables import derived_rows, query, raw_rows
from archive_pipeline_tests.variants import some_of

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.filterwarnings("ignore:Computed default on exchange_content.full_text:UserWarning"),
]

COUNT = 2
DIALOGUES = 12


def partition(database: Database, count: int = COUNT) -> list[str]:
    return [name for name, _ in partition_tables(database, count)]


def counts(database: Database) -> set[int]:
    with database.session() as connection:
        return set(partition_counts(connection).values())


def talks(texts: Callable[[int], tuple[str, ...]]) -> list[dict[str, Any]]:
    return [chatgpt(f"c{at}", chain(*texts(at), prefix=f"m{at}-")) for at in range(DIALOGUES)]


def archived(database: Database, path: Path, settings: Settings) -> None:
    """Import, build, change, build: what a life of an archive does."""
    migrate(database)
    load(database, path, *talks(lambda at: (f"question {at}", f"answer {at}", "and?", f"more {at}")))
    build_stale(database, settings)
    load(database, path, *talks(lambda at: (f"question {at}", f"answer {at}", *(["else?", "no"] if at % 3 else []))))
    build_stale(database, settings)


@pytest.fixture
def partitioned(new_migrated_database: Callable[[], Database]) -> Database:
    """An empty archive whose tables are partitioned."""
    database = new_migrated_database()
    assert partition(database) == [table.fullname for table in tables_of_dialogues()]
    return database


def test_an_archive_of_partitions_has_the_rows_of_a_plain_one(
    partitioned: Database, database: Database, tmp_path: Path, settings: Settings
):
    for each in (partitioned, database):
        archived(each, tmp_path / "c.json", settings)
    assert raw_rows(partitioned) == raw_rows(database)
    assert derived_rows(partitioned) == derived_rows(database)
    held = [count for (count,) in query(partitioned, "SELECT count(*) FROM raw.messages GROUP BY tableoid")]
    assert len(held) == COUNT
    assert verify_archive(partitioned, settings).drift == {}
    ids = [name for (name,) in query(partitioned, "SELECT id::text FROM raw.dialogues ORDER BY 1 LIMIT 5")]
    for each in (partitioned, database):
        with each.session() as connection:
            delete_dialogues(connection, ids)
    assert raw_rows(partitioned) == raw_rows(database)
    assert derived_rows(partitioned) == derived_rows(database)
    assert query(partitioned, "SELECT count(*) FROM raw.dialogues") == [(DIALOGUES - 5,)]


def test_an_archive_moves_into_partitions_and_back(
    new_database: Callable[[], Database], tmp_path: Path, settings: Settings
):
    database = new_database()
    archived(database, tmp_path / "c.json", settings)
    before = raw_rows(database), derived_rows(database), schema(database)
    assert len(partition(database)) == len(tables_of_dialogues())
    assert (raw_rows(database), derived_rows(database)) == before[:2]
    assert counts(database) == {COUNT}
    assert differences(database) == []
    assert partition(database) == []
    migrate(database)
    sizes = {name: size for name, size in query(database, load_query("summary/table_sizes")) if name == "raw.messages"}
    assert sizes["raw.messages"] > 0
    assert len(partition(database, 3)) == len(tables_of_dialogues())
    assert counts(database) == {3}
    partition(database, 0)
    assert (raw_rows(database), derived_rows(database), schema(database)) == before
    assert query(database, "SELECT count(*) FROM pg_class WHERE relnamespace::regnamespace::text = %s", PARTITIONS) == [
        (0,)
    ]


def schema(database: Database) -> list[tuple[object, ...]]:
    """Constraints, indexes, columns and comments of every table."""
    return query(
        database,
        "SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint "
        "WHERE connamespace::regnamespace::text = ANY(%s) "
        "UNION ALL SELECT tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = ANY(%s) "
        "UNION ALL SELECT attrelid::regclass::text, attname, concat_ws(' ', format_type(atttypid, atttypmod), "
        "attnotnull, attgenerated, attstorage, col_description(attrelid, attnum), obj_description(attrelid)) "
        "FROM pg_attribute JOIN pg_class AS t ON t.oid = attrelid WHERE attnum > 0 AND NOT attisdropped "
        "AND relkind = 'r' AND relnamespace::regnamespace::text = ANY(%s) ORDER BY 1, 2, 3",
        *[["raw", "derived", "annotations"]] * 3,
    )


def test_what_was_interrupted_goes_on_with_the_next_table(new_migrated_database: Callable[[], Database]):
    database = new_migrated_database()
    moved = partition_tables(database, COUNT)
    first = [next(moved)[0] for _ in range(4)]
    moved.close()
    assert counts(database) == {0, COUNT}
    migrate(database)
    names = [table.fullname for table in tables_of_dialogues()]
    assert (first, partition(database)) == (names[:4], names[4:])
    assert differences(database) == []


def test_privileges_stay_and_a_view_of_the_users_own_is_named(new_migrated_database: Callable[[], Database]):
    database = new_migrated_database()
    with database.session() as connection:
        connection.execute("GRANT SELECT ON raw.messages TO PUBLIC")
        connection.execute("CREATE VIEW raw.mine AS SELECT id FROM raw.content_parts")
    with pytest.raises(DatabaseVersionError, match=r"raw.content_parts cannot be exchanged.*raw.mine"):
        partition(database)
    with database.session() as connection:
        connection.execute("DROP VIEW raw.mine")
    partition(database)
    granted = "SELECT has_table_privilege('public', 'raw.messages', 'SELECT')"
    assert query(database, granted) == [(True,)]
    assert query(database, granted.replace("messages", "attachments")) == [(False,)]


@pytest.fixture
def other_tablespace(archive: Database) -> Iterator[str]:
    """A tablespace that the role of the archive may use."""
    with psycopg.connect(administrator_url(archive), autocommit=True) as connection:
        connection.execute("SET allow_in_place_tablespaces = on")
        connection.execute("CREATE TABLESPACE elsewhere LOCATION ''")
        connection.execute("GRANT CREATE ON TABLESPACE elsewhere TO archive")
    yield "elsewhere"
    with psycopg.connect(administrator_url(archive), autocommit=True) as connection:
        connection.execute("DROP TABLESPACE elsewhere")


@pytest.mark.parametrize("default", some_of(["elsewhere", "pg_default"]))
def test_tables_stay_where_they_are_whatever_the_default_tablespace_is(
    default: str, new_migrated_database: Callable[[], Database], other_tablespace: str, tmp_path: Path
):
    made = new_migrated_database()
    database = Database(f"{made.url}&options=-cdefault_tablespace%3D{default}")
    load(database, tmp_path / "c.json", *talks(lambda at: (f"question {at}", f"answer {at}")))
    before = raw_rows(database), schema(database)
    assert len(partition(database)) == len(partition(database, 0)) == len(tables_of_dialogues())
    assert (raw_rows(database), schema(database)) == before
    assert query(database, "SELECT relname FROM pg_class WHERE reltablespace <> 0 AND NOT relisshared") == []
    database.engine.dispose()


def test_keys_hold_in_partitions(partitioned: Database, tmp_path: Path):
    load(partitioned, tmp_path / "c.json", chatgpt("a", chain("x", "y")))
    for statement in (
        "INSERT INTO raw.dialogues SELECT * FROM raw.dialogues",
        "INSERT INTO raw.messages SELECT * FROM raw.messages",
    ):
        with pytest.raises(psycopg.errors.UniqueViolation), partitioned.session() as connection:
            connection.execute(statement)
    with pytest.raises(psycopg.errors.ForeignKeyViolation), partitioned.session() as connection:
        connection.execute("UPDATE raw.content_parts SET message_id = gen_random_uuid()")


def test_more_partitions_than_the_server_can_lock_are_an_error_that_says_so(
    new_migrated_database: Callable[[], Database],
):
    database = new_migrated_database()
    with psycopg.connect(database.url, autocommit=True) as others:
        with pytest.raises(psycopg.errors.OutOfMemory):  # other sessions hold all the locks there can be
            others.execute("SELECT pg_advisory_lock(number) FROM generate_series(1, 10_000_000) AS number")
        others.execute("SELECT pg_advisory_unlock(number) FROM generate_series(1, 100) AS number")
        with pytest.raises(DatabaseUnavailableError, match=r"raw.dialogues at once; raise its max_locks_per_transact"):
            partition(database, 64)
    assert counts(database) == {0}
