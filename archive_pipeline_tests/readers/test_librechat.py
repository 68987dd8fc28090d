"""LibreChat's exports: rows and trees however deep, one branch, parts of answers, what the user said between, files."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.domain.records import DialogueRecord, MessageRecord, RejectedRecord
from archive_pipeline.readers.json.structure import cut_apart
from archive_pipeline.readers.librechat import READER
from archive_pipeline.readers.reading import ReadDialogue, read_paths
from archive_pipeline.readers.registry import recognise
from archive_pipeline_tests.readers.work import growth
from archive_pipeline_tests.trials import trials

NONE = "00000000-0000-0000-0000-000000000000"
SHA_OF_HI = "8f434346648f6b96df89dda901c5176b10a6d83961dd3c1ac88b59b2dc327aa4"  # of b"hi"


def said(name: str, parent: str, text: Any, *, is_users: bool = False, **more: Any) -> dict[str, Any]:
    return {
        "messageId": name,
        "conversationId": "c",
        "parentMessageId": parent,
        "sender": "User" if is_users else "GPT-4",
        "text": text,
        "isCreatedByUser": is_users,
        "error": False,
        "unfinished": False,
        "model": None if is_users else "gpt-4o",
        "createdAt": "2026-02-03T10:00:00.500Z",
        "updatedAt": "2026-02-03T10:00:01.500Z",
        "depth": 0,
        **more,
    }


def asked(name: str, parent: str, text: str, **more: Any) -> dict[str, Any]:
    return said(name, parent, text, is_users=True, **more)


def export(*messages: Any, **more: Any) -> dict[str, Any]:
    return {
        "conversationId": "c",
        "endpoint": "openAI",
        "title": "Soil",
        "exportAt": "16:33:32 GMT+0200 (Central European Summer Time)",
        "branches": True,
        "recursive": False,
        "options": {"model": "gpt-4o", "promptPrefix": "Be brief."},
        "messages": list(messages),
        **more,
    }


def read(value: dict[str, Any]) -> DialogueRecord:
    assert recognise(value).source == "librechat"
    record = READER.read(value, "export.json")
    assert isinstance(record, DialogueRecord)
    return record


def links(record: DialogueRecord) -> list[tuple[str | None, str | None, str]]:
    return [(message.source_id, message.parent_source_id, message.role) for message in record.messages]


def answer(*content: Any, **more: Any) -> MessageRecord:
    return read(export(asked("a", NONE, "why?"), said("b", "a", "", content=list(content), **more))).messages[1]


def test_a_conversation_with_branches_is_read_whole():
    record = read(
        export(
            asked("a", NONE, "why?"),
            said("b", "a", "because", tokenCount=3),
            said("c", "a", "no rea", unfinished=True, updatedAt="2026-02-03T10:00:09Z"),
            asked("d", NONE, "why not?"),
            said("e", "d", "the model is gone", error=True),
        )
    )
    assert (record.source, record.source_id, record.title, record.vintage) == ("librechat", "c", "Soil", "full")
    assert record.created_at == datetime(2026, 2, 3, 10, 0, 0, 500_000, tzinfo=UTC)
    assert record.updated_at == datetime(2026, 2, 3, 10, 0, 9, tzinfo=UTC)
    assert links(record) == [
        ("a", None, "user"),
        ("b", "a", "assistant"),
        ("c", "a", "assistant"),
        ("d", None, "user"),
        ("e", "d", "assistant"),
    ]
    assert [(m.model, m.author_name, m.state) for m in record.messages] == [
        (None, None, "complete"),
        ("gpt-4o", "GPT-4", "complete"),
        ("gpt-4o", "GPT-4", "aborted"),
        (None, None, "complete"),
        ("gpt-4o", "GPT-4", "error"),
    ]
    assert [message.parts[0].part_type.value for message in record.messages] == [
        "text",
        "text",
        "text",
        "text",
        "error",
    ]
    assert record.messages[1].updated_at == datetime(2026, 2, 3, 10, 0, 1, 500_000, tzinfo=UTC)
    assert record.messages[1].source == {
        "tokenCount": 3,
        "depth": 0,
        "createdAt": "2026-02-03T10:00:00.500Z",
        "updatedAt": "2026-02-03T10:00:01.500Z",
    }
    assert (record.warnings, record.is_linear_source) == ({}, False)
    assert record.source_json["options"]["promptPrefix"] == "Be brief."


@pytest.mark.parametrize("field", ["messages", "messagesTree"])
def test_a_tree_is_read_as_its_row(field: str):
    answers = [said("b", "a", "1", children=[asked("d", "b", "x", children=[])]), said("c", "elsewhere", "2")]
    value = export(recursive=True) | {field: [asked("a", NONE, "why?", children=answers), None]}
    record = read(value)
    assert links(record) == [("a", None, "user"), ("b", "a", "assistant"), ("d", "b", "user"), ("c", "a", "assistant")]
    assert record.messages[3].source["parentMessageId"] == "elsewhere"
    assert "children" not in record.messages[0].source


@pytest.mark.parametrize("depth", [1, 99, 100, 101, 450])
def test_a_tree_is_read_however_deep_it_is(tmp_path: Path, depth: int):
    tree: list[dict[str, Any]] = []
    for number in reversed(range(depth)):
        call = {"type": "tool_call", "tool_call": {"id": f"c{number}", "name": "n", "args": {"q": [number]}}}
        content = [{"type": "text", "text": f'say "{{[" \\{number}'}, call]
        tree = [said(f"m{number}", NONE if number == 0 else f"m{number - 1}", "", content=content, children=tree)]
    path = tmp_path / "export.json"
    path.write_text(json.dumps(export(recursive=True) | {"messages": tree}))
    [file] = read_paths([path])
    [dialogue] = [item for item in file.records() if isinstance(item, ReadDialogue)]
    assert links(dialogue.record) == [
        (f"m{number}", f"m{number - 1}" if number else None, "assistant") for number in range(depth)
    ]
    assert [[part.text for part in message.parts] for message in dialogue.record.messages] == [
        [f'say "{{[" \\{number}', None] for number in range(depth)
    ]
    assert {part.tool_name for message in dialogue.record.messages for part in message.parts[1:]} == {"n"}


TREES = st.recursive(
    st.builds(list, st.just([])), lambda below: st.lists(st.one_of(below, st.text(max_size=2), st.none()), max_size=3)
)


@given(TREES, st.text('{}[]",:\\ nul', max_size=6), st.sampled_from([None, 1]))
@trials(40)
def test_a_tree_that_is_cut_apart_says_the_same(tree: list[Any], text: str, indent: int | None):
    expected: list[tuple[dict[str, Any], int | None]] = []

    def node(items: list[Any], above: int | None) -> dict[str, Any]:
        own = len(expected)
        expected.append(({"text": text, "other": {"below": [own, {"below": [text]}]}}, above))
        below = [node(item, own) if isinstance(item, list) else item for item in items]
        expected[own][0]["below"] = [None if isinstance(item, dict) else item for item in below]
        return {**expected[own][0], "below": below}

    raw = json.dumps(node(tree, None), indent=indent).encode()
    assert [(json.loads(piece), above) for piece, above in cut_apart(raw, "below")] == expected


def test_the_work_of_a_deep_tree_grows_with_it_alone():
    def read_deep(size: int) -> None:
        text = '{"messageId":"m","isCreatedByUser":true,"children":['
        tree = text * size + "]}" * size
        assert len(read(export({"messageId": "r", "isCreatedByUser": True, "children": [tree]})).messages) == 2

    assert growth(read_deep, 100) < 5


def test_an_export_of_the_shown_branch_says_nothing_of_others():
    assert read(export(asked("a", NONE, "why?"), branches=False)).vintage == "branch"


def test_parts_of_an_answer_are_in_their_order():
    message = answer(
        {"type": "think", "think": "hm", "reasoning_label": "Thinks"},
        {"type": "agent_update", "agent_update": {"agentId": "agent_1", "index": 0}},
        {"type": "text", "text": {"value": "Hi", "annotations": [{"type": "file_citation"}]}},
        None,
        {"type": "text", "text": ""},
        {"type": "image_file", "image_file": {"file_id": "f", "filepath": "/images/f.png", "type": "image/png"}},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}},
        {"type": "input_audio", "input_audio": {"data": "aGk=", "format": "wav"}},
        {"type": "activity_label", "activity_label": "Looked it up"},
        {"type": "error", "error": "out of tokens"},
        {"type": "hologram", "depth": 3},
    )
    assert [
        (part.part_type.value, part.text, part.uri, part.content_sha256, part.source) for part in message.parts
    ] == [
        ("thinking", "hm", None, None, {"reasoning_label": "Thinks"}),
        ("context", None, None, None, {"agent_update": {"agentId": "agent_1", "index": 0}}),
        ("text", "Hi", None, None, {"text": {"annotations": [{"type": "file_citation"}]}}),
        ("image", None, "/images/f.png", None, {"image_file": {"file_id": "f"}}),
        ("image", None, None, SHA_OF_HI, {"image_url": {"url": "data:image/png;base64,aGk="}}),
        ("audio", None, None, SHA_OF_HI, {"input_audio": {"data": "aGk=", "format": "wav"}}),
        ("context", "Looked it up", None, None, None),
        ("error", "out of tokens", None, None, None),
        ("unknown", None, None, None, {"type": "hologram", "depth": 3}),
    ]


@pytest.mark.parametrize(
    ("call", "use", "result"),
    [
        (
            {
                "id": "1",
                "type": "tool_call",
                "name": "search",
                "args": '{"q": "soil"}',
                "output": "clay",
                "progress": 1,
            },
            ("search", "1", '{"q": "soil"}', {"tool_call": {"progress": 1}}),
            ("search", "1", "clay", None),
        ),
        (
            {"id": "2", "type": "function", "function": {"name": "dalle", "arguments": "{}", "output": None}},
            ("dalle", "2", "{}", {"tool_call": {"type": "function"}}),
            None,
        ),
        (
            {
                "id": "3",
                "type": "code_interpreter",
                "code_interpreter": {"input": "1 + 1", "outputs": [{"type": "logs", "logs": "2"}]},
            },
            ("code_interpreter", "3", "1 + 1", {"tool_call": {"type": "code_interpreter"}}),
            ("code_interpreter", "3", "2", {"outputs": [{"type": "logs", "logs": "2"}]}),
        ),
    ],
)
def test_a_call_of_a_tool_has_its_result_behind_it(call: dict[str, Any], use: Any, result: Any):
    first, *others = answer({"type": "tool_call", "tool_call": call}).parts
    given = getattr(first.tool_input, "text", first.tool_input)
    assert (first.tool_name, first.tool_use_id, given, first.source) == use
    assert first.part_type.value == "tool_use"
    found = [(part.tool_name, part.tool_use_id, part.text, part.source) for part in others]
    assert found == ([result] if result else [])
    assert all(part.part_type.value == "tool_result" for part in others)


def test_what_the_user_said_into_an_answer_is_the_users():
    content = [
        {"type": "text", "text": "I look."},
        {"type": "steer", "steer": "in English, please", "createdAt": 1_770_112_830_000},
        {"type": "text", "text": "It is clay."},
    ]
    record = read(
        export(asked("a", NONE, "q"), said("b", "a", "", content=content, unfinished=True), asked("c", "b", "thanks"))
    )
    assert links(record) == [
        ("a", None, "user"),
        ("b", "a", "assistant"),
        ("b-1", "b", "user"),
        ("b-2", "b-1", "assistant"),
        ("c", "b-2", "user"),
    ]
    assert [message.parts[0].text for message in record.messages][1:4] == [
        "I look.",
        "in English, please",
        "It is clay.",
    ]
    assert record.messages[2].created_at == datetime(2026, 2, 3, 10, 0, 30, tzinfo=UTC)
    assert [(message.model, message.state) for message in record.messages[1:4]] == [
        ("gpt-4o", "complete"),
        (None, "complete"),
        ("gpt-4o", "aborted"),
    ]


def test_what_the_user_quotes_and_attaches_into_an_answer_is_with_the_users_words():
    file = {"file_id": "f", "filename": "soil.png", "filepath": "/i/f.png", "type": "image/png"}
    steer = {"type": "steer", "steer": "look here", "steerId": "s", "files": [file], "quotes": ["It is sand."]}
    record = read(
        export(asked("a", NONE, "q"), said("b", "a", "", content=[{"type": "text", "text": "I look."}, steer]))
    )
    message = record.messages[2]
    words = [(part.part_type.value, part.text, part.source) for part in message.parts]
    assert words == [("context", "It is sand.", None), ("text", "look here", {"steerId": "s"})]
    assert [(each.source_id, each.file_name) for each in message.attachments] == [("f", "soil.png")]


def test_a_summary_of_what_went_before_is_the_systems():
    message = answer({"type": "summary", "content": [{"type": "text", "text": "So far: soil."}], "tokenCount": 4})
    assert (message.role, message.is_hidden, message.model) == ("system", True, None)
    [part] = message.parts
    assert (part.part_type.value, part.text, part.source) == ("context", "So far: soil.", {"tokenCount": 4})


def test_a_text_beside_its_content_is_read_once():
    def both(text: str, part: dict[str, Any]) -> MessageRecord:
        return read(export(said("b", NONE, text, content=[part]))).messages[0]

    same = both("x", {"type": "text", "text": "x"})
    assert ([part.text for part in same.parts], "text" in same.source) == (["x"], False)
    other = both("y", {"type": "text", "text": "x"})
    assert ([part.text for part in other.parts], other.source["text"]) == (["x"], "y")
    assert [part.text for part in both("y", {"type": "think", "think": "hm"}).parts] == ["hm", "y"]


def test_files_and_quotes_of_a_prompt_are_not_the_users_words():
    file = {
        "file_id": "f",
        "filename": "a.txt",
        "type": "text/plain",
        "bytes": 2,
        "filepath": "/uploads/f",
        "text": "hi",
    }
    search = {"type": "web_search", "web_search": {"organic": []}}
    [message] = read(export(asked("a", NONE, "this?", files=[{**file, "width": 3}, search], quotes=["clay"]))).messages
    assert [(part.part_type.value, part.text) for part in message.parts] == [("context", "clay"), ("text", "this?")]
    [attachment] = message.attachments
    assert (attachment.source_id, attachment.file_name, attachment.mime_type, attachment.size_bytes) == (
        "f",
        "a.txt",
        "text/plain",
        2,
    )
    assert (attachment.uri, attachment.extracted_text, attachment.source) == ("/uploads/f", "hi", {"width": 3})
    assert message.source["files"] == [search]


def test_a_message_that_is_there_twice_is_one():
    record = read(export(asked("a", NONE, "x"), asked("a", NONE, "x"), asked("a", NONE, "y"), "no message"))
    assert [message.parts[0].text for message in record.messages] == ["x"]
    assert record.warnings == {"duplicate_message": 2, "malformed_message": 1}
    kept = record.source_json["messages"]
    assert (kept[0], kept[1]["text"], len(kept)) == ("no message", "y", 2)


def test_a_conversation_of_the_database_with_its_messages_has_times_of_its_own(tmp_path: Path):
    moment = {"$date": "2026-02-03T09:00:00Z"}
    value = export(asked("a", NONE, "x", createdAt=moment, _id={"$oid": "66"}), createdAt=moment, title="New Chat")
    path = tmp_path / "dump.json"
    path.write_text(json.dumps([{**value, "agent_id": "agent_7"}, value | {"conversationId": "d"}]))
    [file] = read_paths([path])
    first, second = (item.record for item in file.records() if isinstance(item, ReadDialogue))
    assert (first.created_at, first.title, first.custom_gpt_id) == (
        datetime(2026, 2, 3, 9, tzinfo=UTC),
        None,
        "agent_7",
    )
    assert (first.messages[0].created_at, second.source_id) == (first.created_at, "d")


@pytest.mark.parametrize(
    ("value", "confidence"),
    [
        (export(asked("a", NONE, "x")), 1.0),
        (export(), 0.6),
        (export({"role": "user"}), 0.1),
        ({"conversationId": "c", "messages": [{"role": "user", "messageId": "1"}]}, 0.0),
        ({"messages": [asked("a", NONE, "x")]}, 0.0),
    ],
)
def test_messages_that_say_who_made_them_are_librechats(value: dict[str, Any], confidence: float):
    assert READER.recognise(value).confidence == confidence


def test_an_export_without_messages_is_told():
    assert isinstance(READER.read({"conversationId": "c", "messages": "none"}, "x"), RejectedRecord)


def test_thoughts_that_stand_in_an_answer_are_parts_and_the_source_keeps_them_as_they_stand():
    text = ":::thinking\nI use :::artifact here.\n:::\nIt is wet.\n:::thinking\nnever closed"
    old = read(export(asked("a", NONE, "why?"), said("b", "a", text))).messages[1]
    assert [(part.part_type.value, part.text) for part in old.parts] == [
        ("thinking", "I use :::artifact here."),
        ("text", "It is wet.\n:::thinking\nnever closed"),
    ]
    assert old.source["text"] == text
    shown = "So:\n```\n:::thinking\nfoo\n:::\n```\n"
    chat = read(export(asked("a", NONE, text), said("b", "a", shown)))
    assert [[part.text for part in message.parts] for message in chat.messages] == [[text], [shown]]
    [thought] = answer({"type": "think", "think": {"value": "<think>hm</think>", "annotations": [7]}}).parts
    assert (thought.text, thought.source) == ("hm", {"think": {"value": "<think>hm</think>", "annotations": [7]}})
    [thought] = answer({"type": "think", "think": "<think>hm </think>"}).parts
    assert (thought.text, thought.source) == ("hm", {"think": "<think>hm </think>"})
