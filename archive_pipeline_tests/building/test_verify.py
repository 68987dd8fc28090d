"""Verification: every kind of drift in every table is found, what is stale is not drift, and nothing is written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from archive_pipeline.building import dialogue_source
from archive_pipeline.building.dialogue_source import DIALOGUES
from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.building.documents import build_document_chunks
from archive_pipeline.building.verify import Verification, verify_archive
from archive_pipeline.derive.registry import ASSETS
from archive_pipeline.settings import Settings
from archive_pipeline.store.compare import EXAMPLES
from archive_pipeline.store.database import Database
from archive_pipeline.store.document_chunks import DOCUMENT_CHUNKS
from archive_pipeline_tests.documents.stored import PAGE, store_document
from archive_pipeline_tests.exports import chain, chatgpt, claude, load
from archive_pipeline_tests.tables import derived_rows, query

pytestmark = pytest.mark.postgres

TEXTS = ("a question", "an answer", "go on", "more of it")

TABLES = [table for asset in ASSETS.values() for table in asset.tables]
# Contents go with the pair or exchange they belong to.
PARENTS = {"prompt_responses": "prompt_response_content", "exchanges": "exchange_content"}


@pytest.fixture
def built(database: Database, settings: Settings, tmp_path: Path) -> Database:
    load(database, tmp_path / "conversations.json", *(chatgpt(f"c{n}", chain(*TEXTS)) for n in range(5)))
    load(database, tmp_path / "conversations.json", claude("t1", *TEXTS, "no answer"))
    build_stale(database, settings)
    store_document(database, "manual", [PAGE])
    build_document_chunks(database, settings)
    return database


def wrong(found: Verification) -> dict[str, dict[str, int]]:
    return {name: dict(drift.counts) for name, drift in found.drift.items()}


def change(database: Database, statement: str) -> None:
    with database.session() as connection:
        connection.execute(statement)


def test_what_was_built_is_verified(built: Database, settings: Settings, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(DIALOGUES, "max_items", 2)
    before, steps = derived_rows(built), []
    found = verify_archive(built, settings, progress=lambda *step: steps.append(step))
    assert wrong(found) == {}
    assert found.counts == {"dialogues": 6, "messages": 25, "documents": 1, "pages": 1}
    assert found.tables["search_postings"].rows > 0
    assert {name: drift.rows for name, drift in found.tables.items() if name != "search_postings"} == {
        **{name: len(rows) for name, rows in before.items() if name in TABLES},
        DOCUMENT_CHUNKS: 1,
    }
    assert steps == [
        *(("verifying messages", done, 25) for done in (0, 8, 17, 25)),
        *(("verifying pages", done, 1) for done in (0, 1)),
    ]
    assert not any(found.stale.values())
    assert derived_rows(built) == before


@pytest.mark.parametrize("tables", [[name for name in TABLES if name not in PARENTS.values()], [*PARENTS.values()]])
def test_a_missing_row_is_found_in_each_table(tables: list[str], built: Database, settings: Settings):
    for table in tables:
        change(built, f"DELETE FROM derived.{table} WHERE ctid = (SELECT min(ctid) FROM derived.{table})")  # noqa: S608
    gone = {*tables, *(content for parent, content in PARENTS.items() if parent in tables)}
    assert wrong(verify_archive(built, settings)) == {name: {"missing": 1} for name in gone}


def test_different_rows_say_which_columns(built: Database, settings: Settings):
    change(built, "UPDATE derived.response_hashes SET path_hash = prompt_hash, prompt_hash = ''")
    found = verify_archive(built, settings)
    assert wrong(found) == {"response_hashes": {"different": 12}}
    examples = found.drift["response_hashes"].examples
    assert len(examples) == EXAMPLES
    assert {example.columns for example in examples} <= {("prompt_hash", "path_hash"), ("prompt_hash",)}
    stored = {name for (name,) in query(built, "SELECT response_message_id::text FROM derived.response_hashes")}
    assert {example.key for example in examples} <= stored


def test_a_changed_key_is_one_row_missing_and_one_extra(built: Database, settings: Settings):
    change(
        built,
        "UPDATE derived.content_hashes SET hash_scope = 'user'"
        " WHERE hash_scope = 'assistant' AND entity_type = 'message'"
        " AND (entity_id, normalization) = (SELECT min(entity_id::text)::uuid, 'none' FROM derived.content_hashes"
        " WHERE hash_scope = 'assistant' AND entity_type = 'message')",
    )
    found = verify_archive(built, settings)
    assert wrong(found) == {"content_hashes": {"missing": 1, "extra": 1}}
    assert {example.key.split()[-2:][0] for example in found.drift["content_hashes"].examples} == {"user", "assistant"}


def test_stale_dialogues_are_no_drift(built: Database, settings: Settings, tmp_path: Path):
    load(built, tmp_path / "conversations.json", chatgpt("c0", chain(*TEXTS, "new")), chatgpt("c9", chain("new")))
    change(built, "DELETE FROM derived.build_state WHERE asset = 'qa_pairs'")
    change(built, "DELETE FROM derived.qa_pairs")
    found = verify_archive(built, settings)
    assert wrong(found) == {}
    assert found.counts["dialogues"] == 7
    assert found.stale["message_paths"] == 2
    assert found.stale["qa_pairs"] == 7
    assert found.tables["message_paths"].rows == 4 * 4 + 5
    assert found.tables["qa_pairs"].rows == 0


def test_a_dialogue_that_an_import_changes_meanwhile_is_left_out(
    built: Database, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    read_batch = dialogue_source.read_batch
    done: list[bool] = []

    def read_after_an_import(connection: Any, dialogue_ids: list[str]):
        if not done:
            done.append(True)
            load(built, tmp_path / "conversations.json", chatgpt("c0", chain("edited", *TEXTS[1:])))
        return read_batch(connection, dialogue_ids)

    monkeypatch.setattr(dialogue_source, "read_batch", read_after_an_import)
    found = verify_archive(built, settings)
    assert wrong(found) == {}
    assert {asset: found.stale[asset] for asset in ASSETS} == dict.fromkeys(ASSETS, 1)


def test_an_empty_archive_is_verified(database: Database, settings: Settings):
    found = verify_archive(database, settings)
    assert found.counts == dict.fromkeys(("dialogues", "messages", "documents", "pages"), 0)
    assert found.rows == 0


def test_documents_are_verified_with_the_dialogues(built: Database, settings: Settings):
    store_document(built, "new", [PAGE, PAGE])
    change(built, "UPDATE derived.document_chunks SET content_hash = ''")
    found = verify_archive(built, settings)
    assert wrong(found) == {DOCUMENT_CHUNKS: {"different": 1}}
    assert (found.counts["documents"], found.counts["pages"], found.stale[DOCUMENT_CHUNKS]) == (2, 1, 1)
