"""OpenCode's database says what its export says, also after version 2 has taken it over."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.domain.records import DialogueRecord
from archive_pipeline.ingest.layer import Layer
from archive_pipeline.ingest.layers import merge
from archive_pipeline.ingest.prepare import prepare
from archive_pipeline.readers.opencode.dialogue import read_session
from archive_pipeline_tests.readers import llm_databases
from archive_pipeline_tests.readers.llm_databases import read
from archive_pipeline_tests.readers.opencode_sessions import (
    INFO,
    SESSION,
    START,
    done,
    entry,
    export,
    message,
    part,
    tool,
)
from archive_pipeline_tests.readers.opencode_sessions import NEWER as V2
from archive_pipeline_tests.trials import trials
from benchmarks.fuzz import opencode
from benchmarks.fuzz.marks import Marks

# As version 1.2 makes it, and what version 2 adds.
OLDER = """
CREATE TABLE `project` (`id` text PRIMARY KEY, `worktree` text NOT NULL, `vcs` text, `name` text, `icon_url` text,
    `icon_color` text, `time_created` integer NOT NULL, `time_updated` integer NOT NULL, `time_initialized` integer,
    `sandboxes` text NOT NULL);
CREATE TABLE `session` (`id` text PRIMARY KEY, `project_id` text NOT NULL, `parent_id` text, `slug` text NOT NULL,
    `directory` text NOT NULL, `title` text NOT NULL, `version` text NOT NULL, `share_url` text,
    `summary_additions` integer, `summary_deletions` integer, `summary_files` integer, `summary_diffs` text,
    `revert` text, `permission` text, `time_created` integer NOT NULL, `time_updated` integer NOT NULL,
    `time_compacting` integer, `time_archived` integer);
CREATE TABLE `message` (`id` text PRIMARY KEY, `session_id` text NOT NULL, `time_created` integer NOT NULL,
    `time_updated` integer NOT NULL, `data` text NOT NULL);
CREATE TABLE `part` (`id` text PRIMARY KEY, `message_id` text NOT NULL, `session_id` text NOT NULL,
    `time_created` integer NOT NULL, `time_updated` integer NOT NULL, `data` text NOT NULL);
CREATE TABLE `todo` (`session_id` text NOT NULL, `content` text NOT NULL, `status` text NOT NULL,
    `priority` text NOT NULL, `position` integer NOT NULL, `time_created` integer NOT NULL,
    `time_updated` integer NOT NULL, CONSTRAINT `todo_pk` PRIMARY KEY(`session_id`, `position`));
CREATE TABLE `session_share` (`session_id` text PRIMARY KEY, `id` text, `secret` text, `url` text);
INSERT INTO `session_share` VALUES ('ses_5f1ce2b1affe8ZmU3xYhWq0aVb', 's', 'secret@example.org', 'u');
"""
NEWER = """
CREATE TABLE `session_v2` (`id` text PRIMARY KEY, `project_id` text NOT NULL, `workspace_id` text, `parent_id` text,
    `fork_session_id` text, `fork_boundary` text, `slug` text NOT NULL, `directory` text NOT NULL, `title` text,
    `version` text NOT NULL, `metadata` text, `cost` real DEFAULT 0 NOT NULL, `revert` text, `model` text,
    `time_created` integer NOT NULL, `time_updated` integer NOT NULL);
CREATE TABLE `session_message` (`id` text PRIMARY KEY, `session_id` text NOT NULL, `type` text NOT NULL,
    `seq` integer NOT NULL, `time_created` integer NOT NULL, `time_updated` integer NOT NULL, `data` text NOT NULL);
