"""Rows that are copied arrive as they are, and are made one by one."""

from __future__ import annotations

from collections.abc import Iterator
from weakref import WeakSet

import dagster as dg
import pytest
import sqlalchemy as sa

from archive_pipeline.orchestration.instance.bulk_copy import copy_rows
from archive_pipeline.orchestration.instance.event_log_storage import PooledEventLogStorage

pytestmark = [pytest.mark.postgres, pytest.mark.dagster]

TEXTS = ("plain", "", "tab\tline\nreturn\rslash\\", r"\N", r"\.", '{"a": "\\u00e4\\n"}', None)


@pytest.fixture
def connection(instance: dg.DagsterInstance) -> Iterator[sa.Connection]:
    storage = instance.event_log_storage
    assert isinstance(storage, PooledEventLogStorage)
    with storage.index_transaction() as connection:
        yield connection


@pytest.fixture
def table(connection: sa.Connection) -> sa.Table:
    columns = (sa.Column("number", sa.Integer), sa.Column("own", sa.Text), sa.Column("common", sa.Text))
    table = sa.Table("copied", sa.MetaData(), *columns, prefixes=["TEMPORARY"], postgresql_on_commit="DROP")
    table.create(connection)
    return table


@pytest.mark.parametrize("common", TEXTS)
def test_texts_arrive_as_they_are(connection: sa.Connection, table: sa.Table, common: str | None) -> None:
    copy_rows(connection, table, ("number", "own"), enumerate(TEXTS), {"common": common})
    found = connection.execute(sa.select(table).order_by("number")).all()
    assert [tuple(row) for row in found] == [(number, text, common) for number, text in enumerate(TEXTS)]


def test_rows_are_not_kept(connection: sa.Connection, table: sa.Table) -> None:
    class Value:
        def __str__(self) -> str:
            return "x" * 1_000

    held: WeakSet[Value] = WeakSet()
    most: list[int] = []

    def rows() -> Iterator[tuple[int, Value]]:
        for number in range(500):
            value = Value()
            held.add(value)
            most.append(len(held))
            yield number, value

    copy_rows(connection, table, ("number", "own"), rows(), {})
    assert connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one() == 500
    assert max(most) <= 2
