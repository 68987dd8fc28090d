"""Rows of Dagster's tables, appended by ``COPY``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any

import sqlalchemy
from psycopg2 import sql

from archive_pipeline.store.sql_files import load_query


def copy_rows(
    connection: sqlalchemy.Connection,
    table: sqlalchemy.Table,
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    common: Mapping[str, Any],
) -> None:
    """Append rows in the connection's transaction; twice as fast as INSERT.

    Each row is asked for while PostgreSQL is at work on those before it; none is kept.

    Args:
        connection: to the database.
        table: of Dagster.
        columns: whose values the rows have.
        rows: the values of each row.
        common: values of further columns, which are the same in all rows.
    """
    end = "".join("\t" + _copy_text(value) for value in common.values()) + "\n"
    lines = ("\t".join(map(_copy_text, row)) + end for row in rows)
    with closing(connection.connection.cursor()) as cursor:
        names = sql.SQL(", ").join(map(sql.Identifier, [*columns, *common]))
        statement = sql.SQL(load_query("dagster/copy_rows"))
        copy = statement.format(relation=sql.Identifier(table.name), column_names=names)
        cursor.copy_expert(copy, _Lines(lines))


class _Lines:
    """A file that is made while it is read, line by line whatever is asked for."""

    def __init__(self, lines: Iterator[str]) -> None:
        self._lines = lines

    def read(self, _size: int) -> str:
        """Return the next line."""
        return next(self._lines, "")


def _copy_text(value: object) -> str:
    if value is None:
        return r"\N"
    # Several times faster than str.translate on texts of some kilobytes.
    return str(value).replace("\\", r"\\").replace("\t", r"\t").replace("\n", r"\n").replace("\r", r"\r")
