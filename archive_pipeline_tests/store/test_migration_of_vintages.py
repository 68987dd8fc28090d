"""An archive from before vintages, links and GPTs were stored has them after the migration, as if imported anew."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from archive_pipeline.store.database import Database
from archive_pipeline.store.migrate import migrate
from archive_pipeline_tests.exports import Said, chatgpt, claude, load
from archive_pipeline_tests.store.schema import downgrade
from archive_pipeline_tests.tables import query

pytestmark = pytest.mark.postgres


def slim(name: str, **more: Any) -> dict[str, Any]:
    message = {"author": {"role": "user"}, "content": {"content_type": "text", "parts": ["q"]}, "metadata": {}}
    return {"id": name, "title": name, "mapping": {"q": {"id": "q", "parent": None, "message": message}}, **more}


def talk(name: str, began: float) -> dict[str, Any]:
    ids = [str(uuid.uuid5(uuid.NAMESPACE_OID, key)) for key in ("q", "a", name)]
    said = [Said(ids[0], None, "user", "q"), Said(ids[1], ids[0], "assistant", "a"), Said(ids[2], ids[1], "user", name)]
    return chatgpt(name, said, create_time=began, gizmo_id="g-p-1")


def told(database: Database) -> list[list[tuple[Any, ...]]]:
    return [
        query(
            database, "SELECT dialogue_id, vintage, import_id, source_updated_at FROM raw.dialogue_vintages ORDER BY 1"
        ),
        query(database, "SELECT * FROM raw.dialogue_links"),
        query(database, "SELECT source_id, custom_gpt_id, project_id FROM raw.dialogues ORDER BY 1"),
    ]


def test_what_an_import_would_store_is_there_after_the_migration(
    new_migrated_database: Callable[[], Database], tmp_path: Path
):
    database = new_migrated_database()
    tree = claude("tree", "x", "y")
    for at, message in enumerate(tree["chat_messages"]):
        message["parent_message_uuid"] = f"tree-{at - 1}" if at else "00000000-0000-4000-8000-000000000000"
    load(
        database,
        tmp_path / "c.json",
        talk("first", 1.0),
        talk("branch", 2.0),
        slim("slim", conversation_template_id="g-2", gizmo_type="gpt"),
        slim("other", conversation_template_id="g-3"),
        claude("line", "x", "y"),
        tree,
    )
    before = told(database)
    assert sorted(row[1] for row in before[0]) == ["full", "full", "full", "linear", "slim", "slim"]
    assert len(before[1]) == 1
    downgrade(database, "0010")
    migrate(database)
    assert told(database) == before
