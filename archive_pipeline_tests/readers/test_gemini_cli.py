"""Gemini CLI's sessions: the object, the lines, going back, calls with results, and what is kept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.domain.records import DialogueRecord, RejectedRecord
from archive_pipeline.readers.gemini_cli.dialogue import read_session
from archive_pipeline.readers.reading import ReadDialogue, read_paths
from archive_pipeline.readers.registry import recognise

HEAD = {
    "sessionId": "s",
    "projectHash": "p",
    "startTime": "2026-03-04T10:00:00.000Z",
    "lastUpdated": "2026-03-04T10:01:00.000Z",
}


def said(name: str, kind: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"id": name, "timestamp": "2026-03-04T10:00:05.000Z", "type": kind, "content": content, **more}


def read(value: dict[str, Any]) -> DialogueRecord:
    record = read_session(value, "session.json")
    assert isinstance(record, DialogueRecord)
    return record


def of_lines(*lines: Any) -> DialogueRecord:
    return read({"file": "session-x.jsonl", "lines": [HEAD, *lines]})


def tree(record: DialogueRecord) -> list[tuple[str | None, str | None]]:
    return [(message.source_id, message.parent_source_id) for message in record.messages]


CALL = {
    "id": "read_1",
    "name": "read_file",
    "args": {"file_path": "a.md"},
    "status": "success",
    "displayName": "ReadFile",
    "result": [{"functionResponse": {"id": "read_1", "name": "read_file", "response": {"output": "# A"}}}],
}


CALLED = said("a9", "gemini", "nine")


def test_a_session_in_one_object_is_read_whole():
    thoughts = [{"subject": "Plan", "description": "read it", "timestamp": "t"}]
    answer = said("a", "gemini", "I read it.", model="gemini-2.5-pro", thoughts=thoughts, toolCalls=[CALL])
    record = read({**HEAD, "summary": "Reading", "messages": [said("u", "user", [{"text": "read a.md"}]), answer]})
    assert (record.source, record.source_id, record.title, record.project_id) == ("gemini_cli", "s", "Reading", "p")
    assert record.active_source_id == "a"
    assert tree(record) == [("u", None), ("a", "u")]
    assert [(p.part_type.value, p.text, p.tool_name, p.tool_use_id, p.is_error) for p in record.messages[1].parts] == [
        ("thinking", "Plan\n\nread it", None, None, None),
        ("text", "I read it.", None, None, None),
        ("tool_use", None, "read_file", "read_1", None),
        ("tool_result", "# A", "read_file", "read_1", False),
    ]
    assert record.messages[1].parts[2].tool_input == {"file_path": "a.md"}
    assert record.messages[1].model == "gemini-2.5-pro"


def test_a_message_that_is_written_again_counts_as_it_was_last():
    record = of_lines(
        said("u", "user", "go"),
        said("a", "gemini", ""),
        said("a", "gemini", "done", tokens={"total": 3}),
        {"$set": {"summary": "Going", "lastUpdated": "2026-03-04T10:02:00.000Z"}},
    )
    assert tree(record) == [("u", None), ("a", "u")]
    assert record.messages[1].parts[0].text == "done"
    assert (record.title, record.updated_at and record.updated_at.minute) == ("Going", 2)
    assert record.source_json["earlier"] == [
        said("a", "gemini", ""),
        {"lastUpdated": "2026-03-04T10:01:00.000Z"},
    ]


def test_going_back_begins_another_branch():
    record = of_lines(
        said("u1", "user", "one"),
        said("a1", "gemini", "1"),
        said("u2", "user", "two"),
        said("a2", "gemini", "2"),
        {"$rewindTo": "u2"},
        said("u3", "user", "three"),
        said("a3", "gemini", "3"),
    )
    assert tree(record) == [("u1", None), ("a1", "u1"), ("u2", "a1"), ("a2", "u2"), ("u3", "a1"), ("a3", "u3")]
    assert record.active_source_id == "a3"


def test_going_back_to_an_unknown_message_begins_anew():
    record = of_lines(said("u1", "user", "one"), {"$rewindTo": "x"}, said("u2", "user", "two"))
    assert tree(record) == [("u1", None), ("u2", None)]


BROKEN = '{"id": "u2", "type": "us'


@pytest.mark.parametrize(
    ("between", "target"),
    [
        ({"id": "a2", "type": "gemini", "left_out_line": "line 5"}, "a2"),
        ({"left_out_line": "line 5"}, "a2"),
        ({"unreadable_line": BROKEN}, "u2"),
    ],
)
def test_who_goes_back_to_a_line_that_was_not_read_goes_on_behind_the_message_before(
    between: dict[str, Any], target: str
):
    record = of_lines(
        said("u1", "user", "one"),
        said("a1", "gemini", "1"),
        between,
        said("u3", "user", "three"),
        said("a3", "gemini", "3"),
        {"$rewindTo": target},
        said("u4", "user", "four"),
        {"$rewindTo": target},
        said("u5", "user", "five"),
    )
    assert tree(record) == [("u1", None), ("a1", "u1"), ("u3", "a1"), ("a3", "u3"), ("u4", "a1"), ("u5", "a1")]
    assert (record.active_source_id, record.warnings["relinked_parent"]) == ("u5", 2)


def test_a_line_that_was_not_read_says_nothing_of_messages_that_are_there():
    left_out = {"id": "a1", "type": "gemini", "left_out_line": "line 5"}
    record = of_lines(said("u1", "user", "one"), left_out, said("u2", "user", "two"), {"$rewindTo": "u2"}, CALLED)
    assert tree(record) == [("u1", None), ("u2", "u1"), ("a9", "u1")]
    assert not record.warnings["relinked_parent"]


def test_no_line_that_was_not_read_counts_before_all_messages_are_given_anew():
    given = {"$set": {"messages": [said("u1", "user", "one")]}}
    record = of_lines(said("u0", "user", "zero"), {"left_out_line": "line 3"}, given, {"$rewindTo": "x"}, CALLED)
    assert tree(record) == [("u0", None), ("u1", None), ("a9", None)]


def test_messages_that_are_given_anew_leave_the_others_behind():
    record = of_lines(
        said("u1", "user", "one"),
        said("a1", "gemini", "1"),
        {"$set": {"messages": [said("u1", "user", "one"), said("a9", "gemini", "9")]}},
        said("u2", "user", "two"),
    )
    assert tree(record) == [("u1", None), ("a1", "u1"), ("a9", "u1"), ("u2", "a9")]
    assert "messages" not in record.source_json


def test_what_the_program_says_is_of_the_system_and_notices_are_hidden():
    record = of_lines(
        said("i", "info", "Update available!"),
        said("w", "warning", "10% left"),
        said("e", "error", "no quota"),
        said("x", "robot", "?"),
    )
    assert [(m.role, m.state, m.is_hidden, m.parts[0].part_type.value) for m in record.messages] == [
        ("system", "complete", True, "context"),
        ("system", "complete", True, "context"),
        ("system", "error", False, "error"),
        ("system", "complete", False, "text"),
    ]
    assert record.warnings == {"unknown_role": 1}


@pytest.mark.parametrize(
    ("response", "text", "is_error"),
    [({"error": "not found"}, "not found", True), ({"x": 1}, None, None), ("plain", "plain", None)],
)
def test_results_of_tools_say_what_they_are(response: Any, text: str | None, is_error: bool | None):
    result = [{"functionResponse": {"id": "1", "name": "n", "response": response}}]
    call = {"id": "1", "name": "n", "args": {}, "result": result}
    record = of_lines(said("a", "gemini", "", toolCalls=[call]))
    part = record.messages[0].parts[1]
    assert (part.part_type.value, part.text, part.is_error) == ("tool_result", text, is_error)
    if text is None:
        assert part.source == {"response": response}


def test_a_call_that_was_refused_is_an_error():
    call = {"id": "1", "name": "n", "args": {}, "status": "cancelled", "result": [{"text": "refused"}]}
    part = of_lines(said("a", "gemini", "", toolCalls=[call])).messages[0].parts[1]
    assert (part.part_type.value, part.text, part.tool_use_id, part.is_error) == ("tool_result", "refused", "1", True)


def test_an_object_without_messages_is_rejected():
    assert isinstance(read_session({**HEAD, "messages": "x"}, "f"), RejectedRecord)


@pytest.mark.parametrize(
    ("value", "confidence"),
    [
        ({**HEAD, "messages": [said("u", "user", "x")]}, 1.0),
        ({**HEAD, "messages": []}, 0.6),
        ({"file": "x", "lines": [HEAD]}, 1.0),
        ({**HEAD, "messages": [{"id": 1}]}, 0.1),
    ],
)
def test_it_is_recognised_by_its_session(value: dict[str, Any], confidence: float):
    verdict = recognise(value)
    assert (verdict.source, verdict.evidence.confidence) == ("gemini_cli", confidence)


def test_a_file_of_lines_is_one_dialogue_also_where_it_breaks_off(tmp_path: Path):
    path = tmp_path / "session-2026-03-04T10-00-abc.jsonl"
    lines = [json.dumps(HEAD), json.dumps(said("u", "user", "go")), json.dumps(said("a", "gemini", "ok"))[:30]]
    path.write_text("\n".join(lines))
    [item] = [item for file in read_paths([tmp_path]) for item in file.records()]
    assert isinstance(item, ReadDialogue)
    assert tree(item.record) == [("u", None)]
    assert item.record.source_json["earlier"] == [{"unreadable_line": lines[2]}]
    assert item.record.warnings["malformed_message"] == 1


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.booleans()), max_size=20))
def test_each_message_is_there_once_below_one_that_came_before(steps: list[tuple[str, bool]]):
    lines = [{"$rewindTo": name} if is_back else said(name, "user", name) for name, is_back in steps]
    record = of_lines(*lines)
    names = [message.source_id for message in record.messages]
    assert sorted(names) == sorted({name for name, is_back in steps if not is_back})
    for place, message in enumerate(record.messages):
        assert message.parent_source_id is None or message.parent_source_id in names[:place]
