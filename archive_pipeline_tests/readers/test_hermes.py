"""Hermes' sessions: rows of its database and exports; what is taken back, written again, or put in by the program."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

import pytest

from archive_pipeline.domain.records import DialogueRecord, PartType, RejectedRecord
from archive_pipeline.readers.hermes import READER
from archive_pipeline.readers.reading import ReadDialogue, read_paths
from archive_pipeline.readers.registry import recognise
from archive_pipeline_tests.readers.llm_databases import write_database
from benchmarks.fuzz import hermes
from benchmarks.fuzz.marks import Marks

# As an early version makes it, and what later ones add.
EARLY = """
CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT NOT NULL, model TEXT, model_config TEXT, system_prompt TEXT,
    parent_session_id TEXT, started_at REAL NOT NULL, ended_at REAL, end_reason TEXT, cwd TEXT, title TEXT);
CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, role TEXT NOT NULL, content TEXT,
    tool_call_id TEXT, tool_calls TEXT, tool_name TEXT, timestamp REAL NOT NULL, token_count INTEGER,
    finish_reason TEXT, reasoning TEXT, reasoning_content TEXT, reasoning_details TEXT);
"""
LATER = """
ALTER TABLE sessions ADD COLUMN system_prompt_hash TEXT;
ALTER TABLE messages ADD COLUMN active INTEGER NOT NULL DEFAULT 1;
ALTER TABLE messages ADD COLUMN compacted INTEGER NOT NULL DEFAULT 0;
ALTER TABLE messages ADD COLUMN _compressed_summary INTEGER NOT NULL DEFAULT 0;
CREATE TABLE system_prompts (hash TEXT PRIMARY KEY, prompt TEXT NOT NULL);
CREATE TABLE session_model_usage (session_id TEXT NOT NULL, model TEXT NOT NULL, input_tokens INTEGER);
CREATE TABLE gateway_routing (session_key TEXT NOT NULL, entry_json TEXT NOT NULL);
"""
START = 1_770_112_800  # 2026-02-03, 10:00
TEXT, CONTEXT, THINKING = PartType.TEXT, PartType.CONTEXT, PartType.THINKING
USE, RESULT, IMAGE = PartType.TOOL_USE, PartType.TOOL_RESULT, PartType.IMAGE
SESSION = {"id": "s", "source": "cli", "model": "hermes-4", "started_at": START, "cwd": "/w", "title": "Soil"}


def row(number: int, role: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"id": number, "session_id": "s", "role": role, "content": content, "timestamp": START + number, **more}


def call(name: str, tool: str, arguments: str = "{}") -> dict[str, Any]:
    return {"id": name, "call_id": name, "type": "function", "function": {"name": tool, "arguments": arguments}}


def in_database(path: Path, *rows: dict[str, Any], schema: str = EARLY + LATER, **tables: Any) -> list[Any]:
    written = [{name: item if isinstance(item, str) else _column(item) for name, item in row.items()} for row in rows]
    write_database(path, {"sessions": [SESSION], "messages": written, **tables}, schema)
    return [item for file in read_paths([path]) for item in file.records()]


def _column(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, dict | list) else value


def read(value: dict[str, Any]) -> DialogueRecord:
    assert recognise(value).source == "hermes"
    record = READER.read(value, "x.json")
    assert isinstance(record, DialogueRecord)
    return record


def of_rows(*rows: dict[str, Any], **session: Any) -> DialogueRecord:
    tables = {"sessions": [{**SESSION, **session}], "messages": list(rows)}
    return read({"database": "hermes", "conversation_id": "s", "tables": tables})


def said(record: DialogueRecord) -> list[tuple[str, list[tuple[PartType, str | None]]]]:
    return [(m.role, [(part.part_type, part.text) for part in m.parts]) for m in record.messages]


def numbered(record: DialogueRecord) -> list[tuple[int | None, ...]]:
    """The number of each message's row, and of the row of the message that it follows."""
    numbers: dict[str | None, int | None] = {None: None}
    numbers |= {m.source_id: (m.source or {})["id"] for m in record.messages}
    return [(numbers[m.source_id], numbers[m.parent_source_id]) for m in record.messages]


