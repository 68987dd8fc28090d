"""Bulk loading: frames to PostgreSQL's COPY text format, column by column."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd
import psycopg
from psycopg import sql
from sqlalchemy import JSON, Boolean, DateTime, Double, Integer, LargeBinary, Table, Text

NULL: Final = r"\N"
_ROWS_PER_WRITE: Final = 2_000


@dataclass(frozen=True, slots=True)
class EncodedRows:
    """Rows of a table in COPY's text format.

    Attributes:
        table: the table.
        columns: names of its columns, in order.
        count: how many rows.
        pieces: whole lines.
    """

    table: Table
    columns: tuple[str, ...]
    count: int
    pieces: list[bytes]


def encode_rows(table: Table, rows: pd.DataFrame) -> EncodedRows:
    """Encode a frame for the table.

    The frame's columns are columns of the table; columns that it lacks get their defaults. JSON is given as text, times
    as ``datetime64`` in UTC or as aware datetimes.
    """
    return EncodedRows(table, tuple(rows.columns), len(rows), [text.encode() for text in encode(table, rows)])


def copy_rows(connection: psycopg.Connection[Any], rows: EncodedRows) -> int:
    """Append the rows to their table, in the current transaction; return how many there were."""
    if not rows.count:
        return 0
    statement = sql.SQL("COPY {} ({}) FROM STDIN").format(
        sql.Identifier(rows.table.schema or "public", rows.table.name),
        sql.SQL(", ").join(map(sql.Identifier, rows.columns)),
    )
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        for piece in rows.pieces:
            copy.write(piece)
    return rows.count


def copy_frame(connection: psycopg.Connection[Any], table: Table, rows: pd.DataFrame) -> int:
    """Append the frame's rows to the table, in the current transaction; return how many there were."""
    return copy_rows(connection, encode_rows(table, rows))


@contextmanager
def foreign_keys_unchecked(connection: psycopg.Connection[Any]) -> Iterator[None]:
    """Load without a foreign key look-up per row, where the role may, until the end of the block.

    For rows whose keys hold by construction: the look-ups take longer than the rest of the load. A role without the
    privilege to switch them off loads with them.
    """
    row = connection.execute("SELECT has_parameter_privilege('session_replication_role', 'SET')").fetchone()
    if row is None or not row[0]:
        yield
        return
    connection.execute("SET LOCAL session_replication_role = replica")
    yield
    connection.execute("SET LOCAL session_replication_role = origin")


def encode(table: Table, rows: pd.DataFrame) -> Iterator[str]:
    """Yield the rows in COPY's text format, in pieces of whole lines."""
    columns = [_encode_column(table.columns[name].type, rows[name]) for name in rows.columns]
    for start in range(0, len(rows), _ROWS_PER_WRITE):
        pieces = [column[start : start + _ROWS_PER_WRITE] for column in columns]
        yield "\n".join(map("\t".join, zip(*pieces, strict=True))) + "\n"


def _encode_column(kind: Any, values: pd.Series[Any]) -> list[str]:
    if isinstance(kind, Boolean):
        return [_BOOLEAN[value] for value in values.tolist()]
    if isinstance(kind, DateTime):
        return _encode_times(values)
    if isinstance(kind, (Integer, Double)):
        return [NULL if value is None else str(value) for value in values.tolist()]
    if isinstance(kind, LargeBinary):
        return [NULL if value is None else rf"\\x{value.hex()}" for value in values.tolist()]
    if isinstance(kind, (Text, JSON)):
        return [NULL if value is None else _escape(value) for value in values.tolist()]
    return [NULL if value is None else value for value in values.tolist()]  # uuids


def _encode_times(values: pd.Series[Any]) -> list[str]:
    if values.dtype == object:
        return [NULL if value is None else value.isoformat() for value in values.tolist()]
    texts: list[str] = np.datetime_as_string(values.to_numpy(dtype="datetime64[us]"), timezone="UTC").tolist()
    return [NULL if text == "NaT" else text for text in texts]


def _escape(text: str) -> str:
    # Most short values (roles, hashes, keys) hold nothing to escape, and looking costs less than four copies.
    if "\\" in text:
        text = text.replace("\\", "\\\\")
    if "\n" in text:
        text = text.replace("\n", "\\n")
    if "\t" in text:
        text = text.replace("\t", "\\t")
    if "\r" in text:
        text = text.replace("\r", "\\r")
    return text


_BOOLEAN: Final = {True: "t", False: "f", None: NULL}
