"""Conversations of ``llm``: responses, stored messages, and conversations that are in both layouts."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.domain.records import DialogueRecord, JsonText, PartType, RejectedRecord
from archive_pipeline.ingest.prepare import prepare
from archive_pipeline.readers.llm import READER
from archive_pipeline.readers.registry import recognise
from archive_pipeline_tests.readers.llm_databases import (
    message,
    read,
    response,
    said,
    thread,
    together,
    turn,
    write_database,
)
from benchmarks.fuzz.rows import check_rows

A, B, C, D, E = (f"b2:{digit * 32}" for digit in "abcde")


def one(path: Path, rows: Any) -> DialogueRecord:
    records, rejected, _ = read(write_database(path / "logs.db", rows))
    assert rejected == []
    [record] = records.values()
    return record


def test_a_response_is_a_prompt_and_an_answer(tmp_path: Path):
    record = one(
        tmp_path,
        {
            "conversations": [{"id": "c1", "name": "About x", "model": "gpt-x"}],
            "responses": [
                response("r01", "why?", "because", options_json='{"t": 0}', reasoning="hm"),
                response("r02", "and?", "so", resolved_model="gpt-x-1"),
            ],
        },
    )
    assert (record.source, record.source_id, record.title, record.active_source_id) == ("llm", "c1", "About x", "r02")
    assert [(m.source_id, m.parent_source_id, m.role, m.model) for m in record.messages] == [
        ("r01-prompt", None, "user", None),
        ("r01", "r01-prompt", "assistant", "gpt-x"),
        ("r02-prompt", "r01", "user", None),
        ("r02", "r02-prompt", "assistant", "gpt-x"),
    ]
    assert [(p.part_type, p.text) for p in record.messages[1].parts] == [
        (PartType.THINKING, "hm"),
        (PartType.TEXT, "because"),
    ]
    assert record.created_at == record.messages[0].created_at == datetime(2026, 11, 21, 20, 1, 50, 927454, UTC)
    assert record.updated_at == record.messages[3].created_at
    assert record.messages[1].source["responses"][0]["options_json"] == '{"t": 0}'
    assert record.messages[3].source["responses"][0]["resolved_model"] == "gpt-x-1"


def test_the_time_of_rows_is_their_order_not_the_id(tmp_path: Path):
    rows = [response("zz01", "first", "1"), response("aa02", "second", "2")]
    assert [text for _, text in said(one(tmp_path, {"responses": rows}))] == ["first", "1", "second", "2"]


def test_without_all_times_ids_are_the_order(tmp_path: Path):
    rows = [response("zz01", "second", "2"), {**response("aa02", "first", "1"), "datetime_utc": None}]
    assert [text for _, text in said(one(tmp_path, {"responses": rows}))] == ["first", "1", "second", "2"]


def test_a_response_without_a_conversation_is_a_dialogue_of_its_own(tmp_path: Path):
    rows = [response("r01", "a", "b", None), response("r02", "c", "d", None), response("r03", "e", "f", "gone")]
    records, rejected, _ = read(write_database(tmp_path / "logs.db", {"responses": rows}))
    assert {name: said(record) for name, record in records.items()} == {
        "r01": [("user", "a"), ("assistant", "b")],
        "r02": [("user", "c"), ("assistant", "d")],
        "gone": [("user", "e"), ("assistant", "f")],
    }
    assert rejected == []


def test_a_system_prompt_is_a_message_where_it_changes(tmp_path: Path):
    systems = ["Be kind.", "Be kind.", None, "Be short."]
    rows = [response(f"r0{at}", f"q{at}", f"a{at}", system=system) for at, system in enumerate(systems)]
    assert said(one(tmp_path, {"responses": rows})) == [
        ("system", "Be kind."),
        ("user", "q0"),
        ("assistant", "a0"),
        ("user", "q1"),
        ("assistant", "a1"),
        ("user", "q2"),
        ("assistant", "a2"),
        ("system", "Be short."),
        ("user", "q3"),
        ("assistant", "a3"),
    ]


def test_fragments_are_a_part_of_the_prompt_as_the_model_saw_it(tmp_path: Path):
    record = one(
        tmp_path,
        {
            "responses": [response("r01", "Sum up", "ok", system="Be brief. "), response("r02", "", "again")],
            "fragments": [{"id": at, "content": text} for at, text in enumerate(["one", "two\n", "Rules"])],
            "prompt_fragments": [
                {"response_id": "r01", "fragment_id": 1, "order": 1},
                {"response_id": "r01", "fragment_id": 0, "order": 0},
                {"response_id": "r02", "fragment_id": 0, "order": 0},
                {"response_id": "r02", "fragment_id": 9, "order": 1},
            ],
            "system_fragments": [{"response_id": "r01", "fragment_id": 2, "order": 0}],
        },
    )
    assert said(record) == [
        ("system", "Rules\n\nBe brief."),
        ("user", "one\ntwo\n\nSum up"),
        ("assistant", "ok"),
        ("user", "one"),
        ("assistant", "again"),
    ]
    assert record.warnings == {"missing_fragment": 1}
    assert all("content" not in row for row in record.source_json["tables"]["fragments"])


def test_calls_and_results_of_tools_are_one_chain(tmp_path: Path):
    record = one(
        tmp_path,
        {
            "responses": [response("r01", "find x", ""), response("r02", "", "x is 1")],
            "tools": [{"id": 1, "name": "find"}],
            "tool_calls": [
                {"id": 1, "response_id": "r01", "tool_id": 1, "name": "find", "arguments": '{"q": "x"}'},
                {"id": 2, "response_id": "r01", "tool_id": 1, "name": "find", "arguments": "x", "tool_call_id": "k"},
            ],
            "tool_results": [
                {"id": 1, "response_id": "r02", "tool_id": 1, "name": "find", "output": "1"},
                {"id": 2, "response_id": "r02", "name": "find", "output": "", "tool_call_id": "k", "exception": "No"},
            ],
        },
    )
    assert [m.role for m in record.messages] == ["user", "assistant", "tool", "assistant"]
    assert [(p.part_type, p.tool_name, p.tool_use_id, p.tool_input) for p in record.messages[1].parts] == [
        (PartType.TOOL_USE, "find", "tool-call-1", JsonText('{"q": "x"}')),
        (PartType.TOOL_USE, "find", "k", "x"),
    ]
    assert [(p.text, p.tool_use_id, p.is_error) for p in record.messages[2].parts] == [
        ("1", "tool-call-1", None),
        ("No", "k", True),
    ]
    assert record.warnings == {}


def test_attachments_are_named_and_their_content_is_told_by_its_hash(tmp_path: Path):
    record = one(
        tmp_path,
        {
            "responses": [response("r01", "look", "a dog")],
            "attachments": [
                {"id": "aa", "type": "image/png", "content": b"\x89PNG..."},
                {"id": "bb", "type": "image/jpeg", "path": "/home/u/dog.jpg"},
                {"id": "cc", "type": None, "url": "https://a.example/b.png"},
            ],
            "prompt_attachments": [
                {"response_id": "r01", "attachment_id": name, "order": at} for at, name in enumerate(["cc", "bb", "aa"])
            ],
        },
    )
    url, path, content = record.messages[0].attachments
    assert (url.source_id, url.uri, path.file_name, path.uri) == (
        "cc", "https://a.example/b.png", "dog.jpg", "/home/u/dog.jpg",
    )  # fmt: skip
    assert (content.source_id, content.mime_type, content.size_bytes) == ("aa", "image/png", 7)
    assert content.content_sha256 == hashlib.sha256(b"\x89PNG...").hexdigest()


def test_the_table_of_the_first_versions_is_read_too(tmp_path: Path):
    schema = """CREATE TABLE "logs" ("id" INTEGER PRIMARY KEY, "model" TEXT, "prompt" TEXT, "system" TEXT,
        "response" TEXT, "chat_id" INTEGER, "datetime_utc" TEXT);"""
    rows = [
        {"id": 9, "prompt": "a", "response": "b", "chat_id": None},
        {"id": 10, "prompt": "c", "response": "d", "chat_id": 9},
        {"id": 11, "prompt": "e", "response": "f", "chat_id": None},
    ]
    records, rejected, _ = read(write_database(tmp_path / "log.db", {"logs": rows}, schema))
    assert {name: [text for _, text in said(record)] for name, record in records.items()} == {
        "logs-9": ["a", "b", "c", "d"],
        "logs-11": ["e", "f"],
    }
    assert (records["logs-9"].messages[1].source_id, rejected) == ("logs-9", [])


STORED = together(
    message(A, None, "system", "Be kind."),
    message(B, A, "user", "why?"),
    message(
        C,
        B,
        "assistant",
        {"type": "reasoning", "text": "hm", "payload": '{"provider_metadata": {"s": 1}}'},
        {"type": "tool_call", "tool_name": "f", "payload": '{"name":"f","arguments":{"x":1},"tool_call_id":"k"}'},
    ),
    message(D, C, "tool", {"type": "tool_result", "payload": '{"name":"f","output":"2","tool_call_id":"k"}'}),
    message(E, D, "assistant", "two"),
    {"turns": [turn("t1", "c1", B, C, 1), turn("t2", "c1", D, E, 2, "other")], "threads": [thread("c1", E)]},
)


def test_stored_messages_are_a_path_of_hashes(tmp_path: Path):
    record = one(tmp_path, STORED)
    assert (record.source_id, record.title, len(record.messages)) == ("c1", "thread c1", 5)
    ids = [m.source_id for m in record.messages]
    assert ids[2:] == [f"{d * 8}-{d * 4}-{d * 4}-{d * 4}-{d * 12}" for d in "cde"]
    assert [m.parent_source_id for m in record.messages] == [None, *ids[:-1]]
    assert record.active_source_id == ids[-1]
    assert [(m.role, m.model, m.created_at and m.created_at.minute) for m in record.messages] == [
        ("system", None, 1),
        ("user", None, 1),
        ("assistant", "gpt-x", 1),
        ("tool", None, 2),
        ("assistant", "other", 2),
    ]
    thinking, call = record.messages[2].parts
    assert (thinking.text, thinking.source) == ("hm", {"provider_metadata": {"s": 1}})
    assert (call.tool_name, call.tool_use_id, call.tool_input) == ("f", "k", {"x": 1})
    assert record.messages[2].source["hash"] == C


def test_an_answer_made_again_is_a_branch(tmp_path: Path):
    again = together(STORED, message("x", B, "assistant", "or not"), {"turns": [turn("t3", "c1", B, "x", 3)]})
    record = one(tmp_path, again)
    by_id = {m.source_id: m for m in record.messages}
    assert by_id["x"].parent_source_id == record.messages[2].parent_source_id
    assert (len(record.messages), by_id["x"].created_at.minute) == (6, 3)


def test_a_fork_has_the_ids_of_its_original_and_a_chat_that_begins_alike_has_not(tmp_path: Path):
    rows = together(
        STORED,
        message("f", E, "user", "go on"),
        message("g", "f", "assistant", "on"),
        message("y", B, "assistant", "another answer to the same prompt"),
        {
            "threads": [thread("c2", "g", forked_from="c1"), thread("c3", "y")],
            "turns": [turn("t3", "c2", "f", "g", 5), turn("t4", "c3", B, "y", 6)],
        },
    )
    records, _, _ = read(write_database(tmp_path / "logs.db", rows))
    ids = {name: [m.source_id for m in record.messages] for name, record in records.items()}
    assert ids["c2"][:5] == ids["c1"]
    assert len(ids["c2"]) == 7
    assert not {*ids["c3"]} & {*ids["c1"]}
    times = [m.created_at.minute for m in records["c2"].messages]
    assert times == [1, 1, 1, 2, 2, 5, 5]


def test_texts_of_fragments_are_put_back_into_stored_texts(tmp_path: Path):
    pieces = {"text_ref": [{"fragment": 1}, {"literal": "\nSum up "}, {"fragment": 2}, {"fragment": 3}]}
    rows = together(
        message(A, None, "user", {"type": "text", "payload": json.dumps(pieces)}),
        message(B, A, "assistant", "ok"),
        {"fragments": [{"id": 1, "content": "novel"}, {"id": 2, "content": "end"}], "threads": [thread("c1", B)]},
        {"part_fragments": [{"part_id": 1, "fragment_id": at, "order": at} for at in (1, 2)]},
    )
    record = one(tmp_path, rows)
    assert said(record)[0] == ("user", "novel\nSum up end")
    assert record.warnings == {"missing_fragment": 1}


def test_what_is_unknown_is_kept_and_counted(tmp_path: Path):
    rows = together(
        message(A, None, "critic", {"type": "hologram", "text": "t", "payload": '{"light": 1}'}),
        message(B, A, "assistant", {"type": "text", "payload": "not JSON"}),
        {"threads": [thread("c1", B)]},
    )
    record = one(tmp_path, rows)
    assert record.warnings == {"unknown_role": 1, "unknown_part:hologram": 1}
    assert record.messages[0].parts[0].source == {"light": 1, "text": "t"}
    assert record.messages[1].source["parts"][0]["payload"] == "not JSON"


def test_messages_that_no_thread_leads_to_are_a_dialogue(tmp_path: Path):
    record = one(tmp_path, together(message("a", None, "user", "hello"), message("b", "a", "assistant", "hi")))
    assert (record.source_id, said(record)) == ("b", [("user", "hello"), ("assistant", "hi")])


def test_a_circle_of_messages_ends(tmp_path: Path):
    rows = together(
        message("a", "b", "user", "1"), message("b", "a", "assistant", "2"), {"threads": [thread("c", "b")]}
    )
    assert sorted(said(one(tmp_path, rows))) == [("assistant", "2"), ("user", "1")]


RESPONSES = {
    "conversations": [{"id": "c1", "name": "both", "model": "gpt-x"}],
    "responses": [
        response("r01", "why?", "because", system="Be kind."),
        response("r02", "", "a dog", system="Be kind."),
    ],
    "attachments": [{"id": "aa", "type": "image/png", "content": b"\x89PNG..."}],
    "prompt_attachments": [{"response_id": "r02", "attachment_id": "aa", "order": 0}],
}
# As llm writes it when it goes on: the system prompt again with each response, and no prompt of attachments alone.
UPGRADED = together(
    message(A, None, "system", "Be kind."),
    message(B, A, "user", "why?"),
    message(C, B, "assistant", "because"),
    message("again", C, "system", "Be kind."),
    message(D, "again", "assistant", "a dog"),
    message("f", D, "user", "sure?"),
    message("g", "f", "assistant", "yes"),
    {"threads": [thread("c1", "g")], "turns": [turn("t1", "c1", "f", "g", 40)]},
)


def test_a_conversation_in_both_layouts_is_given_once(tmp_path: Path):
    before = one(tmp_path, RESPONSES)
    record = one(tmp_path, UPGRADED)  # added to the same database
    ids = [m.source_id for m in record.messages]
    assert ids == [*[m.source_id for m in before.messages], "f", "g"]
    assert [m.parent_source_id for m in record.messages] == [None, *ids[:-1]]
    assert record.active_source_id == "g"
    assert record.messages[4].source["message_store"][0]["hash"] == D
    assert len(record.messages[3].attachments) == 1


def test_of_a_message_in_both_layouts_nothing_is_lost(tmp_path: Path):
    signed = {"type": "reasoning", "text": "signed", "payload": '{"provider_metadata": {"signature": "s"}}'}
    result = {"type": "tool_result", "payload": '{"name": "f", "output": "2", "tool_call_id": "k", "extra": 1}'}
    rows = together(
        {"responses": [response("r01", "q", "a"), response("r02", "", "b")]},
        {"tool_results": [{"id": 1, "response_id": "r02", "name": "f", "output": "2", "tool_call_id": "k"}]},
        message(A, None, "user", "q"),
        message(B, A, "assistant", signed, "a"),
        message(C, B, "tool", result),
        {"threads": [thread("c1", C)]},
    )
    record = one(tmp_path, rows)
    assert [m.source_id for m in record.messages] == ["r01-prompt", "r01", "r02-results", "r02"]
    [[thinking], [found]] = (m.source["message_store"][0]["content"] for m in record.messages[1:3])
    assert (thinking["text"], thinking["source"]) == ("signed", {"provider_metadata": {"signature": "s"}})
    assert (found["tool_use_id"], found["source"], "text" in found) == ("k", {"extra": 1}, False)


def test_what_is_stored_otherwise_than_in_responses_is_a_branch(tmp_path: Path):
    other = together(UPGRADED, message("x", B, "assistant", "no"), {"turns": [turn("t2", "c1", B, "x", 41)]})
    one(tmp_path, RESPONSES)
    record = one(tmp_path, other)
    by_id = {m.source_id: m for m in record.messages}
    assert (by_id["x"].parent_source_id, len(record.messages)) == ("r01-prompt", 8)


def test_a_message_whose_id_another_one_has_is_kept_beside_them(tmp_path: Path):
    record = one(tmp_path, {"responses": [response("a", "q1", "a1"), response("a-prompt", "q2", "a2")]})
    assert [m.source_id for m in record.messages] == ["a-prompt", "a", "a-prompt-prompt"]
    [kept] = record.source_json["repeated_messages"]
    assert (kept["source_id"], kept["parts"][0]["text"]) == ("a-prompt", "a2")
    assert record.warnings["duplicate_message"] == 1


def test_of_attachments_with_one_id_the_others_stay_among_the_rows():
    twice = [{"id": "a", "url": "u1"}, {"id": "a", "url": "u2"}]
    tables = {
        "responses": [response("r01", "q", "a")],
        "attachments": twice,
        "prompt_attachments": [{"response_id": "r01", "attachment_id": "a"}],
    }
    record = READER.read({"database": "llm", "conversation_id": "c1", "tables": tables}, "f[0]")
    assert isinstance(record, DialogueRecord)
    assert record.source_json["tables"] == {"attachments": [twice[1]]}


@pytest.mark.parametrize(
    ("value", "confidence"),
    [({"database": "llm", "tables": {}}, 1), ({"database": "llm"}, 0), ({"database": "other", "tables": {}}, 0)],
)
def test_rows_of_its_database_are_recognised(value: Any, confidence: float):
    assert READER.recognise(value).confidence == confidence
    assert recognise(value).source == ("llm" if confidence else None)


def test_an_object_without_tables_is_rejected():
    assert isinstance(READER.read({"database": "llm"}, "f"), RejectedRecord)


KEYS = st.sampled_from(["a", "b", "c", "d"])
ODD = st.one_of(KEYS, st.none(), st.integers(0, 3), st.booleans(), st.just([]), st.just({"x": 1}), st.just("{"))
STORED_ROWS = st.fixed_dictionaries(
    {
        "messages": st.lists(st.fixed_dictionaries({"hash": ODD, "parent_hash": ODD, "role": ODD}), max_size=5),
        "parts": st.lists(
            st.fixed_dictionaries({"message_hash": ODD, "type": ODD, "text": ODD, "payload": ODD, "position": ODD}),
            max_size=4,
        ),
        "turns": st.lists(st.fixed_dictionaries({"id": ODD, "tip_message_hash": ODD, "thread_id": ODD}), max_size=3),
        "threads": st.lists(st.fixed_dictionaries({"id": ODD, "tip_message_hash": ODD}), max_size=2),
        "responses": st.lists(st.fixed_dictionaries({"id": ODD, "prompt": ODD, "response": ODD}), max_size=4),
        "tool_calls": st.lists(st.fixed_dictionaries({"response_id": ODD, "arguments": ODD}), max_size=2),
        "fragments": st.lists(st.fixed_dictionaries({"id": ODD, "content": ODD}), max_size=2),
        "prompt_fragments": st.lists(st.fixed_dictionaries({"response_id": ODD, "fragment_id": ODD}), max_size=2),
    }
)


@given(tables=STORED_ROWS)
def test_whatever_the_rows_are_each_message_is_there_once_and_rows_can_be_made(tables: Any):
    value = {"database": "llm", "conversation_id": "a", "tables": tables}
    record = READER.read(value, "f[0]")
    assert isinstance(record, DialogueRecord)
    ids = [m.source_id for m in record.messages]
    assert len(ids) == len({*ids})
    check_rows(prepare(record, json.dumps(value).encode()))
