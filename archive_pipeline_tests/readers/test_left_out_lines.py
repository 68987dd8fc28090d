"""Lines that are left out of sessions: who follows them follows what stands before, and nothing is read from them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from archive_pipeline.domain.records import DialogueRecord
from archive_pipeline.readers.json.nesting import Element
from archive_pipeline.readers.left_out_lines import LEFT_OUT_COPY, LEFT_OUT_LINE, left_out_part, stand_in
from archive_pipeline.readers.recognised import ReadDialogue, read_dialogue
from archive_pipeline.readers.registry import recognise
from archive_pipeline_tests.readers.claude_code import lines as claude_code

TIME = "2026-03-04T10:00:00Z"
LONG = "x" * 5_000


def _entries(content: Any) -> list[dict[str, Any]]:
    named = [("01", None, "user", "list"), ("02", "01", "assistant", content), ("03", "02", "user", "again")]
    return [
        {
            "type": "message",
            "id": name,
            "parentId": parent,
            "timestamp": TIME,
            "message": {"role": role, "content": [{"type": "text", "text": text}]},
        }
        for name, parent, role, text in named
    ]


SESSIONS: dict[str, list[dict[str, Any]]] = {
    "claude_code": [
        claude_code.said("u1", None, 0, "list"),
        claude_code.answer("a1", "u1", 1, "m1", claude_code.text(LONG)),
        claude_code.said("u2", "a1", 2, "again"),
    ],
    "droid": [
        {"type": "session_start", "id": "s", "title": "", "owner": "me", "version": 2, "cwd": "/w"},
        *_entries(LONG),
    ],
    "pi": [{"type": "session", "version": 3, "id": "s", "timestamp": TIME, "cwd": "/w"}, *_entries(LONG)],
    "qwen_code": [
        {
            "uuid": line["id"],
            "parentUuid": line["parentId"],
            "sessionId": "s",
            "timestamp": TIME,
            "cwd": "/w",
            "type": line["message"]["role"],
            "message": {"parts": line["message"]["content"]},
        }
        for line in _entries(LONG)
    ],
    "gemini_cli": [
        {"sessionId": "s", "projectHash": "p", "startTime": TIME, "lastUpdated": TIME},
        *(
            {"id": line["id"], "timestamp": TIME, "type": kind, "content": line["message"]["content"][0]["text"]}
            for line, kind in zip(_entries(LONG), ["user", "gemini", "user"], strict=True)
        ),
    ],
}


def read(source: str, lines: list[dict[str, Any]]) -> DialogueRecord:
    value = {"file": "s.jsonl", "lines": lines}
    assert recognise(value).source == source
    item = read_dialogue(Element("s.jsonl", json.dumps(value).encode(), value), source)
    assert isinstance(item, ReadDialogue)
    return item.record


@pytest.mark.parametrize("name", [LEFT_OUT_LINE, LEFT_OUT_COPY])
@pytest.mark.parametrize("source", sorted(SESSIONS))
def test_a_stand_in_is_no_message_and_the_next_one_follows_the_one_before(source: str, name: str):
    lines = SESSIONS[source]
    left_out = json.loads(stand_in(lines[-2], name, "line 9 at byte 99"))
    first, answer, last = read(source, lines).messages
    record = read(source, [*lines[:-2], left_out, lines[-1]])
    assert [message.source_id for message in record.messages] == [first.source_id, last.source_id]
    parent = record.messages[1].parent_source_id
    assert {**record.message_less_nodes, first.source_id: first.source_id}[parent or ""] == first.source_id
    assert answer.source_id not in {message.source_id for message in record.messages}
    assert record.warnings == {name: 1}
    assert "line 9 at byte 99" in json.dumps(record.source_json)


@pytest.mark.parametrize("source", sorted(SESSIONS))
def test_the_stand_in_of_all_that_follows_names_nothing(source: str):
    lines = [*SESSIONS[source][:-1], json.loads(stand_in(None, LEFT_OUT_LINE, "line 9, and all that follows"))]
    record = read(source, lines)
    assert len(record.messages) == 2
    assert record.warnings == {LEFT_OUT_LINE: 1}


def _prompt_as(source: str, content: Any) -> dict[str, Any]:
    """A line of the user with other content, in the place of an answer."""
    if source == "claude_code":
        return claude_code.said("a1", "u1", 1, content)
    line = SESSIONS[source][-2]
    if source in ("gemini_cli", "qwen_code"):
        return line | {"type": "user"}
    return line | {"message": {"role": "user", "content": content}}


@pytest.mark.parametrize("content", [LONG, [{"type": "text", "text": LONG}]])
@pytest.mark.parametrize("source", sorted(SESSIONS))
def test_the_stand_in_of_a_prompt_is_a_message_without_words(source: str, content: Any):
    lines = SESSIONS[source]
    prompt = _prompt_as(source, content)
    whole = read(source, [*lines[:-2], prompt, lines[-1]])
    record = read(source, [*lines[:-2], json.loads(stand_in(prompt, LEFT_OUT_LINE, "line 9 at byte 99")), lines[-1]])
    assert [(m.source_id, m.parent_source_id, m.role, m.created_at) for m in record.messages] == [
        (m.source_id, m.parent_source_id, m.role, m.created_at) for m in whole.messages
    ]
    assert record.messages[1].parts == (left_out_part(),)
    assert (record.messages[0].parts, record.messages[2].parts) == (whole.messages[0].parts, whole.messages[2].parts)
    assert record.messages[1].source["left_out_line"] == "line 9 at byte 99"
    assert record.warnings == {LEFT_OUT_LINE: 1}


@pytest.mark.parametrize("source", ["claude_code", "droid"])
def test_the_stand_in_of_a_result_of_a_tool_is_no_prompt(source: str):
    lines = SESSIONS[source]
    result = _prompt_as(source, [{"type": "tool_result", "tool_use_id": "t1", "content": LONG}])
    left_out = json.loads(stand_in(result, LEFT_OUT_LINE, "line 9 at byte 99"))
    assert [m.role for m in read(source, [*lines[:-2], left_out, lines[-1]]).messages] == ["user", "user"]


@pytest.mark.parametrize("flag", ["isMeta", "isCompactSummary"])
def test_the_stand_in_of_what_claude_code_puts_in_is_no_prompt(flag: str):
    lines = SESSIONS["claude_code"]
    left_out = json.loads(stand_in(_prompt_as("claude_code", LONG) | {flag: True}, LEFT_OUT_LINE, "here"))
    assert len(read("claude_code", [*lines[:-2], left_out, lines[-1]]).messages) == 2


@pytest.mark.parametrize("source", sorted(SESSIONS))
def test_a_prompt_whose_line_stands_in_the_file_twice_is_one_message(source: str):
    left_out = json.loads(stand_in(_prompt_as(source, LONG), LEFT_OUT_LINE, "here"))
    lines = SESSIONS[source]
    record = read(source, [*lines[:-2], left_out, left_out, lines[-1]])
    assert [m.parts == (left_out_part(),) for m in record.messages] == [False, True, False]


def test_a_message_of_gemini_cli_that_was_read_stays_where_it_is_left_out_later():
    lines = SESSIONS["gemini_cli"]
    left_out = json.loads(stand_in(lines[1], LEFT_OUT_LINE, "here"))
    assert read("gemini_cli", [*lines, left_out]).messages == read("gemini_cli", lines).messages