ROWS = (
    row(1, "user", "Is it wet?"),
    row(2, "assistant", "I will look.", tool_calls=[call("c1", "weather", '{"at": "x"}')], reasoning="Look."),
    row(3, "tool", '{"rain": 1}', tool_call_id="c1", tool_name="weather"),
    row(4, "assistant", "Yes.", reasoning="It rains.", reasoning_content="It rains.", finish_reason="stop"),
)


@pytest.mark.parametrize("schema", [EARLY, EARLY + LATER])
def test_a_session_is_read_from_the_database_of_every_version(tmp_path: Path, schema: str):
    [item] = in_database(tmp_path / "state.db", *ROWS, schema=schema)
    assert isinstance(item, ReadDialogue)
    record = item.record
    about = (record.source, record.source_id, record.title, record.project_id, record.parent_source_id)
    assert about == ("hermes", "s", "Soil", "/w", None)
    assert record.created_at == datetime(2026, 2, 3, 10, tzinfo=UTC)
    assert record.updated_at == datetime(2026, 2, 3, 10, 0, 4, tzinfo=UTC)
    assert record.warnings == {}
    assert said(record) == [
        ("user", [(TEXT, "Is it wet?")]),
        ("assistant", [(THINKING, "Look."), (TEXT, "I will look."), (USE, None)]),
        ("tool", [(RESULT, '{"rain": 1}')]),
        ("assistant", [(THINKING, "It rains."), (TEXT, "Yes.")]),
    ]
    assert numbered(record) == [(1, None), (2, 1), (3, 2), (4, 3)]
    assert [m.model for m in record.messages] == [None, "hermes-4", None, "hermes-4"]
    assert (record.messages[2].parts[0].tool_name, record.messages[2].parts[0].tool_use_id) == ("weather", "c1")


def test_what_is_beside_a_session_in_the_database_is_kept_and_the_gateways_is_not_read(tmp_path: Path):
    items = in_database(
        tmp_path / "state.db",
        *ROWS,
        system_prompts=[{"hash": "h", "prompt": "Be brief."}, {"hash": "other", "prompt": "Be long."}],
        session_model_usage=[{"session_id": "s", "model": "other-model", "input_tokens": 7}],
        gateway_routing=[{"session_key": "k", "entry_json": "{}"}],
    )
    record = items[0].record
    assert record.source_json["tables"] == {
        "session_model_usage": [{"session_id": "s", "model": "other-model", "input_tokens": 7}]
    }
    assert {m.model for m in record.messages} == {None}  # of several models nobody knows whose answer it is


def test_a_system_prompt_that_sessions_share_is_with_each(tmp_path: Path):
    path = tmp_path / "state.db"
    prompts = [{"hash": "h", "prompt": "Be brief."}]
    sessions = [{**SESSION, "id": name, "system_prompt_hash": "h"} for name in ("a", "b")]
    write_database(path, {"sessions": sessions, "system_prompts": prompts}, EARLY + LATER)
    records = [item.record for file in read_paths([path]) for item in file.records() if isinstance(item, ReadDialogue)]
    assert [record.source_json["tables"] for record in records] == [{"system_prompts": prompts}] * 2


@pytest.mark.parametrize("prefix", ["\x00json:", "\x01json:"])
def test_content_in_blocks_is_read(tmp_path: Path, prefix: str):
    blocks = [
        {"type": "text", "text": "What?"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}},
    ]
    [item] = in_database(tmp_path / "state.db", row(1, "user", prefix + json.dumps(blocks)))
    assert said(item.record) == [("user", [(TEXT, "What?"), (IMAGE, None)])]


