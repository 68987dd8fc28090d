"""Dead rows and statistics of tables that were written to: what PostgreSQL's autovacuum does where it has the time.

It looks at the tables once a minute. An embedded server mostly ends before that, with the command that started it: then
a table would grow by its own size with each rebuild, and searches would be planned as if there were next to no rows.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import psycopg
from psycopg import sql

from archive_pipeline.store.database import Database
from archive_pipeline.store.rows import fetch_rows
from archive_pipeline.store.sql_files import load_query

# Autovacuum's share, of dead rows and of growth; below so many rows and bytes nobody notices either.
_SHARE: Final = 0.2
_LEAST_DEAD: Final = 1_000
_SMALLEST_BYTES: Final = 65_536
# It is in use, was dropped since, was cancelled by somebody, or waits for a process that waits for it.
_LEFT: Final = (
    psycopg.errors.LockNotAvailable,
    psycopg.errors.DeadlockDetected,
    psycopg.errors.QueryCanceled,
    psycopg.errors.UndefinedTable,
)


class _Table(NamedTuple):
    schema_name: str
    table_name: str
    has_dead_rows: bool = False


def tidy_tables(database: Database) -> list[str]:
    """Vacuum tables with many dead rows, and analyze these and those that have grown.

    Readers and writers go on meanwhile. A table that somebody else vacuums is left, and so is one whose statement the
    server ends.

    Args:
        database: the archive's; tables that its role does not own are left.

    Returns:
        Names of the tables that were tidied, as ``schema.table``.
    """
    bounds = {"share": _SHARE, "least_dead": _LEAST_DEAD, "smallest": _SMALLEST_BYTES}
    with database.statements() as connection:
        tables = fetch_rows(connection, "summary/tables_to_tidy", _Table, bounds)
        return [f"{table.schema_name}.{table.table_name}" for table in tables if _tidy(connection, table)]


def analyze_all_tables(database: Database) -> int:
    """Refresh the planner's statistics of all tables of the archive; return how many there are."""
    with database.statements() as connection:
        tables = fetch_rows(connection, "summary/tables_to_analyze", _Table)
        for table in tables:
            _execute(connection, "summary/analyze_table", table)
        return len(tables)


def _tidy(connection: psycopg.Connection[Any], table: _Table) -> bool:
    try:
        if table.has_dead_rows:
            _execute(connection, "summary/vacuum_table", table)
        _execute(connection, "summary/analyze_table", table)
    except _LEFT:
        return False
    return True


def _execute(connection: psycopg.Connection[Any], query: str, table: _Table) -> None:
    relation = sql.Identifier(table.schema_name, table.table_name)
    connection.execute(sql.SQL(load_query(query)).format(relation=relation))
