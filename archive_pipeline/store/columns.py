"""Results of queries as columns by name, the same from psycopg and from Arrow; each column is made at once.

Times are arrays of ``datetime64[us]`` in UTC, NaT if unknown: NumPy makes moments of them at twenty times Arrow's rate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import psycopg
import pyarrow as pa

# The column of rows of psycopg that is a time.
TIME: Final = "created_at"

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)

Columns = Mapping[str, Sequence[Any] | npt.NDArray[Any]]


def columns_of_rows(cursor: psycopg.Cursor[Any]) -> Columns:
    """Return all rows of a cursor."""
    names = [column.name for column in cursor.description or ()]
    rows = cursor.fetchall()
    columns: dict[str, Any] = dict(zip(names, zip(*rows, strict=True) if rows else [()] * len(names), strict=True))
    if TIME in columns:
        utc = [None if moment is None else moment.astimezone(UTC).replace(tzinfo=None) for moment in columns[TIME]]
        columns[TIME] = np.array(utc, dtype="datetime64[us]")
    return columns


def columns_of_table(table: pa.Table) -> Columns:
    """Return the columns of a table."""
    return {name: _values(table[name]) for name in table.column_names}


def rows_of_table(table: pa.Table) -> list[dict[str, Any]]:
    """Return the rows of a table, times as ``datetime``."""
    names = table.column_names
    columns = [
        datetimes(values) if isinstance(values, np.ndarray) else values for values in columns_of_table(table).values()
    ]
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def datetimes(moments: Any) -> list[datetime | None]:
    """Return times as Python has them, in UTC."""
    # To add what passed since 1970 takes a fifth of the time of giving each moment a zone.
    passed = moments.astype("datetime64[us]").view("timedelta64[us]").astype(object)
    return [None if since is None else _EPOCH + since for since in passed]


def _values(column: pa.ChunkedArray) -> Sequence[Any] | npt.NDArray[Any]:
    if pa.types.is_timestamp(column.type):
        return np.asarray(column.cast(pa.timestamp("us", "UTC")).to_numpy()).astype("datetime64[us]")
    if column.null_count == len(column):
        return [None] * len(column)
    values: list[Any] = column.to_pylist()
    return values