"""
TIMES = {"time_created": START, "time_updated": START + 9_000}
Rows = dict[str, list[dict[str, Any]]]


def older_rows(exported: Mapping[str, Any]) -> Rows:
    """The rows that version 1 has of what it exports."""
    info = exported["info"]
    columns = {"id": info["id"], "project_id": info["projectID"], "parent_id": info.get("parentID"), **TIMES}
    if info.get("revert"):
        columns["revert"] = json.dumps(info["revert"])
    names = ("slug", "directory", "title", "version")
    rows: Rows = {"session": [{**columns, **{name: info[name] for name in names}}], "message": [], "part": []}
    for each in exported["messages"]:
        about = dict(each["info"])
        name, session, created = about.pop("id"), about.pop("sessionID"), about["time"]["created"]
        times = {"time_created": created, "time_updated": created + 1}
        rows["message"].append({"id": name, "session_id": session, **times, "data": json.dumps(about)})
        for item in each["parts"]:
            data = {key: value for key, value in item.items() if key not in ("id", "sessionID", "messageID")}
            ids = {"id": f"{item['id']}-{name}", "message_id": name, "session_id": session}
            rows["part"].append({**ids, **times, "data": json.dumps(data)})
    return rows


def newer_rows(*entries: Mapping[str, Any], title: str = "Sum") -> Rows:
    """The rows that version 2 has of some entries of the session."""
    names = ("slug", "directory", "version")
    session = {"id": SESSION, "project_id": "p", **TIMES, **{name: INFO[name] for name in names}, "title": title}
    stored = []
    for seq, each in enumerate(entries):
        data = {key: value for key, value in each.items() if key not in ("id", "type")}
        times = {"time_created": each["time"]["created"], "time_updated": START}
        ids = {"id": each["id"], "session_id": SESSION, "type": each["type"], "seq": seq}
        stored.append({**ids, **times, "data": json.dumps(data)})
    return {"session_v2": [session], "session_message": stored}


def write_database(folder: Path, *rows: Rows, schema: str = OLDER) -> Path:
    every = {table: some for each in rows for table, some in each.items()}
    return llm_databases.write_database(folder / "opencode.db", every, schema)


def said(record: DialogueRecord) -> list[Any]:
    """What the messages of a dialogue say, without what the database has beside it."""
    return [
        (
            *(each.source_id, each.role, each.is_hidden, each.state, each.model, each.created_at),
            [(p.part_type, p.text, p.tool_name, p.tool_use_id, p.tool_input, p.is_error) for p in each.parts],
            [(file.file_name, file.mime_type, file.uri, file.content_sha256) for file in each.attachments],
        )
        for each in record.messages
    ]


ASKED = message("msg_1", "user", part("text", 1, text="List"), part("text", 2, text="<reminder>", synthetic=True))
CALLED = message("msg_2", "assistant", tool("c1", done("a.csv"), 1), part("text", 2, text="One."))


def test_a_database_gives_the_dialogues_of_its_exports(tmp_path: Path):
    exported = export(ASKED, CALLED, parentID="ses_parent")
    other = export(message("msg_3", "user", part("text", text="Other")), id="ses_other", title="Other")
    for each in other["messages"]:
        each["info"]["sessionID"] = "ses_other"
        each["parts"][0]["sessionID"] = "ses_other"
    every = older_rows(exported)
    for table, some in older_rows(other).items():
        every[table] += some
    every["todo"] = [
        {**TIMES, "session_id": SESSION, "content": "Sum", "status": "done", "priority": "low", "position": 0}
    ]
    every["project"] = [{**TIMES, "id": INFO["projectID"], "worktree": "/work", "vcs": "git", "sandboxes": "[]"}]
    records, rejected, file = read(write_database(tmp_path, every))
    assert (sorted(records), rejected, file.source) == ([SESSION, "ses_other"], [], "opencode")
    theirs = read_session(exported, "")
    ours = records[SESSION]
    assert isinstance(theirs, DialogueRecord)
    assert said(ours) == said(theirs)
    names = ("title", "created_at", "updated_at", "project_id", "parent_source_id", "active_source_id")
    assert [getattr(ours, name) for name in names] == [getattr(theirs, name) for name in names]
    assert ours.source_json["tables"]["todo"][0]["content"] == "Sum"
    assert ours.source_json["tables"]["project"][0]["worktree"] == "/work"
    assert "secret" not in str(records)
    assert not ours.warnings


@given(st.integers(0, 2**32))
@trials(20)
def test_any_export_is_the_same_in_rows(seed: int):
    """Rows come in any order, and are read in that of their times and ids."""
    random = Random(seed)  # noqa: S311 - a seeded example
    made = opencode.export(random, Marks())
    for at, each in enumerate(made["messages"]):
        each["info"]["sessionID"], each["info"]["time"]["created"] = made["info"]["id"], START + at
        each["parts"] = [{**item, "id": f"prt_{place}"} for place, item in enumerate(each["parts"])]
    once = {each["info"]["id"]: each for each in made["messages"]}
    made["messages"] = sorted(once.values(), key=lambda each: each["info"]["time"]["created"])
    tables = older_rows(made)
    for rows in tables.values():
        random.shuffle(rows)
        for row in rows:
            row.update({name: json.loads(row[name]) for name in ("data", "revert") if name in row})
    ours = read_session({"database": "opencode", "conversation_id": made["info"]["id"], "tables": tables}, "")
    theirs = read_session(made, "")
    assert isinstance(ours, DialogueRecord)
    assert isinstance(theirs, DialogueRecord)
    assert said(ours) == said(theirs)


def test_a_session_of_version_2_is_read_in_its_order(tmp_path: Path):
    answer = entry("msg_2", "assistant", content=[{"type": "text", "text": "One."}], model={"id": "gpt-5.2"})
    rows = newer_rows(answer | {"id": "msg_9"}, entry("msg_3", "user", text="And now?"))
    records, rejected, _ = read(write_database(tmp_path, rows, schema=NEWER))
    assert (list(records), rejected) == ([SESSION], [])
    found = [(each.source_id, each.role, each.parts[0].text) for each in records[SESSION].messages]
    assert found == [("msg_9", "assistant", "One."), ("msg_3", "user", "And now?")]
    assert (records[SESSION].title, records[SESSION].project_id) == ("Sum", "/work/loess")


def test_what_version_2_has_taken_over_is_one_message(tmp_path: Path):
    """The older row has all of it; what was said since follows."""
    taken = [
        entry("msg_1", "user", text="List"),
        entry("msg_made_1", "synthetic", text="<reminder>"),
        entry("msg_2", "assistant", content=[{"type": "text", "text": "One."}], model={"id": "claude-sonnet-4-5"}),
        entry("msg_made_2", "system", text="Tools have other names now"),
    ]
    since = entry("msg_5", "user", text="And now?")
    rows = older_rows(export(ASKED, CALLED)), newer_rows(*taken, since, title="Sum, since")
    records, rejected, _ = read(write_database(tmp_path, *rows, schema=OLDER + NEWER))
    assert not rejected
    both = records[SESSION]
    older = read_session(export(ASKED, CALLED), "")
    assert isinstance(older, DialogueRecord)
    assert said(both)[:2] == said(older)
    assert [(each.source_id, each.role) for each in both.messages[2:]] == [("msg_5", "user")]
    kept = [[row["id"] for row in each.source["session_message"]] for each in both.messages[:2]]
    assert kept == [["msg_1", "msg_made_1"], ["msg_2", "msg_made_2"]]
    assert both.title == "Sum, since"
    assert both.source_json["tables"]["session"][0]["title"] == INFO["title"]


def test_an_export_of_version_2_takes_nothing_away_from_what_version_1_said():
    """Taking over leaves out summaries, words of OpenCode and what tools said beside their output."""
    asked, called = message("msg_1", "user", part("text", text="List")), CALLED
    summed = message("msg_4", "assistant", part("text", text="So far: one."), summary=True)
    since = entry("msg_5", "user", text="And now?")
    answer = {"content": [{"type": "text", "text": "One."}], "model": {"id": "claude-sonnet-4-5"}}
    info = {**V2, "time": {"created": START, "updated": START + 20_000}}
    taken = [entry("msg_1", "user", text="List"), entry("msg_2", "assistant", **answer), since]
    older, newer = export(asked, called, summed), {"info": info, "messages": taken}
    layers = []
    for value in (older, newer):
        record = read_session(value, "")
        assert isinstance(record, DialogueRecord)
        layers.append(Layer.of(prepare(record, b"")))
    assert [layer.dialogue.record.vintage for layer in layers] == ["full", "entries"]
    merged = merge(layers)
    assert [(each.source_id, each.link.parent) for each in merged.messages] == [
        *(("msg_1", None), ("msg_2", "msg_1"), ("msg_4", "msg_2"), ("msg_5", "msg_2")),
    ]
    kept = merged.messages[1].record
    assert [each.part_type.value for each in kept.parts] == ["tool_use", "tool_result", "text"]


def test_rows_without_their_session_or_message_are_kept(tmp_path: Path):
    rows = older_rows(export(ASKED))
    rows["session"], rows["message"] = [], rows["message"] + [{**rows["message"][0], "id": "msg_0", "data": "{"}]
    rows["part"].append({**rows["part"][0], "id": "prt_lost", "message_id": "msg_lost"})
    records, rejected, _ = read(write_database(tmp_path, rows))
    assert (list(records), rejected) == ([SESSION], [])
    record = records[SESSION]
    assert [(each.source_id, each.role) for each in record.messages] == [("msg_0", "system"), ("msg_1", "user")]
    assert record.messages[0].source["info"]["data"] == "{"
    assert [row["id"] for row in record.source_json["tables"]["part"]] == ["prt_lost"]


@pytest.mark.parametrize("table", ["message", "part", "session_message"])
def test_a_database_of_another_program_is_none_of_opencode(tmp_path: Path, table: str):
    with closing(sqlite3.connect(tmp_path / "other.db")) as connection:
        connection.executescript(f"CREATE TABLE session (id, user); CREATE TABLE {table} (id, session_id, data);")
    _, [rejected], file = read(tmp_path / "other.db")
    assert file.source is None
    assert "no reader knows" in rejected.reason
