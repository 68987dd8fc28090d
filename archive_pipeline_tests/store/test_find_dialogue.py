"""A dialogue is found by its key or its id, in the same spellings everywhere, and by look-up."""

from __future__ import annotations

import uuid

import psycopg
import pytest

from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.retrieval.pages.reading import Window, read_pages
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.sql_files import load_query
from archive_pipeline.store.staleness import find_dialogue, stale_dialogues
from archive_pipeline_tests.derive.batches import batch_of, linear, store

pytestmark = pytest.mark.postgres


def spellings(dialogue_id: str) -> list[str]:
    value = uuid.UUID(dialogue_id)
    return [str(value), str(value).upper(), value.hex, f"{{{value}}}", value.urn]


def test_what_names_a_dialogue_to_a_command_names_it_to_a_reader_of_pages(database: Database, settings: Settings):
    store(database, batch_of(*(linear(name, ("user", "Why?"), ("assistant", "So.")) for name in "ab")))
    build_stale(database, settings)
    with database.session() as connection:
        for dialogue in stale_dialogues(connection, "", ""):
            for name in (dialogue.partition_key, *spellings(dialogue.id)):
                assert find_dialogue(connection, name) == dialogue, name
                pages = read_pages(connection, name, first_page=1, max_pages=1, window=Window(1, 100))
                assert pages.doc_id == dialogue.id
        for unknown in ("chatgpt-c", str(uuid.UUID(int=0)), "", "x" * 300):
            assert find_dialogue(connection, unknown) is None


def test_a_dialogue_is_looked_up_and_not_searched_for(database: Database):
    query = load_query("raw/find_dialogue")
    with database.session() as connection, psycopg.ClientCursor(connection) as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute("EXPLAIN " + query, {"name": "x", "id": str(uuid.UUID(int=0))})
        plan = "\n".join(line for (line,) in cursor.fetchall())
    assert "Seq Scan" not in plan
