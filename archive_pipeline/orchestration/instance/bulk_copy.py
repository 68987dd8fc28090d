"""Rows of Dagster's tables, appended by ``COPY``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from io import StringIO
from typing import Any

import sqlalchemy
from psycopg2 import sql

from archive_pipeline.store.sql_files import load_query

Row = Mapping[str, Any]


def copy_rows(connection: sqlalchemy.Connection, table: sqlalchemy.Table, rows: Sequence[Row]) -> None:
    """Append rows, all with the same columns, in the connection's transaction; twice as fast as INSERT."""
    if rows:
        lines = "".join("\t".join(map(_copy_text, row.values())) + "\n" for row in rows)
        with closing(connection.connection.cursor()) as cursor:
            columns = sql.SQL(", ").join(map(sql.Identifier, rows[0]))
            statement = sql.SQL(load_query("dagster/copy_rows"))
            copy = statement.format(relation=sql.Identifier(table.name), column_names=columns)
            cursor.copy_expert(copy, StringIO(lines))


def _copy_text(value: object) -> str:
    if value is None:
        return r"\N"
    # Several times faster than str.translate on texts of some kilobytes.
    return str(value).replace("\\", r"\\").replace("\t", r"\t").replace("\n", r"\n").replace("\r", r"\r")
