"""Rows of dialogues are looked up by index, and whole tables joined, also when PostgreSQL knows nothing of them yet."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest

from archive_pipeline.domain.identity import dialogue_id
from archive_pipeline.store.by_index import by_index, by_whole_tables
from archive_pipeline.store.database import Database
from archive_pipeline.store.sql_files import load_query
from archive_pipeline_tests.exports import chain, chatgpt, load

pytestmark = pytest.mark.postgres

DIALOGUES = 400
SOME = [dialogue_id("chatgpt", f"c{number}") for number in range(100)]
TEXTS = ("why " * 200, "because " * 100)


@pytest.fixture
def growing(new_migrated_database: Callable[[], Database], tmp_path: Path) -> Database:
    """An archive whose tables were never analyzed."""
    database = new_migrated_database()
    with database.session() as connection:
        connection.execute("ALTER TABLE raw.content_parts SET (autovacuum_enabled = off)")
    load(database, tmp_path / "a.json", *(chatgpt(f"c{number}", chain(*TEXTS)) for number in range(DIALOGUES)))
    return database


def plan(connection: psycopg.Connection[Any], query: str = "staleness/text_bytes") -> str:
    statement = "EXPLAIN " + load_query(query)
    return "\n".join(row[0] for row in connection.execute(statement, {"dialogue_ids": SOME}))


def test_a_table_that_was_never_analyzed_is_not_read_as_a_whole(growing: Database):
    with growing.session() as connection:
        assert "Seq Scan on content_parts" in plan(connection)
        with by_index(connection):
            assert "pk_content_parts" in plan(connection)
        assert "Seq Scan on content_parts" in plan(connection)


def test_whole_tables_that_were_never_analyzed_are_not_joined_row_by_row(growing: Database):
    with growing.session() as connection:
        assert "Nested Loop" in plan(connection, "report/tools")
        with by_whole_tables(connection):
            assert "Nested Loop" not in plan(connection, "report/tools")
        assert "Nested Loop" in plan(connection, "report/tools")


def test_batches_are_read_so(database: Database):
    with database.arrow() as connection, connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('enable_seqscan') AS shown")
        assert cursor.fetch_arrow_table()["shown"].to_pylist() == ["off"]
