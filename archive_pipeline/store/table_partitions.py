"""Splitting the tables of rows of dialogues into hash partitions by dialogue, or making them whole again.

Each table is copied in a transaction of its own, so what was interrupted goes on with the next table. Partitions are in
a schema of their own: in ``raw``, ``derived`` and ``annotations`` the tables are what they were, by the same names and
with the same columns, keys, indexes, settings (privileges, row-level security, …) and rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple, cast

import psycopg
from psycopg import sql
from sqlalchemy import Table

from archive_pipeline.errors import DatabaseUnavailableError, DatabaseVersionError
from archive_pipeline.store import locks
from archive_pipeline.store.database import Database
from archive_pipeline.store.failures import reason_of
from archive_pipeline.store.rows import fetch_column, fetch_rows
from archive_pipeline.store.settings_of_relations import TableSettings, change_owner, refuse_obstacles
from archive_pipeline.store.sql_files import load_query
from archive_pipeline.store.tables.spread import spread_column, tables_of_dialogues
from archive_pipeline.store.views import readers_made_anew, view_texts

PARTITIONS: Final = "partitions"
_NEW: Final = "new_{}"


class _Constraint(NamedTuple):
    """A primary, unique or foreign key; ``table_name`` is qualified and quoted where needed, as ``definition`` is."""

    table_name: str
    name: str
    definition: str
    is_foreign: bool


def partition_counts(connection: psycopg.Connection[Any]) -> dict[str, int]:
    """Return how many partitions each table of rows of dialogues has, by its full name; 0 for a whole one."""
    parameters = {"names": [table.fullname for table in tables_of_dialogues()]}
    return dict(connection.execute(load_query("partitions/partition_counts"), parameters).fetchall())


def partition_tables(database: Database, count: int) -> Iterator[tuple[str, int]]:
    """Split every table of rows of dialogues into partitions; yield name and rows of each that was copied.

    Nobody else may write to the archive meanwhile; who reads a table waits while that is exchanged.

    Args:
        database: a migrated archive, with room for the largest table and its indexes once more.
        count: partitions per table; 0 makes the tables whole again.

    Raises:
        DatabaseVersionError: something of the user's own, such as a view, depends on a table, or is set on it and
            cannot be kept, such as a trigger.
        DatabaseUnavailableError: the server has no room for the locks on so many partitions, or the role may not give
            a table to its owner.
    """
    texts = view_texts()
    for table in tables_of_dialogues():
        with database.engine.begin() as pooled:
            connection = cast("psycopg.Connection[Any]", pooled.connection.driver_connection)
            locks.hold_in_transaction(connection, locks.MIGRATION)
            if partition_counts(connection)[table.fullname] == count:
                continue
            try:
                refuse_obstacles(connection, table.fullname)
                with readers_made_anew(pooled, texts, table.fullname):
                    rows = _exchange(connection, table, count)
            except psycopg.errors.DependentObjectsStillExist as error:
                raise DatabaseVersionError(
                    f"{table.fullname} cannot be exchanged, since something else uses it "
                    f"({error.diag.message_detail}); "
                    "drop that, run the command again, and create it anew"
                ) from error
            except psycopg.errors.InsufficientPrivilege as error:
                raise DatabaseUnavailableError(
                    f"{table.fullname} cannot be exchanged: {reason_of(error)}; run the command as the table's owner, "
                    "or as a superuser"
                ) from error
            except psycopg.errors.OutOfMemory as error:
                raise DatabaseUnavailableError(
                    f"the server cannot lock so many partitions of {table.fullname} at once; raise its "
                    "max_locks_per_transaction, or ask for fewer, and run the command again"
                ) from error
        yield table.fullname, rows


def _exchange(connection: psycopg.Connection[Any], table: Table, count: int) -> int:
    """Put a copy of a table in its place, with its keys, indexes and settings; return its number of rows."""
    name = {"table": table.fullname}
    old = sql.Identifier(str(table.schema), table.name)
    new = sql.Identifier(str(table.schema), _NEW.format(table.name))
    connection.execute(sql.SQL("LOCK TABLE {} IN ACCESS EXCLUSIVE MODE").format(old))
    # The old one is there, or its tablespace would be an obstacle.
    connection.execute(load_query("relations/own_tablespace"))
    # Keys of other tables to this one are dropped too: nobody uses any of them until the end of the transaction.
    constraints = fetch_rows(connection, "partitions/constraints", _Constraint, name)
    indexes = fetch_column(connection, "partitions/indexes", str, name)
    settings = TableSettings.of(connection, table.fullname)
    settings.take_off(connection, table.fullname)
    parts = _create(connection, table, old, new, count)
    rows = _copy(connection, table, old, new)
    for each in constraints:
        if each.is_foreign:
            _alter(connection, each.table_name, "DROP CONSTRAINT {}", sql.Identifier(each.name))
    connection.execute(sql.SQL("DROP TABLE {}").format(old))
    connection.execute(sql.SQL("ALTER TABLE {} RENAME TO {}").format(new, sql.Identifier(table.name)))
    for each in sorted(constraints, key=lambda constraint: constraint.is_foreign):
        definition = sql.SQL(f"{{}} {each.definition}")  # as the server wrote it
        _alter(connection, each.table_name, "ADD CONSTRAINT {}", definition.format(sql.Identifier(each.name)))
    for statement in indexes:
        connection.execute(statement.encode())
    settings.set(connection, table.fullname)
    for part in parts:
        change_owner(connection, part.as_string(), settings.rights.owner)
    connection.execute(sql.SQL(load_query("summary/analyze_table")).format(relation=old))
    return rows


def _create(
    connection: psycopg.Connection[Any], table: Table, old: sql.Identifier, new: sql.Identifier, count: int
) -> list[sql.Identifier]:
    """Create a table like the old one, and return its partitions."""
    # Statistics objects would get other names.
    options = sql.SQL("INCLUDING ALL EXCLUDING INDEXES EXCLUDING STATISTICS")
    like = sql.SQL("CREATE TABLE {} (LIKE {} {})").format(new, old, options)
    if not count:
        connection.execute(like)
        return []
    column = sql.Identifier(str(spread_column(table)))
    connection.execute(like + sql.SQL(" PARTITION BY HASH ({})").format(column))
    connection.execute(sql.SQL("CREATE SCHEMA IF NOT EXISTS {}").format(sql.Identifier(PARTITIONS)))
    parts = [
        sql.Identifier(PARTITIONS, f"{table.schema}_{table.name}_{count}_{remainder}") for remainder in range(count)
    ]
    for remainder, part in enumerate(parts):
        statement = sql.SQL("CREATE TABLE {} PARTITION OF {} FOR VALUES WITH (MODULUS {}, REMAINDER {})")
        connection.execute(statement.format(part, new, sql.Literal(count), sql.Literal(remainder)))
    return parts


def _copy(connection: psycopg.Connection[Any], table: Table, old: sql.Identifier, new: sql.Identifier) -> int:
    names = fetch_column(connection, "partitions/columns", str, {"table": table.fullname})
    columns = sql.SQL(", ").join(map(sql.Identifier, names))
    statement = sql.SQL("INSERT INTO {new} ({columns}) SELECT {columns} FROM {old}")
    connection.execute(load_query("relations/row_security"), {"value": "off"})
    rows = connection.execute(statement.format(new=new, old=old, columns=columns)).rowcount
    connection.execute(load_query("relations/row_security"), {"value": "on"})  # else keys to hidden rows are an error
    return rows


def _alter(connection: psycopg.Connection[Any], table_name: str, change: str, what: sql.Composable) -> None:
    statement = sql.SQL(f"ALTER TABLE {table_name} {change}")  # the name is the server's
    connection.execute(statement.format(what))
