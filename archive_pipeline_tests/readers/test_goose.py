"""Goose's sessions: rows of its database, files of earlier versions and exports are one dialogue."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from archive_pipeline.domain.records import RejectedRecord
from archive_pipeline.readers.goose import READER
from archive_pipeline_tests.readers.goose_sessions import (
    EARLY,
    HEADER,
    LATER,
    OWN,
    RESULT,
    SAID,
    SESSION,
    START,
    TEXT,
    USE,
    dialogues,
    exported,
    message,
    read,
    result,
    row,
    text,
)
from archive_pipeline_tests.readers.llm_databases import write_database
from archive_pipeline_tests.readers.said import said


@pytest.mark.parametrize("schema", [EARLY, EARLY + LATER])
def test_a_session_is_read_from_the_database_of_every_version(tmp_path: Path, schema: str):
    rows = [row(number, item, "20260203_1") for number, item in enumerate(SAID, 1)]
    session = {**SESSION, "description": "Rain"}
    write_database(tmp_path / "sessions.db", {"sessions": [session], "messages": [rows[3], *rows[:3]]}, schema)
    [record] = dialogues(tmp_path / "sessions.db")
    about = (record.source, record.source_id, record.title, record.project_id, record.parent_source_id)
    assert about == ("goose", "20260203_1-100000", "Rain", "/w", None)
    assert record.created_at == datetime(2026, 2, 3, 10, tzinfo=UTC)
    assert record.updated_at == datetime(2026, 2, 3, 10, 5, tzinfo=UTC)
    assert record.is_linear_source
    assert record.warnings == {}
    assert said(record) == [
        ("user", [(TEXT, "Is it wet?")]),
        ("assistant", [(TEXT, "I will look."), (USE, None)]),
        ("tool", [(RESULT, "rain")]),
        ("assistant", [(TEXT, "Yes.")]),
    ]
    use, answer = record.messages[1].parts[1], record.messages[2].parts[0]
    assert (use.tool_name, use.tool_use_id, use.tool_input) == ("weather", "c1", {"at": "x"})
    assert (answer.tool_name, answer.tool_use_id, answer.is_error) == ("weather", "c1", None)
    assert record.messages[3].created_at == datetime(2026, 2, 3, 10, 0, 4, tzinfo=UTC)


def test_a_file_the_rows_made_of_it_and_an_export_are_one_dialogue_with_the_same_ids(tmp_path: Path):
    name = "20250801_100315"
    (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, (HEADER, *SAID))))
    # What a later version makes of a result, and of messages without ids.
    later = [*SAID[:2], message(2, "user", result("c1", value={"content": [text("rain")], "isError": False})), SAID[3]]
    rows = [{**row(number, item, name), "message_id": f"msg_{name}_{number}"} for number, item in enumerate(later, 1)]
    session = {**SESSION, "id": name, "name": "Rain"}
    write_database(tmp_path / "sessions.db", {"sessions": [session], "messages": rows}, EARLY + LATER)
    export = {**session, "conversation": [{**item, "id": f"msg_{name}_{OWN}"} for item in later]}
    records = [*dialogues(tmp_path), read(export)]
    assert [(record.source_id, record.title, record.project_id) for record in records] == [(name, "Rain", "/w")] * 3
    assert len({tuple(item.source_id for item in record.messages) for record in records}) == 1
    assert len({item.source_id for item in records[0].messages}) == 4
    assert [said(record) for record in records] == [said(records[0])] * 3
    lines = next(record for record in records if "lines" in record.source_json)
    assert lines.source_json["lines"] == {"1": HEADER}
    assert lines.created_at == datetime(2026, 2, 3, 10, 0, 1, tzinfo=UTC)


def test_a_copy_has_the_ids_that_goose_gave_its_messages():
    own = message(1, "user", text("A"), id=f"msg_{OWN}")
    behind = message(1, "user", text("B"), id=f"msg_{OWN}")
    [first, second] = exported(own, behind).messages
    assert first.source_id == OWN
    assert second.source_id is not None
    assert second.source_id.startswith("20260203_1-100000-")


def test_messages_that_are_alike_and_sessions_of_one_number_are_told_apart():
    again = exported(SAID[0], SAID[0])
    assert len({item.source_id for item in again.messages}) == 2
    other = exported(SAID[0], created_at="2026-02-03T11:00:05Z")
    assert other.source_id == "20260203_1-110005"
    assert other.messages[0].source_id != again.messages[0].source_id


def test_a_subagents_session_names_the_one_that_started_it(tmp_path: Path):
    parent = {**SESSION, "name": "New Chat", "model_config_json": json.dumps({"model_name": "m"})}
    child = {**SESSION, "id": "20260203_2", "parent_session_id": "20260203_1", "session_type": "sub_agent"}
    rows = [row(1, SAID[3], "20260203_1"), row(2, SAID[3], "20260203_2")]
    usage = [{"session_id": "20260203_1", "created_timestamp": START, "model": "other", "total_tokens": 9}]
    tables = {"sessions": [parent, child], "messages": rows, "usage_ledger": usage}
    write_database(tmp_path / "sessions.db", tables, EARLY + LATER)
    [first, second] = dialogues(tmp_path / "sessions.db")
    assert (second.source_id, second.parent_source_id) == ("20260203_2-100000", "20260203_1-100000")
    assert (first.parent_source_id, first.title) == (None, None)
    assert first.messages[0].model is None  # of several models nobody knows whose answer it is
    assert first.source_json["tables"]["usage_ledger"][0]["total_tokens"] == 9


def test_keys_that_extensions_are_started_with_are_not_kept():
    extension = {"type": "stdio", "name": "git", "envs": {"TOKEN": "k1"}, "headers": {"Authorization": "k2"}}
    record = exported(*SAID, extension_data={"enabled_extensions.v0": {"extensions": [extension]}})
    kept = record.source_json["extension_data"]["enabled_extensions.v0"]["extensions"]
    assert kept == [{"type": "stdio", "name": "git"}]
    given = {"extension_data": {"e": [extension]}, "recipe": '{"extensions": [{"envs": {"TOKEN": "k3"}}'}
    lines = read({"file": "20250801_100315.jsonl", "lines": [HEADER | given, *SAID]}).source_json["lines"]
    without = {"extension_data": {"e": kept}, "recipe": "damaged, and not kept"}
    assert lines == {"1": HEADER | without}


@pytest.mark.parametrize(
    ("value", "confidence"),
    [
        ({"file": "s", "lines": [HEADER, SAID[0]]}, 1.0),
        ({"file": "s", "lines": [SAID[1]]}, 1.0),
        ({"file": "s", "lines": [SAID[0]]}, 0.7),
        ({"file": "s", "lines": [HEADER]}, 0.6),
        ({"file": "s", "lines": [{**SAID[0], "model": "m"}]}, 0.0),
        ({"file": "s", "lines": [{"description": "Talks", "message_count": 3}]}, 0.0),
        ({**SESSION, "conversation": [SAID[0]]}, 1.0),
        ({**SESSION, "conversation": []}, 0.6),
        ({**SESSION, "conversation": None}, 0.1),
        ({"conversation": [SAID[0]]}, 0.0),
        ({"database": "hermes", "tables": {}}, 0.0),
    ],
)
def test_a_session_is_told_by_its_messages(value: dict[str, Any], confidence: float):
    assert READER.recognise(value).confidence == confidence


def test_a_session_without_its_messages_is_rejected_with_what_to_do():
    found = READER.read({**SESSION, "conversation": None}, "list.json[0]")
    assert isinstance(found, RejectedRecord)
    assert "export the session itself" in found.reason
    for value in ({"database": "goose", "tables": []}, {"file": "s", "lines": 7}):
        assert isinstance(READER.read(value, "x"), RejectedRecord)
