"""Tables of dialogues, whole and in hash partitions, side by side; and how long archives take to change.

    python -m benchmarks.table_partitions [--dialogues 330] [--doublings 4] [--partitions 16] [--rounds 5]

A synthetic archive is imported and built, and doubled by copies of its rows with other ids. Then: how long a
migration of its keys takes, how long the way into partitions, and, on two databases in turns, COPY of messages,
deletion of dialogues, look-ups and VACUUM; last, loads with and without secondary indexes. Prints seconds and median
ratios, partitioned to whole.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final

import psycopg
from alembic import command
from psycopg import sql
from sqlalchemy import Table, Text, Uuid

from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.ingest.importer import import_archive
from archive_pipeline.readers.reading import read_paths
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.migrate import alembic_config, migrate
from archive_pipeline.store.server.embedded import release
from archive_pipeline.store.table_partitions import partition_tables
from archive_pipeline.store.tables import metadata
from archive_pipeline.store.tables.spread import tables_of_dialogues
from benchmarks.corpus import write_corpus

BEFORE: Final = "0020"
# Values that are each once in a table beside uuids.
_NAMES: Final = {"partition_key", "pair_id", "source_id"}
_COPIED: Final = ("raw.dialogues", "raw.messages", "raw.content_parts")
_DELETED: Final = 20
_LOOKED_UP: Final = 500


def main() -> None:
    """Measure, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name, default in (("dialogues", 330), ("doublings", 4), ("partitions", 16), ("rounds", 5)):
        parser.add_argument(f"--{name}", type=int, default=default)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="partitions-") as folder:
        settings = Settings(home=Path(folder) / "home")
        whole = _archive(settings, Path(folder) / "conversations.json", given.dialogues, given.doublings)
        [(messages,)] = _fetch(whole, "SELECT count(*) FROM raw.messages")
        print(f"{messages:,} messages")
        _measure_migration(whole, messages)
        spread = _twin(whole)
        seconds = _seconds(lambda: list(partition_tables(spread, given.partitions)))
        per_million = seconds / messages * 1e6
        print(f"into {given.partitions} partitions: {seconds:.1f} s, {per_million:.0f} s per million messages")
        _compare(whole, spread, given.doublings, given.rounds)
        _measure_late_indexes(whole)
        for each in (whole, spread):
            each.engine.dispose()
        release(settings.postgres_folder)


def _archive(settings: Settings, path: Path, dialogues: int, doublings: int) -> Database:
    database = Database.open(settings)
    migrate(database)
    written = write_corpus(path, dialogues=dialogues, seed=7)
    seconds = _seconds(lambda: import_archive(database, read_paths([str(path)])))
    print(f"import of {written.messages:,} messages: {seconds:.1f} s; build: ", end="")
    print(f"{_seconds(lambda: build_stale(database, settings)):.1f} s")
    with database.session() as connection:
        connection.execute("SET LOCAL session_replication_role = replica")
        for table in tables_of_dialogues():
            for copy in range(doublings):
                connection.execute(_copying(table, copy))
    with psycopg.connect(database.url, autocommit=True) as connection:
        connection.execute("VACUUM ANALYZE")
    return database


def _copying(table: Table, copy: int, limit: str = "") -> sql.Composed:
    """Return the statement that copies a table's rows with other ids, which are the same in every table."""
    names: list[sql.Composable] = []
    values: list[sql.Composable] = []
    for column in table.columns:
        if column.computed is not None or column.name == "chunk_number":
            continue
        name = sql.Identifier(column.name)
        names.append(name)
        if isinstance(column.type, Uuid) and not column.name.endswith("import_id"):
            values.append(sql.SQL("md5({}::text || {})::uuid").format(name, sql.Literal(str(copy))))
        elif isinstance(column.type, Text) and column.name in _NAMES:
            values.append(sql.SQL("{} || {}").format(name, sql.Literal(f"_{copy}")))
        else:
            values.append(name)
    return sql.SQL("INSERT INTO {table} ({names}) SELECT {values} FROM {table} {limit}").format(
        table=sql.Identifier(str(table.schema), table.name),
        names=sql.SQL(", ").join(names),
        values=sql.SQL(", ").join(values),
        limit=sql.SQL(limit),
    )


def _measure_migration(database: Database, messages: int) -> None:
    with database.engine.begin() as connection:
        config = alembic_config()
        config.attributes["connection"] = connection
        command.downgrade(config, BEFORE)
    with database.engine.begin() as connection:
        config.attributes["connection"] = connection
        seconds = _seconds(lambda: command.upgrade(config, "head"))
    print(f"migration of keys: {seconds:.1f} s, {seconds / messages * 1e6:.0f} s per million messages")
    migrate(database)


