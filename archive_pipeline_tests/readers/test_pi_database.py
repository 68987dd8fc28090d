"""OpenClaw's database says what its files of lines said, and nothing of logins."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from archive_pipeline.readers.pi import READER
from archive_pipeline.readers.registry import recognise
from archive_pipeline_tests.readers.llm_databases import read, write_database
from archive_pipeline_tests.readers.test_pi import HEAD, SESSION, Line, answer, entry, said, text

# As version 2026.9 makes it, with fewer columns of what says nothing of a session.
SCHEMA = """
CREATE TABLE session_nodes (session_key TEXT NOT NULL PRIMARY KEY, current_session_id TEXT NOT NULL,
    entry_json TEXT NOT NULL, updated_at INTEGER NOT NULL, label TEXT, display_name TEXT) STRICT;
CREATE TABLE session_windows (session_id TEXT NOT NULL PRIMARY KEY, session_key TEXT NOT NULL,
    previous_session_id TEXT, reason TEXT, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
    display_name TEXT, FOREIGN KEY (session_key) REFERENCES session_nodes(session_key) ON DELETE CASCADE) STRICT;
CREATE TABLE transcript_events (session_id TEXT NOT NULL, seq INTEGER NOT NULL, event_json TEXT NOT NULL,
    created_at INTEGER NOT NULL, PRIMARY KEY (session_id, seq),
    FOREIGN KEY (session_id) REFERENCES "session_windows"(session_id) ON DELETE CASCADE) STRICT;
CREATE TABLE auth_profile_store (store_key TEXT NOT NULL PRIMARY KEY, store_json TEXT NOT NULL) STRICT;
INSERT INTO auth_profile_store VALUES ('main', '{"key": "secret"}');
"""
LINES = (
    HEAD,
    said("01", None, "user", "Is it wet?"),
    entry("02", "01", "session_info", name="In the lines"),
    answer("03", "02", text("Yes.")),
)


def events(*lines: Line | str, session: str = SESSION) -> list[dict[str, Any]]:
    """The rows of a session's lines, the last one stored first."""
    written = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    rows = [{"session_id": session, "seq": at, "event_json": line, "created_at": at} for at, line in enumerate(written)]
    return rows[::-1]


def window(session: str = SESSION, **more: Any) -> dict[str, Any]:
    return {"session_id": session, "session_key": "agent:main:main", "created_at": 1, "updated_at": 2, **more}


def node(**more: Any) -> dict[str, Any]:
    about = {"session_key": "agent:main:main", "current_session_id": SESSION, "updated_at": 2}
    return {**about, "entry_json": '{"chatType": "direct"}', **more}


def test_a_session_in_the_database_is_the_one_of_its_file(tmp_path: Path):
    file = tmp_path / f"{SESSION}.jsonl"
    file.write_text("\n".join(map(json.dumps, LINES)))
    rows = {"session_windows": [window()], "transcript_events": events(*LINES)}
    ours, rejected, _ = read(write_database(tmp_path / "openclaw-agent.sqlite", rows, SCHEMA))
    theirs, _, _ = read(file)
    assert (list(ours), rejected) == ([SESSION], [])
    assert ours[SESSION].messages == theirs[SESSION].messages
    names = ("title", "created_at", "updated_at", "project_id", "active_source_id", "message_less_nodes", "warnings")
    assert [getattr(ours[SESSION], name) for name in names] == [getattr(theirs[SESSION], name) for name in names]
    assert ours[SESSION].source_json["lines"] == theirs[SESSION].source_json["lines"]


def test_what_the_rows_say_beside_the_lines_is_kept_and_logins_are_not_read(tmp_path: Path):
    other = {**HEAD, "id": "before"}
    rows = {
        "session_nodes": [node(label="Rain", display_name="telegram:u1")],
        "session_windows": [window(previous_session_id="before"), window("before", display_name="telegram:u1")],
        "transcript_events": [*events(*LINES), *events(other, "{cut", session="before")],
    }
    records, rejected, _ = read(write_database(tmp_path / "openclaw-agent.sqlite", rows, SCHEMA))
    record, before = records[SESSION], records["before"]
    assert (record.title, before.title, rejected) == ("Rain", "telegram:u1", [])
    tables = record.source_json["tables"]
    assert [(row["label"], row["entry_json"]) for row in tables["session_nodes"]] == [("Rain", {"chatType": "direct"})]
    assert [row["previous_session_id"] for row in tables["session_windows"]] == ["before"]
    assert tables["transcript_events"] == [{"seq": at, "created_at": at} for at in range(4)]
    assert (before.source_json["lines"], before.warnings) == ({"1": other, "2": "{cut"}, {"malformed_message": 1})
    assert "secret" not in str(records)


def test_a_session_without_some_of_its_rows_is_a_partial_one():
    value = {"database": "pi", "conversation_id": "s", "tables": {"transcript_events": events(session="s")}}
    record: Any = READER.read({**value, "unreadable_rows": [{"table": "transcript_events", "row": 7}]}, "x")
    assert recognise(value).source == "pi"
    assert (record.source_id, record.warnings) == ("s", {"malformed_message": 1})
    assert record.source_json["unreadable_rows"] == [{"table": "transcript_events", "row": 7}]
