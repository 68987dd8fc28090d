"""Bulk loading: frames to PostgreSQL's COPY, column by column."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt
import psycopg
from psycopg import sql
from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    DateTime,
    Double,
    Integer,
    LargeBinary,
    SmallInteger,
    Table,
    Text,
    Uuid,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.types import TypeEngine

from archive_pipeline.store.copy_binary import BinaryKind, encode_columns
from archive_pipeline.store.copy_text import NULL, ROWS_PER_PIECE, ColumnKind, encode_values, whole_lines

if TYPE_CHECKING:
    import pandas as pd


class CopyFormat(Enum):
    """A format of COPY."""

    TEXT = "text"
    BINARY = "binary"


@dataclass(frozen=True, slots=True)
class EncodedRows:
    """Rows of a table in a format of COPY.

    Attributes:
        table: the table.
        columns: names of its columns, in order.
        count: how many rows.
        pieces: whole lines, if it is text; what is to be written more than once has a list of them.
        form: the format.
    """

    table: Table
    columns: tuple[str, ...]
    count: int
    pieces: Iterable[bytes]
    form: CopyFormat = field(default=CopyFormat.TEXT, kw_only=True)


def encode_rows(table: Table, rows: pd.DataFrame) -> EncodedRows:
    """Encode a frame for the table.

    The frame's columns are columns of the table; columns that it lacks get their defaults. JSON is given as text, times
    as ``datetime64`` in UTC or as aware datetimes.
    """
    return EncodedRows(table, tuple(rows.columns), len(rows), [text.encode() for text in encode(table, rows)])


def encode_long_rows(table: Table, rows: pd.DataFrame) -> EncodedRows:
    """Do the same for rows of long texts: in binary, where nothing is escaped, they take half of the time.

    Short values take longer in it. Times are given as aware datetimes.
    """
    names = tuple(rows.columns)
    kinds = {name: binary_kind_of(table.columns[name].type) for name in names}
    encoded = encode_columns(names, [rows[name].tolist() for name in names], kinds)
    return EncodedRows(table, names, encoded.count, encoded.pieces, form=CopyFormat.BINARY)


def encode_values_of(table: Table, columns: Mapping[str, Sequence[Any]]) -> EncodedRows:
    """Encode a few short rows, of which columns are given as sequences, in text: a frame would take longer."""
    count = len(next(iter(columns.values())))
    encoded = [encode_values(kind_of(table.columns[name].type), values) for name, values in columns.items()]
    return EncodedRows(table, tuple(columns), count, [whole_lines(encoded).encode()] if count else [])


def copy_rows(connection: psycopg.Connection[Any], rows: EncodedRows) -> int:
    """Append the rows to their table, in the current transaction; return how many there were."""
    if rows.count:
        copy_pieces(connection, rows.table, rows.columns, rows.pieces, rows.form)
    return rows.count


def copy_pieces(
    connection: psycopg.Connection[Any],
    table: Table,
    columns: Sequence[str],
    pieces: Iterable[bytes],
    form: CopyFormat = CopyFormat.TEXT,
) -> None:
    """Append encoded rows to a table, in the current transaction."""
    statement = sql.SQL("COPY {} ({}) FROM STDIN (FORMAT {})").format(
        sql.Identifier(table.schema or "public", table.name),
        sql.SQL(", ").join(map(sql.Identifier, columns)),
        sql.SQL(form.value),
    )
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        for piece in pieces:
            copy.write(piece)


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
    """Yield the rows in COPY's text format, in pieces of whole lines; of a piece only there are texts to join."""
    columns = [(kind_of(table.columns[name].type), rows[name].to_numpy()) for name in rows.columns]
    for start in range(0, len(rows), ROWS_PER_PIECE):
        part = slice(start, start + ROWS_PER_PIECE)
        yield whole_lines([_encode_column(kind, values[part]) for kind, values in columns])


def kind_of(declared: TypeEngine[Any]) -> ColumnKind:
    """Return how values of a declared type are written."""
    return next((kind for types, kind in _KINDS if isinstance(declared, types)), ColumnKind.PLAIN)


def binary_kind_of(declared: TypeEngine[Any]) -> BinaryKind:
    """Return how values of a declared type are written in COPY's binary format.

    Raises:
        TypeError: there is no way to write them.
    """
    found = next((kind for types, kind in _BINARY_KINDS if isinstance(declared, types)), None)
    if found is None or isinstance(declared, SmallInteger):
        msg = f"values of the type {declared} have no binary form here"
        raise TypeError(msg)
    return found


def _encode_column(kind: ColumnKind, values: npt.NDArray[Any]) -> Sequence[str]:
    if kind is ColumnKind.TIME and values.dtype != object:
        texts: list[str] = np.datetime_as_string(values.astype("datetime64[us]"), timezone="UTC").tolist()
        return [NULL if text == "NaT" else text for text in texts]
    return encode_values(kind, values.tolist())


_KINDS: Final[tuple[tuple[type | tuple[type, ...], ColumnKind], ...]] = (
    (Boolean, ColumnKind.BOOLEAN),
    (DateTime, ColumnKind.TIME),
    ((Integer, Double), ColumnKind.NUMBER),
    (LargeBinary, ColumnKind.BYTES),
    ((Text, JSON), ColumnKind.TEXT),
)
# The first that fits: some of these types are subclasses of those below them.
_BINARY_KINDS: Final[tuple[tuple[type | tuple[type, ...], BinaryKind], ...]] = (
    (JSONB, BinaryKind.JSONB),
    ((Text, JSON), BinaryKind.TEXT),
    (Uuid, BinaryKind.UUID),
    (Boolean, BinaryKind.BOOLEAN),
    (BigInteger, BinaryKind.LONG),
    (Integer, BinaryKind.INTEGER),
    (DateTime, BinaryKind.TIME),
    (LargeBinary, BinaryKind.BYTES),
)
