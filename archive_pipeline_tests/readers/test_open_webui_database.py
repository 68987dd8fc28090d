"""Open WebUI's own database says what its export says."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.domain.records import DialogueRecord
from archive_pipeline_tests.readers import llm_databases
from archive_pipeline_tests.readers.llm_databases import read
from archive_pipeline_tests.readers.test_open_webui import row, said
from benchmarks.fuzz import open_webui
from benchmarks.fuzz.marks import Marks

# As version 0.6 makes it; later versions add columns.
SCHEMA = """
CREATE TABLE "chat" (id VARCHAR(255) NOT NULL, user_id VARCHAR(255) NOT NULL, title TEXT NOT NULL,
    share_id VARCHAR(255), archived INTEGER NOT NULL, created_at DATETIME NOT NULL, updated_at DATETIME NOT NULL,
    chat JSON, pinned BOOLEAN, meta JSON DEFAULT '{}' NOT NULL, folder_id TEXT);
CREATE UNIQUE INDEX chat_id ON chat (id);
CREATE TABLE "user" (id VARCHAR(255) NOT NULL, email TEXT);
INSERT INTO "user" VALUES ('u', 'secret@example.org');
"""
COLUMNS = {"share_id": None, "archived": False, "pinned": None, "meta": {}, "folder_id": None}


def exported(*messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return a row as the export has it, with all columns of the table."""
    return {**COLUMNS, **row(*messages, **more)}


def write_database(folder: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    stored = [
        {name: json.dumps(value) if name in ("chat", "meta") else value for name, value in each.items()}
        for each in rows
    ]
    return llm_databases.write_database(folder / "webui.db", {"chat": stored}, SCHEMA)


def from_both(folder: Path, rows: list[dict[str, Any]]) -> list[tuple[dict[str, DialogueRecord], list[str]]]:
    """Return what a database and an export with the same rows give, and why they reject the rest.

    Where a dialogue stands is left out.
    """
    export = folder / "chat-export-1.json"
    export.write_text(json.dumps(rows))
    found = []
    for path in (write_database(folder, rows), export):
        records, rejected, _ = read(path)
        dialogues = {name: replace(record, locator="") for name, record in records.items()}
        found.append((dialogues, [record.reason for record in rejected]))
    return found


def test_a_database_gives_the_dialogues_of_its_export(tmp_path: Path):
    rows = [
        exported(said("a", None, "user", "why?"), said("b", "a", "assistant", "because"), pinned=True, folder_id="f"),
        exported(said("d", None, "user", "löss?"), id="other", user_id="v", archived=False, meta={"tags": ["soil"]}),
    ]
    ours, theirs = from_both(tmp_path, rows)
    assert ours == theirs
    dialogues, rejected = ours
    assert (list(dialogues), rejected) == (["c", "other"], [])
    kept = dialogues["c"].source_json
    assert kept is not None
    assert (kept["archived"], kept["pinned"], kept["meta"], kept["share_id"]) == (True, True, {}, None)


@given(st.integers(0, 2**32))
def test_any_chat_is_the_same_in_both(tmp_path_factory: pytest.TempPathFactory, seed: int):
    made = open_webui.conversation(Random(seed), Marks())  # noqa: S311 - a seeded example
    ours, theirs = from_both(tmp_path_factory.mktemp("any"), [{**exported(), "chat": made["chat"]}])
    assert ours == theirs


def test_nothing_of_other_tables_is_read(tmp_path: Path):
    path = write_database(tmp_path, [exported(said("a", None, "user", "x"))])
    records, _, _ = read(path)
    assert "secret" not in str(records)


def test_a_chat_that_is_no_json_is_rejected_and_the_others_are_read(tmp_path: Path):
    path = write_database(tmp_path, [exported(said("a", None, "user", "x")), exported(id="bad")])
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE chat SET chat = '{\"history\": ' WHERE id = 'bad'")
        connection.commit()
    records, [rejected], _ = read(path)
    assert list(records) == ["c"]
    assert rejected.locator == f"{path}[1]"
    assert rejected.excerpt is not None
    assert "bad" in rejected.excerpt


def test_a_row_that_cannot_be_read_is_named_and_the_others_are_read(tmp_path: Path):
    long = exported(said("a", None, "user", "x " * 20_000), id="long")  # on pages of its own
    path = write_database(tmp_path, [exported(said("a", None, "user", "x")), long, exported(id="last")])
    content = bytearray(path.read_bytes())
    at = content.rindex(b"x x x x") // 4096 * 4096
    content[at : at + 4096] = bytes(4096)
    path.write_bytes(content)
    records, rejected, _ = read(path)
    assert sorted(records) in (["c", "last"], ["c", "last", "long"])
    assert rejected


def test_a_database_without_chats_is_said(tmp_path: Path):
    _, rejected, file = read(write_database(tmp_path, []))
    assert not rejected
    assert file.skipped is not None
    assert file.skipped.reason == "a database of open_webui without conversations"
