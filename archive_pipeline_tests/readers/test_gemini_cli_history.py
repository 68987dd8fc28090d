"""What Gemini CLI writes again when it changes what the model is told: copies, patches, summaries, saved chats."""

from __future__ import annotations

from typing import Any

import pytest

from archive_pipeline.domain.records import DialogueRecord
from archive_pipeline_tests.readers.test_gemini_cli import CALL, of_lines, said, tree
from archive_pipeline_tests.readers.work import growth

CONTEXT = "<session_context>\nThis is the Gemini CLI.\n</session_context>"
CALLING = {"functionCall": {"id": "read_1", "name": "read_file", "args": {"file_path": "a.md"}}}
MASKED = {"functionResponse": {"id": "read_1", "name": "read_file", "response": {"output": "<tool_output_masked>"}}}
SESSION = [
    said("env", "user", [{"text": CONTEXT}]),
    said("u1", "user", [{"text": "read a.md"}]),
    said("a1", "gemini", "", model="m", toolCalls=[CALL]),
    said("r1", "user", CALL["result"]),
    said("a2", "gemini", "It is <!-- so -->a heading.", model="m"),
    said("u2", "user", [{"text": "go on"}]),
    said("a3", "gemini", "Done.", model="m"),
]
NAMES = [line["id"] for line in SESSION]
# What stands in a row of one role is one message; answers have all of the model's words, results are masked.
COPIES = [
    said("c1", "user", [{"text": CONTEXT}, {"text": "read a.md"}]),
    said("c2", "gemini", [CALLING]),
    said("c3", "user", [MASKED]),
    said("c4", "gemini", [{"text": "It is a heading.\u200b\n"}]),
    said("c5", "user", [{"text": "go on"}]),
    said("c6", "gemini", [{"text": "Done."}]),
]
ONE_LINE = [("env", None), ("u1", "env"), ("a1", "u1"), ("a2", "r1"), ("u2", "a2"), ("a3", "u2")]
SNAPSHOT = said("s", "user", [{"text": "<state_snapshot>\nHeadings.\n</state_snapshot>"}])
THANKS = said("t", "gemini", [{"text": "Got it. Thanks for the additional context!"}])


def patch(**changes: Any) -> dict[str, Any]:
    return {"$patch": changes}


def outputs(record: DialogueRecord) -> list[str | None]:
    return [p.text for m in record.messages for p in m.parts if p.part_type.value == "tool_result"]


@pytest.mark.parametrize(
    "given",
    [
        [*COPIES, patch(removeIds=NAMES)],
        [*COPIES, {"$set": {"messages": COPIES}}],
        [{"$set": {"messages": COPIES}}],
    ],
)
def test_copies_of_messages_are_those_messages(given: list[dict[str, Any]]):
    record = of_lines(*SESSION, *given, said("u3", "user", "three"))
    assert tree(record) == [*ONE_LINE, ("u3", "a3")]
    assert record.message_less_nodes == {"r1": "a1"}
    assert outputs(record) == ["# A"]
    assert [message.model for message in record.messages] == [None, None, "m", "m", None, "m", None]
    assert [copy for copy in COPIES if copy not in record.source_json["earlier"]] == []


def test_who_goes_back_to_a_copy_goes_back_to_its_message():
    record = of_lines(*SESSION, *COPIES, patch(removeIds=NAMES), {"$rewindTo": "c5"}, said("u3", "user", "three"))
    assert tree(record) == [*ONE_LINE, ("u3", "a2")]


def test_messages_that_are_given_anew_are_one_line_with_what_is_put_between():
    env, first, call, result, *others = SESSION
    masked = call | {"content": [CALLING], "toolCalls": [CALL | {"result": [MASKED]}]}
    given = {"$set": {"messages": [env, first, masked, result | {"content": [MASKED]}, *others]}}
    record = of_lines(first, call, *others, given, said("u3", "user", "three"))
    assert tree(record) == [*ONE_LINE, ("u3", "a3")]
    assert outputs(record) == ["# A"]
    assert masked in record.source_json["earlier"]


