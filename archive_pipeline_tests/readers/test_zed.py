"""Zed's threads: rows of its database, compressed or not, and threads as JSON, of every version."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

import pytest

from archive_pipeline.domain.records import RejectedRecord
from archive_pipeline.readers.databases import packed
from archive_pipeline.readers.zed import READER
from archive_pipeline_tests.readers.llm_databases import write_database
from archive_pipeline_tests.readers.said import said
from archive_pipeline_tests.readers.zed_threads import (
    ASKED,
    DAY,
    EARLY,
    LATER,
    OWN,
    RESULT,
    SAID,
    TEXT,
    THINKING,
    USE,
    compress,
    database,
    early,
    items,
    read,
    row,
    thread,
    user,
)

EXPECTED = [
    ("user", [(TEXT, "Is it wet?")]),
    ("assistant", [(THINKING, "Look."), (TEXT, "I will look."), (USE, None)]),
    ("tool", [(RESULT, "rain")]),
    ("assistant", [(TEXT, "Yes.")]),
    ("user", [(TEXT, "Thanks")]),
]
DAMAGED = "its column data is damaged"


@pytest.mark.parametrize("schema", [EARLY, EARLY + LATER])
@pytest.mark.parametrize("data_type", ["zstd", "json"])
def test_a_thread_is_read_from_the_database_of_every_version(tmp_path: Path, schema: str, data_type: str):
    data = json.dumps(thread(*SAID)).encode()
    rows = [{**row(data if data_type == "json" else compress(data)), "data_type": data_type}]
    write_database(tmp_path / "threads.db", {"threads": rows}, schema)
    [record], rejected = items(tmp_path)
    about = (record.source, record.source_id, record.title, record.project_id, record.parent_source_id)
    assert (about, rejected) == (("zed", OWN, "Rain", None, None), [])
    assert (record.created_at, record.updated_at) == (None, datetime(2026, 2, 3, 10, 5, tzinfo=UTC))
    assert (record.is_linear_source, record.warnings) == (True, {})
    assert said(record) == EXPECTED
    assert [item.model for item in record.messages] == [None, "claude-sonnet-4", None, "claude-sonnet-4", None]
    ids = [item.source_id for item in record.messages]
    assert ids == [ASKED, f"{ASKED}-1", f"{ASKED}-1-results", f"{ASKED}-2", ids[4]]
    use, answer = record.messages[1].parts[2], record.messages[2].parts[0]
    assert (use.tool_name, use.tool_use_id, use.tool_input) == ("weather", "c1", {"at": "x"})
    assert (answer.tool_name, answer.tool_use_id, answer.is_error, answer.source) == ("weather", "c1", False, None)
    assert record.source_json["tables"]["threads"][0]["data"]["version"] == "0.3.0"


def test_what_holds_for_a_thread_is_in_its_row_and_in_the_thread(tmp_path: Path):
    snapshot = {"timestamp": DAY, "worktree_snapshots": [{"worktree_path": "/old", "git_state": None}]}
    child = thread(SAID[0], subagent_context={"parent_thread_id": OWN, "depth": 1}, initial_project_snapshot=snapshot)
    paths = {"folder_paths": "/a\n/b", "folder_paths_order": "1,0"}
    database(
        tmp_path,
        row(thread(SAID[0], title="New Thread"), summary="New Thread", created_at=DAY, **paths),
        row(child, "child", parent_id=OWN, created_at="2026-02-03T10:05:00+00:00"),
    )
    [parent, made], _ = items(tmp_path / "threads.db")
    assert (parent.title, parent.project_id, parent.parent_source_id) == (None, "/b", None)
    assert (made.source_id, made.project_id, made.parent_source_id) == ("child", "/old", OWN)
    assert (parent.created_at, made.created_at) == (datetime(2026, 2, 3, 10, tzinfo=UTC),) * 2


def test_a_thread_as_json_and_one_that_was_shared_say_the_same_without_an_id():
    shared = {"title": "Rain", "messages": list(SAID), "updated_at": DAY, "model": None, "version": "1.0.0"}
    for value in (thread(*SAID), shared):
        record = read(value)
        assert (record.source_id, record.title, said(record)) == (None, "Rain", EXPECTED)
        assert record.messages[0].source_id == ASKED


def test_damage_in_one_thread_is_told_with_its_place_and_the_others_are_read(tmp_path: Path):
    whole = compress(json.dumps(thread(*SAID)).encode())
    broken = {
        "cut": whole[:-5],
        "garbled": whole[:20] + b"\xff" * 20 + whole[40:],
        "text": compress(b"{'title'"),
        "list": compress(b"[]"),
    }
    path = database(tmp_path, row(whole), *(row(data, name) for name, data in broken.items()))
    records, rejected = items(path)
    assert [record.source_id for record in records] == [OWN]
    reasons = {record.locator: record.reason for record in rejected}
    assert len(reasons) == 5
    assert reasons[f"{path}: threads"] == (
        f"{path} is damaged: 2 rows of its table threads are missing from their conversations"
    )
    told = [reason for place, reason in reasons.items() if place.startswith(f"{path}[")]
    assert sum(f"the thread {name} cannot be read: {DAMAGED}" in reason for name in broken for reason in told) == 2
    assert sum("is no JSON with 'messages' (data_type ['zstd'])" in reason for reason in told) == 2


def test_a_thread_that_unpacks_to_more_than_anything_real_is_left_out_and_the_others_are_read(tmp_path: Path):
    bomb = compress(b"[" + b" " * 30_000_000 + b"]")
    assert len(bomb) < 10_000
    noise = thread(user(ASKED, {"Text": Random(1).randbytes(100_000).hex()}))  # noqa: S311 - a test's
    path = database(tmp_path, row(bomb, "bomb"), row(thread(*SAID)), row(noise, "noise"))
    records, rejected = items(path)
    assert [record.source_id for record in records] == [OWN, "noise"]
    assert [record.locator for record in rejected] == [f"{path}[1]", f"{path}: threads"]
    assert re.search("its column data unpacks to [0-9,]+ times its size, as no export does", rejected[0].reason)


def test_many_small_bombs_are_one_large_one(tmp_path: Path):
    bomb = compress(b"[" + b" " * 9_000_000 + b"]")
    path = database(tmp_path, *(row(bomb, f"bomb{number}") for number in range(12)))
    _, rejected = items(path)
    assert any(record.whole_file and "times its size" in record.reason for record in rejected)


def test_a_thread_that_is_larger_than_an_element_may_be_is_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(packed, "MAX_ELEMENT_BYTES", 1_000)
    path = database(tmp_path, row(thread(user(ASKED, {"Text": "x" * 2_000}))), row(thread(*SAID[3:]), "small"))
    records, rejected = items(path)
    assert [record.source_id for record in records] == ["small"]
    [told] = [record for record in rejected if record.locator == f"{path}: threads"]
    assert "has rows that are too large" in told.reason


def test_a_thread_without_an_id_or_messages_is_a_dialogue(tmp_path: Path):
    records, rejected = items(database(tmp_path, row(thread(), "empty"), row(thread(*SAID), None)))
    assert [(record.source_id, len(record.messages)) for record in records] == [(None, 5), ("empty", 0)]
    assert rejected == []


def test_what_is_not_known_is_kept_and_counted(tmp_path: Path):
    records, _ = items(database(tmp_path, row(thread(*SAID, {"Hologram": {"a": 1}}, [7], mood="wet"))))
    data = records[0].source_json["tables"]["threads"][0]["data"]
    assert (data["messages"], data["mood"]) == ({"5": {"Hologram": {"a": 1}}, "6": [7]}, "wet")
    assert records[0].warnings == {"malformed_message": 2}


@pytest.mark.parametrize(
    ("value", "confidence"),
    [
        (thread(SAID[0]), 1.0),
        (thread({"Compaction": {"Summary": "x"}}), 1.0),
        (thread(), 0.6),
        (thread("Resume"), 0.1),
        (early("0.2.0", {"id": 0, "role": "user", "segments": []}), 1.0),
        (early(None, {"id": 0, "role": "user", "text": "x", "tool_uses": [], "tool_results": []}), 1.0),
        (early(None, {"id": 0, "role": "user", "text": "x"}), 0.0),
        (early(None, {"id": "a", "role": "user", "segments": []}), 0.0),
        ({"messages": [SAID[0]]}, 0.0),
        ({"zed": "context", "text": "x", "messages": []}, 1.0),
        ({"zed": "theme", "text": "x", "messages": []}, 0.1),
        ({"zed": ["context"], "text": "x", "messages": []}, 0.0),
        ({"database": "goose", "tables": {}}, 0.0),
    ],
)
def test_a_thread_is_told_by_its_messages(value: dict[str, Any], confidence: float):
    assert READER.recognise(value).confidence == confidence


def test_a_thread_that_lost_its_messages_is_rejected():
    for value in (
        thread(messages=None),
        {"database": "zed", "tables": {"threads": []}},
        {"database": "zed", "tables": 1},
    ):
        assert isinstance(READER.read(value, "x"), RejectedRecord)