def test_what_the_user_took_back_is_a_branch():
    record = of_rows(
        row(1, "user", "One"),
        row(2, "assistant", "1"),
        row(3, "user", "Tow", active=0),
        row(4, "assistant", "?", active=0),
        row(5, "user", "Two", active=1),
        row(6, "assistant", "2", active=1),
    )
    assert numbered(record) == [(1, None), (2, 1), (3, 2), (4, 3), (5, 2), (6, 5)]
    assert record.active_source_id == record.messages[-1].source_id


def test_rows_that_are_written_again_behind_a_summary_are_one_message():
    old = [
        row(number, role, said, active=0, compacted=1)
        for number, role, said in ((1, "user", "A"), (2, "assistant", "B"))
    ]
    summary = row(3, "user", "[CONTEXT COMPACTION - REFERENCE ONLY] All so far", _compressed_summary=1)
    again = {**old[1], "id": 4, "active": 1, "compacted": 0}
    record = of_rows(*old, summary, again, row(5, "user", "C"))
    assert numbered(record) == [(1, None), (2, 1), (3, 2), (5, 3)]
    assert [(m.role, m.is_hidden) for m in record.messages] == [
        ("user", False),
        ("assistant", False),
        ("system", True),
        ("user", False),
    ]
    assert record.source_json["tables"]["copies"] == [{"id": 4, "active": 1, "compacted": 0}]


INVOKED = "The user has invoked the"
ASKED = "The user has provided the following instruction alongside the skill invocation: "
FOOTER = "Resolve paths against that directory, then run them with the terminal tool using the absolute path."


@pytest.mark.parametrize(
    ("before", "behind"),
    [
        (f'[SYSTEM: {INVOKED} "git" skill]\n\nUse git.\n\n{ASKED}', "\n\n[Runtime note: be quick]"),
        (f'[IMPORTANT: {INVOKED} "git" skill, …]\n\nUse git.\n\n{ASKED}', "\n\n[Runtime note: be quick]"),
        (f'[IMPORTANT: {INVOKED} "doc" skill, …]\n\nIt says `{ASKED}x`.\n\n{ASKED}', ""),
        (
            f'[IMPORTANT: {INVOKED} "dev" skill bundle, loading 2 skills]\n\nBundle: dev\n\nUser instruction: ',
            '\n\n[Loaded as part of the "dev" skill bundle.]\n\nUse git.\n\nUser instruction: none',
        ),
        (f'[IMPORTANT: The "git" skill is auto-loaded. Follow it.]\n\nUse git.\n\n{FOOTER}\n\n', ""),
        ("[OUT-OF-BAND USER MESSAGE — a direct message from the user]\n", "\n[/OUT-OF-BAND USER MESSAGE]"),
    ],
)
def test_what_the_program_writes_around_what_the_user_asked_is_context(before: str, behind: str):
    text = f"{before}Commit it.{behind}"
    [message] = of_rows(row(1, "user", text)).messages
    pieces = [(CONTEXT, before.rstrip("\n")), (TEXT, "Commit it."), (CONTEXT, behind)]
    assert message.role == "user"
    assert [(part.part_type, (part.text or "").strip("\n")) for part in message.parts] == [
        (part_type, piece.strip("\n")) for part_type, piece in pieces if piece
    ]
    assert message.parts[0].source == {"text": text}


@pytest.mark.parametrize(
    "text",
    [
        f'[SYSTEM: {INVOKED} "git" skill]\n\nUse git.',
        f'[IMPORTANT: {INVOKED} "git" skill, …]\n\nUse git.',
        f'[IMPORTANT: {INVOKED} "dev" skill bundle, loading 2 skills]\n\n[Loaded as part of the "dev" skill bundle.]',
        f'[IMPORTANT: The "git" skill is auto-loaded. Follow it.]\n\nUse git.\n\n{FOOTER}',
        "Review the conversation above and consider saving to memory if it says who the user is.",
        "[Your active task list was preserved across context compression]\n- [ ] 1. count",
        "[IMPORTANT: Background process proc_1 completed normally (exit code 0).]",
        "[ASYNC DELEGATION COMPLETE — deleg_1]\nIt has finished.",
    ],
)
def test_notices_and_a_skill_with_which_nothing_is_asked_are_the_systems(text: str):
    [message] = of_rows(row(1, "user", text)).messages
    assert (message.role, message.is_hidden) == ("system", True)
    assert [(part.part_type, part.text) for part in message.parts] == [(CONTEXT, text)]


