"""Lines of from/value pairs: speakers, calls and observations, pictures, preferences, and one that is a file."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.domain.records import DialogueRecord, RejectedRecord
from archive_pipeline.readers.reading import ReadDialogue, read_paths
from archive_pipeline.readers.registry import recognise
from archive_pipeline.readers.sharegpt import read_line
from archive_pipeline_tests.exports import chain, chatgpt
from archive_pipeline_tests.trials import trials
from benchmarks.fuzz.marks import Marks
from benchmarks.fuzz.sharegpt import conversation

ASK = {"from": "human", "value": "Which way?"}
LEFT = {"from": "gpt", "value": "Left."}
LINE = {"id": "identity_0", "conversations": [ASK, LEFT]}


def read(value: dict[str, Any]) -> DialogueRecord:
    record = read_line(value, "data.json[0]")
    assert isinstance(record, DialogueRecord)
    return record


def told(path: Path) -> tuple[list[DialogueRecord], list[str]]:
    items = [item for file in read_paths([path]) for item in file.records()]
    records = [item.record for item in items if isinstance(item, ReadDialogue)]
    return records, [item.reason for item in items if isinstance(item, RejectedRecord)]


@pytest.mark.parametrize(
    ("speaker", "role"),
    [
        ("human", "user"),
        ("user", "user"),
        ("gpt", "assistant"),
        ("chatgpt", "assistant"),
        ("bing", "assistant"),
        ("bard", "assistant"),
        ("system", "system"),
        ("tool", "tool"),
        ("observation", "tool"),
        ("function_call", "assistant"),
        ("critic", "system"),
    ],
)
def test_speakers_have_roles(speaker: str, role: str):
    record = read({"conversations": [{"from": speaker, "value": "x"}]})
    [message] = record.messages
    assert message.role == role
    assert record.warnings.get("unknown_role", 0) == (speaker == "critic")
    assert (message.source or {}).get("from", role) == speaker


def test_calls_and_observations_are_calls_and_results_of_tools():
    call = '{"name": "look", "arguments": {"at": "map"}}'
    turns = [
        ASK,
        {"from": "function_call", "value": call},
        {"from": "observation", "value": "a map"},
        {"from": "function_call", "value": f"<think>\nAgain.\n</think>\n\n[{call}, {call}]"},
        {"from": "observation", "value": "two maps"},
        {"from": "function_call", "value": "look()"},
        LEFT,
    ]
    record = read({"conversations": turns, "tools": '[{"name": "look"}]'})
    parts = [part for message in record.messages[1:6] for part in message.parts]
    assert [(part.part_type.value, part.tool_use_id, part.tool_name, part.text) for part in parts] == [
        ("tool_use", "call-1", "look", None),
        ("tool_result", "call-1", "look", "a map"),
        ("thinking", None, None, "Again."),
        ("tool_use", "call-2", "look", None),
        ("tool_use", "call-3", "look", None),
        ("tool_result", "call-2", "look", "two maps"),
        ("tool_use", "call-4", None, None),
    ]
    assert [part.tool_input for part in (parts[0], parts[6])] == [{"at": "map"}, "look()"]
    assert record.source_json == {"tools": '[{"name": "look"}]'}
    assert not record.warnings


def test_a_system_prompt_beside_the_turns_comes_first_and_pictures_are_attached():
    turns = [{"from": "human", "value": "<image><image>Which way?"}, LEFT]
    record = read({"conversations": turns, "system": "Be brief.", "images": ["1.jpg", "2.jpg"]})
    assert [(message.role, len(message.attachments)) for message in record.messages] == [
        ("system", 0),
        ("user", 2),
        ("assistant", 0),
    ]
    assert [message.parent_source_id for message in record.messages[1:]] == [
        message.source_id for message in record.messages[:2]
    ]


def test_preferred_and_other_answer_are_two_branches():
    line = {"conversations": [ASK], "chosen": LEFT, "rejected": {"from": "gpt", "value": "Right."}}
    assert recognise(line).source == "sharegpt"
    record = read(line)
    ask, right, left = record.messages
    assert left.parent_source_id == right.parent_source_id == ask.source_id
    assert record.active_source_id == left.source_id


def test_the_id_of_a_list_counts_together_with_what_is_said():
    other = read({"id": "identity_0", "conversations": [{"from": "human", "value": "Who?"}, LEFT]})
    assert read(LINE).source_id != other.source_id
    assert read({"id": "identity_0", "conversations": [ASK]}).source_id != read(LINE).source_id


@pytest.mark.parametrize(
    "value",
    [
        {"conversations": []},
        {"conversations": [{"from": "human", "content": "Which way?"}]},
        {"conversations": [{"from": "a@b.example", "value": "Which way?"}]},
        {"messages": [{**ASK, "id": "1"}]},
        {"conversations": [chatgpt("c", chain("a"))]},
    ],
)
def test_others_are_not_claimed(value: dict[str, Any]):
    assert recognise(value).source != "sharegpt" or not recognise(value).is_recognised


@pytest.mark.parametrize("first", [ASK, {"role": "user", "content": "Which way?"}])
@pytest.mark.parametrize("count", [1, 2, 3])
def test_an_array_of_turns_under_conversations_is_one_conversation(tmp_path: Path, count: int, first: dict[str, Any]):
    second = LEFT if "from" in first else {"role": "assistant", "content": 'Left, "}]'}
    line = {"id": "a", "conversations": [first, second, first][:count], "system": "Be brief."}
    for name, text in (
        ("one.json", json.dumps(line, indent=1)),
        ("last.json", json.dumps({"system": "x", "conversations": line["conversations"]})),
        ("lines.jsonl", 3 * (json.dumps(line) + "\n")),
        ("array.json", json.dumps([line])),
        ("objects.json", json.dumps({"version": 1, "conversations": [line, line]})),
    ):
        path = tmp_path / name
        path.write_text(text)
        records, rejected = told(path)
        assert [len(record.messages) for record in records] == [count + 1] * {"lines": 3, "objects": 2}.get(
            path.stem, 1
        )
        assert len(rejected) == (path.stem == "objects")


def test_conversations_under_that_key_are_found_as_before(tmp_path: Path):
    path = tmp_path / "export.json"
    path.write_text(json.dumps({"conversations": [chatgpt("c", chain("a")), chatgpt("d", chain("b"))]}))
    records, rejected = told(path)
    assert [record.source_id for record in records] == ["c", "d"]
    assert not rejected


@pytest.mark.parametrize("cut", [20, 60, 90])
def test_a_line_that_breaks_off_is_told(tmp_path: Path, cut: int):
    path = tmp_path / "cut.jsonl"
    text = json.dumps(LINE)
    path.write_text(f"{text}\n{text[:cut]}")
    records, rejected = told(path)
    assert len(records) == 1
    assert len(rejected) >= 1


@given(st.integers(0, 2**32))
@trials(30)
def test_each_turn_is_a_message_that_follows_the_one_before_it(seed: int):
    value = conversation(Random(seed), Marks())  # noqa: S311 - a test's
    record = read(value)
    turns = next(value[name] for name in ("conversations", "conversation", "items", "messages") if name in value)
    answers = {value[name]["value"] for name in ("chosen", "rejected") if name in value}  # equal ones are one
    assert len(record.messages) == len(turns) + ("system" in value) + len(answers)
    assert len({message.source_id for message in record.messages}) == len(record.messages)
    way = record.messages[: len(turns) + ("system" in value)]  # alternatives come behind it
    assert [message.parent_source_id for message in way] == [None, *(message.source_id for message in way[:-1])]


@pytest.mark.parametrize(
    ("speakers", "is_one"),
    [
        (("human", "gpt"), True),
        (("user", "assistant"), True),
        (("user", "model"), True),
        (("user", "chatgpt"), True),
        (("user", "bing"), True),
        (("user", "bard"), True),
        (("system", "human", "gpt"), True),
        (("human", "function_call", "observation", "gpt"), True),
        (("user", "tool_call", "tool_response", "assistant"), True),
        (("human", "tool_call", "tool"), True),
        (("human",), True),
        (("system", "user"), True),
        (("gpt",), True),
        (("system",), False),
        (("system", "developer"), False),
        (("tool", "function"), False),
        (("user", "tool"), False),
        (("user", "developer", "function"), False),
    ],
)
@pytest.mark.parametrize("name", ["conversations", "conversation", "items", "messages"])
def test_a_conversation_has_somebody_who_speaks(name: str, speakers: tuple[str, ...], is_one: bool):
    verdict = recognise({name: [{"from": speaker, "value": "Wort"} for speaker in speakers]})
    assert (verdict.source, verdict.is_recognised) == ("sharegpt", is_one)
