"""The database of ``llm`` in the archive: growing, mirrored, damaged, with contents of attachments and with forks."""

from __future__ import annotations

import hashlib
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.ingest.ahead import ReadAhead
from archive_pipeline.ingest.attachments import attachments_of_import
from archive_pipeline.ingest.importer import import_archive
from archive_pipeline.ingest.mirror import mirror
from archive_pipeline.ingest.summary import ImportSummary
from archive_pipeline.readers.reading import read_paths
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.raw_writes import column_kinds
from archive_pipeline_tests.readers.llm_databases import (
    add_rows,
    conversations,
    message,
    response,
    thread,
    together,
    turn,
    write_database,
)
from archive_pipeline_tests.readers.test_llm import RESPONSES, STORED, UPGRADED, E
from archive_pipeline_tests.tables import query, raw_rows

pytestmark = pytest.mark.postgres


def imported(database: Database, path: Path) -> ImportSummary:
    return import_archive(database, read_paths([path]))


def outcomes(summary: ImportSummary) -> dict[str, int]:
    return {str(name): count for name, count in summary.dialogues.items() if count}


def test_a_growing_database_updates_what_was_imported(database: Database, tmp_path: Path):
    path = write_database(tmp_path / "logs.db", conversations(3))
    assert outcomes(imported(database, path)) == {"new": 3}
    assert outcomes(imported(database, path)) == {"unchanged": 3}
    write_database(path, {"responses": [response("r59", "more?", "more", "c00001")]})
    assert outcomes(imported(database, path)) == {"changed": 1, "unchanged": 2}
    assert query(database, "SELECT count(*) FROM raw.messages WHERE deleted_at IS NULL") == [(8,)]


def test_an_upgrade_keeps_the_messages_and_adds_the_new_ones(database: Database, settings: Settings, tmp_path: Path):
    path = write_database(tmp_path / "logs.db", RESPONSES)
    imported(database, path)
    before = query(database, "SELECT id, source_id FROM raw.messages ORDER BY id")
    write_database(path, UPGRADED)
    imported(database, path)
    after = query(database, "SELECT id, source_id FROM raw.messages WHERE deleted_at IS NULL ORDER BY id")
    assert {*before} < {*after}
    assert len(after) == len(before) + 2
    build_stale(database, settings)
    pairs = query(database, "SELECT question, answer FROM derived.qa_pairs ORDER BY start_sequence_number")
    assert pairs == [("why?", "because"), ("", "a dog"), ("sure?", "yes")]


def test_a_conversation_deleted_from_the_database_is_removed_by_mirroring(
    database: Database, settings: Settings, tmp_path: Path
):
    path = write_database(tmp_path / "logs.db", conversations(4))
    imported(database, path)
    path.unlink()
    summary = imported(database, write_database(path, conversations(3)))
    assert mirror(database, settings, summary).removed == {"llm": ["llm-c00003"]}


def test_a_damaged_database_deletes_no_message(database: Database, tmp_path: Path):
    long = response("r59", "q", "a", "c00000", reasoning="x" * 20_000)
    path = write_database(tmp_path / "logs.db", together(conversations(1), {"responses": [long]}))
    imported(database, path)
    before = query(database, "SELECT id FROM raw.messages WHERE deleted_at IS NULL ORDER BY id")
    content = bytearray(path.read_bytes())
    page = content.index(b"x" * 4_000) // 4096
    content[page * 4096 : page * 4096 + 4] = (2**31 - 2).to_bytes(4, "big")
    path.write_bytes(content)
    assert imported(database, path).dialogues["rejected"] == 1
    assert query(database, "SELECT id FROM raw.messages WHERE deleted_at IS NULL ORDER BY id") == before


def test_contents_of_attachments_are_kept(database: Database, settings: Settings, tmp_path: Path):
    content = b"\x89PNG\r\n\x1a\n" + b"x" * 100
    rows: Any = {
        "responses": [response("r01", "look", "a dog")],
        "attachments": [{"id": "aa" * 32, "type": "image/png", "content": content}],
        "prompt_attachments": [{"response_id": "r01", "attachment_id": "aa" * 32, "order": 0}],
    }
    reading = read_paths([write_database(tmp_path / "logs.db", rows)])
    summary = import_archive(database, reading)
    kept = attachments_of_import(database, settings, reading, summary)
    assert (kept.stored, kept.stored_bytes, kept.missing) == (1, len(content), {})
    assert query(database, "SELECT sha256, media_type FROM raw.attachment_contents") == [
        (hashlib.sha256(content).hexdigest(), "image/png")
    ]
    again = attachments_of_import(database, settings, reading, summary)
    assert (again.stored, again.unchanged) == (0, 1)


def test_a_fork_is_linked_and_a_chat_with_the_same_prompt_is_not(database: Database, tmp_path: Path):
    rows = together(
        STORED,
        message("f", E, "user", "go on"),
        message("g", "f", "assistant", "on"),
        message("y", STORED["messages"][1]["hash"], "assistant", "another answer"),
        {
            "threads": [thread("c2", "g", forked_from="c1"), thread("c3", "y")],
            "turns": [
                turn("t3", "c2", "f", "g", 5),
                turn("t4", "c3", STORED["messages"][1]["hash"], "y", 6),
            ],
        },
    )
    imported(database, write_database(tmp_path / "logs.db", rows))
    links = query(
        database,
        "SELECT a.source_id, b.source_id, shared_messages, kind FROM raw.dialogue_links "
        "JOIN raw.dialogues a ON a.id = dialogue_id JOIN raw.dialogues b ON b.id = original_id",
    )
    assert links == [("c2", "c1", 5, "resume")]


def test_a_database_is_read_by_one_process(database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("archive_pipeline.ingest.ahead.AHEAD_FROM_BYTES", 10_000)
    path = write_database(tmp_path / "logs.db", conversations(300))
    reading = read_paths([path])
    with ReadAhead(reading, column_kinds(), is_partial=False, workers=3) as ahead:
        assert len(ahead._processes) == 2
        assert len(ahead._readers_of(reading.files[0])) == 1
    import_archive(database, read_paths([path]), workers=3)
    read_ahead = raw_rows(database)
    with database.session() as connection:
        connection.execute("DELETE FROM raw.dialogues")
    import_archive(database, read_paths([path]), workers=1)
    assert raw_rows(database) == read_ahead


def test_a_database_that_is_written_to_meanwhile_is_imported_as_it_was(database: Database, tmp_path: Path):
    path = write_database(tmp_path / "logs.db", conversations(2))
    reading = read_paths([path])
    [file] = reading.files
    records = file.records()
    first = next(records)
    with closing(sqlite3.connect(path)) as connection:
        add_rows(connection, conversations(1, 2))
        connection.execute("DELETE FROM responses WHERE conversation_id = 'c00001'")
        connection.commit()
    second = list(records)
    assert [len(item.record.messages) for item in (first, *second)] == [2, 2]
