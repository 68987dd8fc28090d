"""Sessions of Claude Code as a whole: names, titles, subagents, copies, what is no line, folders of projects."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from archive_pipeline.domain.records import RejectedRecord
from archive_pipeline.readers.claude_code import READER
from archive_pipeline.readers.reading import ReadDialogue, read_paths
from archive_pipeline.readers.registry import recognise
from archive_pipeline_tests.readers.claude_code.lines import (
    SESSION,
    answer,
    call,
    chain,
    entry,
    read,
    result,
    said,
    session,
    text,
    uuid,
)


def test_what_is_no_line_is_kept_and_counted():
    broken = entry("user", "u2", "u1", 1, message="x")
    odd: list[Any] = [
        42,
        [1],
        "x",
        {"unreadable_line": '{"type": "us'},
        {"silly": 1},
        {"type": "novel", "uuid": "n"},
        broken,
    ]
    record = read(said("u1", None, 0, "one"), *odd, said("u3", "u2", 2, None))
    assert record.source_json["lines"] == odd
    assert [(name, parent) for name, parent, _ in chain(record)] == [("u1", None), ("u3", "u1")]
    assert record.messages[1].parts == ()
    assert record.warnings == {"malformed_message": 5, "unknown_line:none": 1, "unknown_line:novel": 1}


def test_a_subagents_lines_in_a_session_are_hidden_and_stand_in_the_turn():
    record = read(
        said("u1", None, 0, "go"),
        answer("a1", "u1", 1, "m1", call("t1", "Task", prompt="look")),
        said("s1", None, 2, "look", isSidechain=True),
        answer("s2", "s1", 3, "m2", call("t2", "Bash"), isSidechain=True),
        result("s3", "s2", 4, "t2", "x", isSidechain=True),
        answer("s4", "s3", 5, "m3", text("seen"), isSidechain=True),
        result("r1", "a1", 6, "t1", "seen"),
        answer("a2", "r1", 7, "m4", text("done")),
    )
    assert [name for name, _, _ in chain(record)] == ["u1", "a1", "s1", "s2", "s3", "s4", "r1", "a2"]
    assert [parent for _, parent, _ in chain(record)] == [None, "u1", "a1", "s1", "s2", "s3", "s4", "r1"]
    assert [m.role for m in record.messages if m.is_hidden] == ["system", "assistant", "tool", "assistant"]


def test_a_subagents_file_is_a_dialogue_of_its_own():
    lines = [
        said("u1", None, 0, "look", isSidechain=True, agentId="a36"),
        answer("a1", "u1", 1, "m", text("seen"), isSidechain=True, agentId="a36"),
    ]
    record = read(*lines, file="agent-a36.jsonl")
    assert record.source_id == f"{SESSION}-agent-a36"
    assert [(m.role, m.is_hidden) for m in record.messages] == [("user", False), ("assistant", False)]
    assert record.source_json["common"]["agentId"] == "a36"


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("99999999-2222-4333-8444-555555555555.jsonl", "99999999-2222-4333-8444-555555555555"),
        ("my session.jsonl", SESSION),
        (None, SESSION),
    ],
)
def test_a_session_has_the_name_of_its_file_or_of_its_lines(file: Any, expected: str):
    assert read(said("u1", None, 0, "one"), file=file).source_id == expected


def test_titles_are_the_users_then_the_models_then_a_summarys():
    lines: list[Any] = [
        said("u1", None, 0, "one"),
        {"type": "summary", "summary": "of another session", "leafUuid": uuid("zz")},
    ]
    assert read(*lines).title is None
    lines += [{"type": "summary", "summary": "S", "leafUuid": uuid("u1")}]
    assert read(*lines).title == "S"
    lines += [{"type": "ai-title", "aiTitle": "A", "sessionId": SESSION}]
    assert read(*lines).title == "A"
    lines += [{"type": "custom-title", "customTitle": name, "sessionId": SESSION} for name in ("C", "D")]
    assert read(*lines, {"type": "ai-title", "aiTitle": "B", "sessionId": SESSION}).title == "D"


def test_a_session_without_messages_is_one():
    snapshot = {
        "type": "file-history-snapshot",
        "messageId": "m",
        "snapshot": {"timestamp": "x"},
        "isSnapshotUpdate": False,
    }
    record = read(snapshot)
    assert (record.source_id, record.messages, record.created_at, dict(record.warnings)) == (SESSION, (), None, {})
    assert record.source_json["lines"] == [snapshot]
    assert 0.5 <= recognise(session(snapshot)).evidence.confidence < 1


def test_copied_lines_are_older_than_the_session():
    other = "99999999-2222-4333-8444-555555555555"
    mark = {"forkedFrom": {"sessionId": SESSION, "messageUuid": uuid("u1")}}
    copied = said("u1", None, 0, "one", **mark) | {"sessionId": other}
    own = said("u2", "u1", 50, "two") | {"sessionId": other}
    began = datetime(2026, 4, 18, 13, 0, 50, tzinfo=UTC)
    assert read(copied, own, file=f"{other}.jsonl").created_at == began
    assert read(said("u1", None, 0, "one"), own, file=f"{other}.jsonl").created_at == began
    assert read(
        copied, copied | {"uuid": "x", "timestamp": "2026-04-18T13:00:09Z"}, file=f"{other}.jsonl"
    ).created_at == (datetime(2026, 4, 18, 13, 0, 9, tzinfo=UTC))
    assert read(said("u1", None, 0, "one"), file="x.jsonl").created_at == datetime(2026, 4, 18, 13, tzinfo=UTC)


def test_lines_of_other_agents_are_not_taken_for_claude_codes():
    qwen = {"uuid": "u", "parentUuid": None, "sessionId": "s", "type": "user", "message": {"role": "user", "parts": []}}
    others = [
        qwen,
        {"type": "session_meta", "payload": {"id": "x"}},
        {"type": "message", "id": "1", "parentId": None, "message": {"role": "user"}},
        {"type": "user", "session_id": "s", "message": {"role": "user", "content": "x"}},
        {"type": "summary", "summary": "x"},
        {"display": "x", "sessionId": SESSION, "project": "/work"},
        {"type": ["user"]},
    ]
    for line in others:
        assert not READER.is_line(line)
        assert recognise(session(line)).source != "claude_code"
    assert recognise({"lines": "x"}).source is None


def written(folder: Path, name: str, *lines: Any, end: str = "\n") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(json.dumps(line) for line in lines) + end)
    return path


def test_a_folder_of_projects_is_read_and_what_is_beside_is_said(tmp_path: Path):
    folder = tmp_path / "-work-shop"
    written(folder, f"{SESSION}.jsonl", said("u1", None, 0, "one"), end='\n{"type": "assist')
    agent = said("u1", None, 0, "look", isSidechain=True, agentId="a36")
    written(folder, f"{SESSION}/subagents/agent-a36.jsonl", agent)
    (folder / SESSION / "subagents" / "agent-a36.meta.json").write_text('{"agentType": "Explore", "description": "d"}')
    (folder / "sessions-index.json").write_text('{"version": 1, "entries": []}')
    reading = read_paths([tmp_path])
    items = [item for file in reading for item in file.records()]
    assert not [item for item in items if isinstance(item, RejectedRecord)]
    records = {item.record.source_id: item.record for item in items if isinstance(item, ReadDialogue)}
    assert set(records) == {SESSION, f"{SESSION}-agent-a36"}
    assert records[SESSION].source_json["lines"] == [{"unreadable_line": '{"type": "assist'}]
    kinds = {skipped.kind for skipped in reading.skipped}
    assert kinds == {"descriptions of subagents", "list of sessions"}
