"""Rows of queries as objects: a class names the columns of a query, so that mypy knows what a row has."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import psycopg
from psycopg.rows import BaseRowFactory, RowMaker, args_row, class_row, scalar_row

from archive_pipeline.store.sql_files import load_query

RowT = TypeVar("RowT")
ValueT = TypeVar("ValueT", str, int, float, bool)

_NOTHING: Mapping[str, Any] = {}


def row_of(kind: type[RowT]) -> BaseRowFactory[RowT]:
    """Return what makes objects of rows: a class whose fields are the columns, in any order.

    A named tuple whose fields are in the order of the columns takes a row as it is, which costs a seventh.
    """
    by_name = class_row(kind)
    fields: object = getattr(kind, "_fields", None)
    make: RowMaker[RowT] | None = getattr(kind, "_make", None)

    def factory(cursor: Any) -> RowMaker[RowT]:
        columns = tuple(column.name for column in cursor.description or ())
        return by_name(cursor) if make is None or fields != columns else make

    return factory


def fetch_rows(
    connection: psycopg.Connection[Any], query: str, row: type[RowT], parameters: Mapping[str, Any] = _NOTHING
) -> list[RowT]:
    """Return the rows of ``sql/queries/<query>.sql``.

    Args:
        connection: to the archive.
        query: name of the query.
        row: a class whose fields are the columns of the query.
        parameters: of the query.
    """
    with connection.cursor(row_factory=row_of(row)) as cursor:
        return cursor.execute(load_query(query), parameters).fetchall()


def fetch_row(
    connection: psycopg.Connection[Any], query: str, row: type[RowT], parameters: Mapping[str, Any] = _NOTHING
) -> RowT | None:
    """Return the first row of a query, None if it has none; arguments as those of ``fetch_rows``."""
    with connection.cursor(row_factory=row_of(row)) as cursor:
        return cursor.execute(load_query(query), parameters).fetchone()


def fetch_column(
    connection: psycopg.Connection[Any], query: str, value: type[ValueT], parameters: Mapping[str, Any] = _NOTHING
) -> list[ValueT]:
    """Return the values of a query with one column; arguments as those of ``fetch_rows``.

    Raises:
        TypeError: a value is none of the type.
    """
    with connection.cursor(row_factory=args_row(_reader(value))) as cursor:
        return cursor.execute(load_query(query), parameters).fetchall()


def fetch_value(
    connection: psycopg.Connection[Any], query: str, value: type[ValueT], parameters: Mapping[str, Any] = _NOTHING
) -> ValueT | None:
    """Return the value of a query with one row of one column, None without a row or for NULL; as ``fetch_column``."""
    with connection.cursor(row_factory=scalar_row) as cursor:
        found = cursor.execute(load_query(query), parameters).fetchone()
    return None if found is None else _reader(value)(found)


def _reader(kind: type[ValueT]) -> Callable[[object], ValueT]:
    def read(found: object) -> ValueT:
        if not isinstance(found, kind):
            raise TypeError(f"expected a {kind.__name__}, not {found!r}")
        return found

    return read
