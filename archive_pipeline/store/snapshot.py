"""One state of the archive, read over two connections: rows by psycopg, large results as Arrow by ADBC."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

import adbc_driver_manager
import psycopg
import pyarrow as pa

from archive_pipeline.errors import QueryTimeoutError
from archive_pipeline.store.database import Database, arrow_connection
from archive_pipeline.store.sql_files import load_query, uuid_array

_TIMED_OUT: Final = "57014"
# What is read must be the same whatever the zone of the server.
_ZONE: Final = "SET LOCAL TIME ZONE 'UTC'"


@dataclass(frozen=True)
class Snapshot:
    """What both connections see is the same, whatever is written meanwhile; one thread at a time reads from it.

    Attributes:
        connection: of a transaction that only reads.
    """

    connection: psycopg.Connection[Any]
    _arrow: Any

    def of_dialogues(self, query: str, dialogue_ids: Sequence[str]) -> pa.Table:
        """Return the rows of a query about some dialogues; it has ``'{dialogue_ids}'`` where their ids go in."""
        return self.arrow(load_query(query).replace("{dialogue_ids}", uuid_array(dialogue_ids)))

    def arrow(self, statement: str) -> pa.Table:
        """Return the rows of a statement without parameters."""
        with self._arrow.cursor() as cursor:
            cursor.execute(statement.rstrip().removesuffix(";"))  # it becomes part of a COPY statement
            table: pa.Table = cursor.fetch_arrow_table()
        return table


@contextmanager
def read_snapshot(database: Database, *, seconds: float = 0) -> Iterator[Snapshot]:
    """Yield the archive's present state; both transactions end with it.

    Args:
        database: the archive.
        seconds: after which PostgreSQL ends a statement; 0 lets it run.

    Raises:
        QueryTimeoutError: a statement took too long.
    """
    limit = f"SET LOCAL statement_timeout = {round(seconds * 1_000)}"
    isolation = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"
    try:
        with database.session() as connection:
            connection.execute(isolation)
            connection.execute(limit)
            connection.execute(_ZONE)
            [(name,)] = connection.execute("SELECT pg_export_snapshot()").fetchall()
            with arrow_connection(database.conninfo, autocommit=False) as arrow:
                with arrow.cursor() as cursor:
                    for statement in (isolation, f"SET TRANSACTION SNAPSHOT '{name}'", limit, _ZONE):
                        cursor.execute(statement)
                yield Snapshot(connection, arrow)
    except psycopg.errors.QueryCanceled as error:
        raise QueryTimeoutError(_told(seconds)) from error
    except adbc_driver_manager.Error as error:
        if error.sqlstate != _TIMED_OUT:
            raise
        raise QueryTimeoutError(_told(seconds)) from error


def _told(seconds: float) -> str:
    return f"the archive was asked for more than {seconds:g} seconds, which is the limit"
