"""Cursor's databases imported again, after the editor has removed rows; and its subagents."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from archive_pipeline.ingest.importer import import_archive
from archive_pipeline.readers.reading import read_paths
from archive_pipeline.store.database import Database
from archive_pipeline_tests.conftest import empty
from archive_pipeline_tests.readers.cursor_databases import START, asked, conversation, said, write
from archive_pipeline_tests.tables import query

pytestmark = pytest.mark.postgres

AGENT = "6f1ce2b1-0c1d-4a52-9b8e-2f60f3a1d002"


def load(database: Database, path: Path, entries: dict[str, Any]) -> None:
    path.unlink(missing_ok=True)
    assert not import_archive(database, read_paths([write(path, entries)])).rejected


def texts(database: Database) -> list[tuple[str, str, str | None]]:
    rows = query(
        database,
        "SELECT m.source_id, p.text_content, parent.source_id FROM raw.messages m"
        " JOIN raw.content_parts p ON p.message_id = m.id LEFT JOIN raw.messages parent ON parent.id = m.parent_id"
        " WHERE m.deleted_at IS NULL ORDER BY 1",
    )
    return [tuple(row) for row in rows]


def test_what_the_editor_removes_stays(database: Database, tmp_path: Path):
    empty(database)
    path = tmp_path / "state.vscdb"
    load(database, path, conversation(asked(1, "a"), said(2, "b"), asked(3, "c"), lastUpdatedAt=START + 10_000))
    edited = conversation(asked(1, "a"), said(2, "b"), asked(4, "d"), lastUpdatedAt=START + 20_000)
    load(database, path, edited)
    assert texts(database) == [("b1", "a", None), ("b2", "b", "b1"), ("b3", "c", "b2"), ("b4", "d", "b2")]
    del edited[next(key for key in edited if key.endswith(":b2"))]
    load(database, path, edited)
    assert [text for _, text, _ in texts(database)] == ["a", "b", "c", "d"]
    [names] = query(
        database, "SELECT string_agg(DISTINCT split_part(vintage, ' 2', 1), ',') FROM raw.dialogue_vintages"
    )
    assert names == ("partial full",)


def test_a_subagent_is_linked_with_the_conversation_that_started_it(database: Database, tmp_path: Path):
    empty(database)
    entries = conversation(asked(1, "Look"), name=AGENT, subagentInfo={"parentComposerId": "parent"})
    entries |= conversation(asked(1, "Sum"), said(2, "Three."), name="parent")
    load(database, tmp_path / "state.vscdb", entries)
    rows = query(
        database,
        "SELECT agent.source_id, started.source_id, link.kind FROM raw.dialogue_links link"
        " JOIN raw.dialogues agent ON agent.id = link.dialogue_id"
        " JOIN raw.dialogues started ON started.id = link.original_id",
    )
    assert [tuple(row) for row in rows] == [(AGENT, "parent", "subagent")]