def _measure_late_indexes(database: Database) -> None:
    """Load every table with its secondary indexes there, and with them made afterwards."""
    total = {"there": 0.0, "made after": 0.0}
    for table in tables_of_dialogues():
        target = sql.Identifier("pg_temp", f"loaded_{table.name}")
        source = sql.Identifier(str(table.schema), table.name)
        load = sql.SQL("INSERT INTO {} ({columns}) SELECT {columns} FROM {}").format(
            target,
            source,
            columns=sql.SQL(", ").join(sql.Identifier(c.name) for c in table.columns if c.computed is None),
        )
        for when in total:
            with database.session() as connection:
                connection.execute(sql.SQL("CREATE TEMPORARY TABLE {} (LIKE {} INCLUDING ALL)").format(target, source))
                secondary = connection.execute(
                    "SELECT indexrelid::regclass::text, pg_get_indexdef(indexrelid) FROM pg_index"
                    " WHERE indrelid = %s::regclass AND NOT indisunique",
                    [target.as_string(connection)],
                ).fetchall()
                if when == "made after":
                    for name, _ in secondary:
                        connection.execute(sql.SQL(f"DROP INDEX {name}"))
                started = time.perf_counter()
                connection.execute(load)
                if when == "made after":
                    for _, definition in secondary:
                        connection.execute(definition.encode())
                total[when] += time.perf_counter() - started
                connection.execute(sql.SQL("DROP TABLE {}").format(target))
    print(", ".join(f"load with secondary indexes {when}: {seconds:.1f} s" for when, seconds in total.items()))


def _twin(database: Database) -> Database:
    database.engine.dispose()
    administrator = database.url.replace("//archive@", "//postgres@").replace("/archive?", "/postgres?")
    with psycopg.connect(administrator, autocommit=True) as connection:
        connection.execute("CREATE DATABASE twin TEMPLATE archive OWNER archive")
    return Database(database.url.replace("/archive?", "/twin?"))


def _compare(whole: Database, spread: Database, doublings: int, rounds: int) -> None:
    works: dict[str, Callable[[Database, int], object]] = {
        "COPY of messages": lambda database, at: _copy_rows(database, doublings + at),
        "deletion of dialogues": _delete,
        "look-ups by id": lambda database, at: _look_up(database, "id = %(id)s", at),
        "look-ups by id and dialogue": lambda database, at: _look_up(
            database, "id = %(id)s AND dialogue_id = %(dialogue_id)s", at
        ),
        "VACUUM of messages": lambda database, _: _vacuum(database),
    }
    for name, work in works.items():
        pairs = []
        for at in range(rounds):
            order = (whole, spread) if at % 2 else (spread, whole)
            took = {id(each): _seconds(partial(work, each, at)) for each in order}
            pairs.append((took[id(whole)], took[id(spread)]))
        ratio = statistics.median(after / before for before, after in pairs)
        before, after = (statistics.median(side) for side in zip(*pairs, strict=True))
        print(f"{name}: {before:.3f} s whole, {after:.3f} s in partitions, ratio {ratio:.2f}")


def _copy_rows(database: Database, copy: int) -> None:
    """Copy the first export's rows out and, with other ids, in again, as imports load them."""
    with database.session() as connection:
        connection.execute("SET LOCAL session_replication_role = replica")
        for name in _COPIED:
            table = metadata.tables[name]
            target = sql.Identifier(str(table.schema), table.name)
            connection.execute(sql.SQL("CREATE TEMPORARY TABLE given (LIKE {}) ON COMMIT DROP").format(target))
            into = _copying(table, copy, "LIMIT 5000").as_string(connection)
            connection.execute(
                into.replace(f'INSERT INTO "{table.schema}"."{table.name}"', "INSERT INTO given").encode()
            )
            with connection.cursor() as cursor, cursor.copy("COPY given TO STDOUT") as out:
                rows = b"".join(bytes(piece) for piece in out)
            with (
                connection.cursor() as cursor,
                cursor.copy(sql.SQL("COPY {} FROM STDIN").format(target)) as copying,
            ):
                copying.write(rows)
            connection.execute("DROP TABLE given")


def _delete(database: Database, at: int) -> None:
    with database.session() as connection:
        connection.execute(
            "DELETE FROM raw.dialogues WHERE id IN (SELECT id FROM raw.dialogues ORDER BY id OFFSET %s LIMIT %s)",
            [at * 100, _DELETED],
        )


def _look_up(database: Database, condition: str, at: int) -> None:
    with database.session() as connection:
        rows = connection.execute(
            "SELECT id, dialogue_id FROM raw.messages ORDER BY id OFFSET %s LIMIT %s", [at * _LOOKED_UP, _LOOKED_UP]
        ).fetchall()
        statement = sql.SQL("SELECT role FROM raw.messages WHERE {}").format(sql.SQL(condition))
        started = time.perf_counter()
        for id_, dialogue_id in rows:
            connection.execute(statement, {"id": id_, "dialogue_id": dialogue_id}).fetchone()
        _taken.append(time.perf_counter() - started)


_taken: list[float] = []


def _vacuum(database: Database) -> None:
    with psycopg.connect(database.url, autocommit=True) as connection:
        connection.execute("VACUUM raw.messages")


def _fetch(database: Database, statement: str) -> list[tuple[Any, ...]]:
    with database.session() as connection:
        return connection.execute(statement.encode()).fetchall()


def _seconds(work: Callable[[], object]) -> float:
    _taken.clear()
    started = time.perf_counter()
    work()
    return _taken[0] if _taken else time.perf_counter() - started


if __name__ == "__main__":
    main()
