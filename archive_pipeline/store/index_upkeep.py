"""Indexes built anew after large loads: keys that come in no order leave a B-tree a quarter larger than it need be.

An index is rebuilt when its table has at least doubled since the last time, so the work grows no faster than the
archive. Rebuilding is a transaction: a process that is killed meanwhile leaves the index as it was.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import psycopg
from psycopg import sql

from archive_pipeline.store.database import Database
from archive_pipeline.store.rows import fetch_rows
from archive_pipeline.store.sql_files import load_query

SMALLEST_BYTES: Final = 1024 * 1024
# About a second of work, for which writers of the table wait, and queries that could use the index.
LARGEST_BYTES: Final = 128 * 1024 * 1024
# Several times what the largest one takes, unless the disk is busy with other work.
LONGEST_MILLISECONDS: Final = 5_000
# It is in use, was dropped since, takes longer than it may, or the disk has no room for another one.
_LEFT: Final = (
    psycopg.errors.LockNotAvailable,
    psycopg.errors.DeadlockDetected,
    psycopg.errors.QueryCanceled,
    psycopg.errors.UndefinedTable,
    psycopg.errors.DiskFull,
)


class _GrownIndex(NamedTuple):
    schema_name: str
    index_name: str
    table_name: str
    table_bytes: int


def rebuild_grown_indexes(
    database: Database,
    *,
    smallest: int = SMALLEST_BYTES,
    largest: int = LARGEST_BYTES,
    longest: int = LONGEST_MILLISECONDS,
) -> list[str]:
    """Rebuild the indexes of tables that have doubled; those that cannot be now are left for the next time.

    Whoever uses one index of a table mostly holds all of them, so after one that could not be rebuilt no other one of
    its table is tried: others would wait behind each.

    Args:
        database: the archive's; tables that its role does not own are left.
        smallest: bytes of an index below which there is nothing to gain.
        largest: bytes of an index above which others would wait too long.
        longest: milliseconds after which a rebuild is given up.

    Returns:
        Names of the rebuilt indexes, as ``schema.index``.
    """
    with database.statements() as connection:
        bounds = {"smallest": smallest, "largest": largest}
        rebuilt: list[str] = []
        busy: set[tuple[str, str]] = set()
        for index in fetch_rows(connection, "summary/indexes_to_rebuild", _GrownIndex, bounds):
            table = (index.schema_name, index.table_name)
            if table in busy:
                continue
            if _rebuild(connection, index, longest):
                rebuilt.append(f"{index.schema_name}.{index.index_name}")
            else:
                busy.add(table)
        return rebuilt


def _rebuild(connection: psycopg.Connection[Any], index: _GrownIndex, longest: int) -> bool:
    """Rebuild an index in a transaction of its own, of which no statement takes longer; return whether it could be."""
    name = sql.Identifier(index.schema_name, index.index_name)
    rebuild = sql.SQL(load_query("summary/rebuild_index")).format(index=name)
    remember = remembered(index.schema_name, index.index_name, index.table_bytes)
    why_not = _execute(connection, longest, rebuild, remember)
    if isinstance(why_not, psycopg.errors.QueryCanceled):
        # It would take as long each time: others wait for it once, until the table has doubled.
        _execute(connection, longest, remember)
    return why_not is None


def remembered(schema: str, index: str, table_bytes: int) -> sql.Composed:
    """Return the statement that says how large the table of an index was when it was built anew."""
    words = sql.Literal(f"Rebuilt at {table_bytes} bytes of its table")
    return sql.SQL("COMMENT ON INDEX {} IS {}").format(sql.Identifier(schema, index), words)


def _execute(connection: psycopg.Connection[Any], longest: int, *statements: sql.Composed) -> psycopg.Error | None:
    """Execute statements in a transaction; return why nothing changed, by which only room is lost."""
    try:
        with connection.transaction():
            connection.execute(load_query("locks/limit_waiting"))
            connection.execute(load_query("locks/limit_statements"), {"milliseconds": longest})
            for statement in statements:
                connection.execute(statement)
    except _LEFT as error:
        return error
    return None