def test_a_summary_stands_before_what_goes_on_and_takes_nothing_away():
    tail = [said("c5", "user", [{"text": "go on"}]), said("c6", "gemini", [{"text": "Done."}])]
    record = of_lines(*SESSION, SNAPSHOT, THANKS, *tail, patch(removeIds=NAMES[1:]), said("u3", "user", "three"))
    assert tree(record) == [*ONE_LINE[:4], ("s", "a2"), ("t", "s"), ("u2", "t"), ("a3", "u2"), ("u3", "a3")]
    put_in = [message for message in record.messages if message.is_hidden]
    assert [(m.source_id, m.role, m.parts[0].part_type.value) for m in put_in] == [
        ("env", "system", "context"),
        ("s", "system", "context"),
        ("t", "system", "context"),
    ]


def test_what_a_saved_chat_does_not_have_is_left_behind():
    saved = said("i", "info", "saved")
    later = [said("u3", "user", "three"), said("a4", "gemini", "3")]
    gone = [*NAMES, "i", "u3", "a4"]
    record = of_lines(*SESSION, saved, *later, *COPIES, patch(removeIds=gone), said("u4", "user", "four"))
    assert tree(record)[-4:] == [("i", "a3"), ("u3", "i"), ("a4", "u3"), ("u4", "i")]
    assert record.active_source_id == "u4"


def test_a_patch_puts_a_message_where_it_belongs_and_takes_back_the_last():
    closing = said("x", "gemini", [{"text": "[The previous response was interrupted before it completed.]"}])
    gone = said("u3", "user", "three")
    order = [*NAMES[:4], "x", *NAMES[4:]]
    record = of_lines(*SESSION, gone, closing, patch(removeIds=["u3"], orderIds=order), said("u4", "user", "four"))
    expected = [*ONE_LINE[:3], ("x", "r1"), ("a2", "x"), *ONE_LINE[4:], ("u3", "a3"), ("u4", "a3")]
    assert tree(record) == expected


def test_a_patch_changes_words_and_leaves_what_tools_gave():
    calls = [{"id": "read_1", "result": [MASKED]}]
    updates = [
        {"id": "a1", "content": [CALLING], "toolCalls": calls},
        {"id": "a3", "content": [{"text": "Undone."}]},
        {"id": "x", "content": "nobody's"},
    ]
    line = patch(updates=updates, id="u2", content="stop")
    record = of_lines(*SESSION, line)
    assert tree(record) == ONE_LINE
    assert outputs(record) == ["# A"]
    assert [record.messages[place].parts[0].text for place in (4, 5)] == ["stop", "Undone."]
    assert [SESSION[5], SESSION[6], line] == [each for each in record.source_json["earlier"] if each != SESSION[3]]


def test_a_line_that_was_not_read_may_be_behind_all_that_is_left():
    back = [{"$rewindTo": "u2"}, {"$rewindTo": "unknown"}, said("u9", "user", "nine")]
    assert tree(of_lines(*SESSION, {"left_out_line": "line 9"}, *back))[-1] == ("u9", "a2")


def test_a_type_that_is_no_text_is_nobodys():
    odd = said("o", "user", "odd") | {"type": {"x": 1}}
    assert tree(of_lines(*SESSION, odd, *COPIES, patch(removeIds=[*NAMES, "o"])))[-1] == ("o", "a3")


def test_many_messages_that_may_be_copies_and_are_none():
    def read(size: int) -> None:
        before = [said(f"u{at}", "user", "go ") for at in range(size)]
        after = [said(f"c{at}", "user", "go go stop") for at in range(size)]
        names = [line["id"] for line in before]
        assert len(of_lines(*before, *after, patch(removeIds=names)).messages) == 2 * size

    assert growth(read, 100) < 5
