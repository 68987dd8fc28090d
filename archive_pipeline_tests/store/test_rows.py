"""Rows of queries as objects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import pytest

from archive_pipeline.store.database import Database
from archive_pipeline.store.rows import fetch_column, fetch_row, fetch_rows
from archive_pipeline_tests.derive.batches import batch_of, linear, store

pytestmark = pytest.mark.postgres


@dataclass(frozen=True)
class Has:
    has_content: bool
    has_chunks: bool


class Lacks(NamedTuple):
    has_content: bool


class InOrder(NamedTuple):
    has_content: bool
    has_chunks: bool


class InAnotherOrder(NamedTuple):
    has_chunks: bool
    has_content: bool


@pytest.mark.parametrize("kind", [InOrder, InAnotherOrder])
def test_a_named_tuple_gets_its_columns_by_their_names(database: Database, kind: type[InOrder | InAnotherOrder]):
    store(database, batch_of(linear("d", ("user", "Is anybody there?"))))
    with database.session() as connection:
        [row] = fetch_rows(connection, "search/archive_has", kind)
    assert type(row) is kind
    assert (row.has_content, row.has_chunks) == (True, False)


def test_a_row_is_an_object_of_its_class(database: Database):
    with database.session() as connection:
        assert fetch_rows(connection, "search/archive_has", Has) == [Has(has_content=False, has_chunks=False)]
        assert fetch_row(connection, "search/archive_has", Has) == Has(has_content=False, has_chunks=False)


def test_no_row_is_none(database: Database):
    with database.session() as connection:
        assert fetch_row(connection, "raw/find_dialogue", Has, {"name": "nobody", "id": None}) is None
        assert fetch_rows(connection, "raw/find_dialogue", Has, {"name": "nobody", "id": None}) == []


def test_a_column_is_a_list_of_values(database: Database):
    with database.session() as connection:
        assert fetch_column(connection, "search/is_title_known", bool, {"title": "%"}) == [False]
        assert fetch_column(connection, "search/known_sources", str) == []


def test_a_class_without_a_column_of_the_query_is_refused(database: Database):
    with database.session() as connection, pytest.raises(TypeError, match="has_chunks"):
        fetch_rows(connection, "search/archive_has", Lacks)
