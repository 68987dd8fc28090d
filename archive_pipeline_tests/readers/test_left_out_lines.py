"""Lines that are left out of sessions: who follows them follows what stands before, and nothing is read from them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from archive_pipeline.domain.records import DialogueRecord
from archive_pipeline.readers.json.nesting import Element
from archive_pipeline.readers.left_out_lines import LEFT_OUT_COPY, LEFT_OUT_LINE, stand_in
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