def test_users_may_write_as_a_skill_begins():
    for text in ("[IMPORTANT: The user is me]", 'What is [IMPORTANT: The user has invoked the "git" skill]?'):
        assert said(of_rows(row(1, "user", text))) == [("user", [(TEXT, text)])]


@pytest.mark.parametrize("kind", ["hidden", "model_switch", "auto_continue", "internal_notification", "what_comes"])
def test_rows_of_a_kind_are_the_programs(kind: str):
    [message] = of_rows(row(1, "user", "Done.", display_kind=kind)).messages
    assert (message.role, message.is_hidden) == ("system", True)
    assert [(part.part_type, part.text) for part in message.parts] == [(CONTEXT, "Done.")]


@pytest.mark.parametrize("kind", [None, "", "steer"])
def test_what_the_user_says_while_the_model_works_is_his(kind: str | None):
    assert said(of_rows(row(1, "user", "Stop.", display_kind=kind))) == [("user", [(TEXT, "Stop.")])]


def test_only_a_session_that_another_one_delegated_to_is_a_subagents():
    started = of_rows(*ROWS, parent_session_id="p", model_config={"_delegate_from": "p"})
    goes_on = of_rows(*ROWS, parent_session_id="p", model_config={"_branched_from": "p"})
    assert (started.parent_source_id, goes_on.parent_source_id) == ("p", None)
    assert goes_on.source_json["session"]["parent_session_id"] == "p"


def test_an_export_has_the_same_ids_and_deletes_nothing(tmp_path: Path):
    path = tmp_path / "sessions.jsonl"
    sessions = [{**SESSION, "id": name, "message_count": 4, "messages": list(ROWS)} for name in ("a", "s")]
    path.write_text("\n".join(map(json.dumps, sessions)))
    items = [item for file in read_paths([path]) for item in file.records()]
    records = [item.record for item in items if isinstance(item, ReadDialogue)]
    assert [(record.source_id, record.vintage) for record in records] == [("a", "active"), ("s", "active")]
    assert said(records[1]) == said(of_rows(*ROWS))
    assert [m.source_id for m in records[1].messages] == [m.source_id for m in of_rows(*ROWS).messages]
    assert records[1].is_linear_source


@pytest.mark.parametrize(
    ("value", "confidence"),
    [
        ({**SESSION, "messages": list(ROWS)}, 1.0),
        ({**SESSION, "message_count": 0, "messages": []}, 0.6),
        ({**SESSION, "messages": [{"role": "user", "content": "x"}]}, 0.1),
        ({"messages": list(ROWS)}, 0.0),
        ({"database": "llm", "tables": {}}, 0.0),
    ],
)
def test_a_session_is_told_by_its_columns(value: dict[str, Any], confidence: float):
    assert READER.recognise(value).confidence == confidence


def test_a_session_without_an_array_of_messages_is_rejected():
    for value in ({**SESSION, "messages": 7}, {"database": "hermes", "tables": []}):
        assert isinstance(READER.read(value, "x"), RejectedRecord)


def test_an_id_is_there_once_and_each_message_follows_one_above():
    for seed in range(60):
        record = READER.read(hermes.conversation(Random(seed), Marks()), "x.json")  # noqa: S311 - a test's
        assert isinstance(record, DialogueRecord)
        seen: set[str | None] = {None}
        for message in record.messages:
            assert message.source_id not in seen
            assert message.parent_source_id in seen
            seen.add(message.source_id)
