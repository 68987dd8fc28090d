"""An archive from before vintages, links and GPTs were stored has them after the migration, as if imported anew."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from archive_pipeline.ingest.importer import import_archive
from archive_pipeline.readers.reading import read_paths
from archive_pipeline.readers.registry import reader_versions
from archive_pipeline.store.database import Database
from archive_pipeline.store.migrate import migrate
from archive_pipeline.store.outdated_readings import outdated_readings
from archive_pipeline_tests.exports import Said, chatgpt, claude, load, write
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


def test_a_file_that_is_imported_again_is_not_named_any_more_where_the_migration_took_it_for_another_vintage(
    new_migrated_database: Callable[[], Database], tmp_path: Path
):
    def outdated() -> list[tuple[str, int]]:
        with database.session() as connection:
            readings = outdated_readings(connection, reader_versions())
        return [(export.path, reading.dialogues) for reading in readings for export in reading.exports]

    database = new_migrated_database()
    whole = slim("whole")  # by its messages alone, which is all that is stored
    whole["mapping"]["q"]["children"] = []
    again = write(tmp_path / "again.json", whole)
    empty = write(tmp_path / "empty.json", claude("empty"))
    left = write(tmp_path / "left.json", chatgpt("left", [Said("q", None, "user", "q")]))
    import_archive(database, read_paths([again, empty, left]))
    downgrade(database, "0010")
    migrate(database)
    assert query(database, "SELECT vintage, reader_version FROM raw.dialogue_vintages ORDER BY 1") == [
        ("full", None),
        ("full", None),
        ("slim", None),
    ]
    import_archive(database, read_paths([again]), is_partial=True)
    assert outdated() == [(str(again), 2), (str(left), 2), (str(empty), 1)]
    import_archive(database, read_paths([again, empty]))
    assert outdated() == [(str(left), 1)]
    with database.session() as connection:  # as a killed import leaves it
        connection.execute("UPDATE raw.imports SET status = 'failed' WHERE path = %s", [str(empty)])
    assert outdated() == [(str(left), 1), (str(empty), 1)]
