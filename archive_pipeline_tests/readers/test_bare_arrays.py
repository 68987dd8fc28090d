"""Arrays of messages that no object is around: one in a file, lists of them, and one a line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.domain.records import DialogueRecord, RejectedRecord
from archive_pipeline.ingest.prepare import prepare
from archive_pipeline.readers.reading import ReadDialogue, read_paths
from archive_pipeline_tests.exports import chain, chatgpt, claude
from archive_pipeline_tests.trials import trials

SYSTEM = {"role": "system", "content": "Be brief."}
ASK = {"role": "user", "content": "Which way?"}
LEFT = {"role": "assistant", "content": "Left."}


def items(path: Path) -> list[ReadDialogue | RejectedRecord]:
    return [item for file in read_paths([path]) for item in file.records()]


def records(path: Path) -> list[DialogueRecord]:
    found = items(path)
    assert all(isinstance(item, ReadDialogue) for item in found), found
    return [item.record for item in found if isinstance(item, ReadDialogue)]


def said(record: DialogueRecord) -> list[tuple[str, str]]:
    return [(message.role, " | ".join(part.text or "" for part in message.parts)) for message in record.messages]


def ask(text: str) -> list[dict[str, Any]]:
    return [{"role": "user", "content": text}, LEFT]


@pytest.mark.parametrize("indent", [None, 0, 1])
@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_file_that_is_an_array_of_messages_is_one_conversation(tmp_path: Path, count: int, indent: int | None):
    path = tmp_path / "chat.json"
    path.write_text(json.dumps([ASK, LEFT, SYSTEM][:count], indent=indent))
    [record] = records(path)
    assert record.source == "openai_messages"
    assert said(record) == [("user", "Which way?"), ("assistant", "Left."), ("system", "Be brief.")][:count]
    assert [message.parent_source_id for message in record.messages[1:]] == [
        message.source_id for message in record.messages[:-1]
    ]
    assert (record.locator, record.source_json) == (str(path), {})


def test_a_list_of_arrays_has_a_conversation_each(tmp_path: Path):
    path = tmp_path / "data.json"
    path.write_text(
        json.dumps([[SYSTEM, *ask("One?")], ask("Two?"), [*ask("Three?"), {"role": "critic", "content": "?"}]])
    )
    found = records(path)
    assert [said(record)[-2 if place == 1 else 1] for place, record in enumerate(found)] == [
        ("user", "One?"),
        ("user", "Two?"),
        ("assistant", "Left."),
    ]
    assert [record.locator for record in found] == [f"{path}[{place}]" for place in range(3)]
    assert [dict(record.warnings) for record in found] == [{}, {}, {"unknown_role": 1}]


def test_arrays_on_lines_of_a_list_may_be_larger_than_what_is_read_at_once(tmp_path: Path):
    path = tmp_path / "data.json"
    written = [json.dumps(ask(str(number) * 40_000)) for number in range(3)]
    path.write_text("[\n" + ",\n".join(written) + "\n]")
    assert [said(record)[0] for record in records(path)] == [("user", str(number) * 40_000) for number in range(3)]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\n\n"])
def test_lines_of_arrays_have_a_conversation_each(tmp_path: Path, end: str):
    path = tmp_path / "data.jsonl"
    path.write_bytes(end.join(json.dumps(ask(f"{number}?")) for number in range(5)).encode())
    assert [said(record)[0] for record in records(path)] == [("user", f"{number}?") for number in range(5)]


def test_contents_and_calls_are_read_as_those_of_objects_with_messages(tmp_path: Path):
    call = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"at": "map"}'}}
    openai = [ASK, {"role": "assistant", "content": None, "tool_calls": [call]}]
    openai += [{"role": "tool", "tool_call_id": "c1", "content": "a map"}, LEFT]
    use = {"type": "tool_use", "id": "t1", "name": "look", "input": {"at": "map"}}
    answer = [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": "I look."}, use]
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "a map"}
    anthropic = [ASK, {"role": "assistant", "content": answer}, {"role": "user", "content": [result]}, LEFT]
    (tmp_path / "bare.jsonl").write_text(json.dumps(openai) + "\n" + json.dumps(anthropic) + "\n")
    (tmp_path / "lines.jsonl").write_text(
        "".join(json.dumps({"messages": each}) + "\n" for each in (openai, anthropic))
    )
    bare, lines = records(tmp_path / "bare.jsonl"), records(tmp_path / "lines.jsonl")
    assert [record.messages for record in bare] == [record.messages for record in lines]
    # What a line says is its id: the same conversation in both forms is one dialogue.
    assert [record.source_id for record in bare] == [record.source_id for record in lines]
    kinds = [[part.part_type.value for part in message.parts] for message in bare[1].messages]
    assert kinds == [["text"], ["thinking", "text", "tool_use"], ["tool_result"], ["text"]]
    assert [message.role for message in bare[1].messages] == ["user", "assistant", "tool", "assistant"]


def test_arrays_of_pairs_are_those_of_share_gpt_also_with_a_system_prompt_first(tmp_path: Path):
    turns = [{"from": word, "value": word} for word in ("system", "human", "gpt")]
    (tmp_path / "bare.jsonl").write_text(2 * (json.dumps(turns) + "\n"))
    (tmp_path / "one.json").write_text(json.dumps({"conversations": turns}))
    (tmp_path / "lines.jsonl").write_text(2 * (json.dumps({"conversations": turns}) + "\n"))
    for name, count in (("bare.jsonl", 2), ("one.json", 1), ("lines.jsonl", 2)):
        found = records(tmp_path / name)
        assert [record.source for record in found] == ["sharegpt"] * count
        assert [said(record) for record in found] == [
            [("system", "system"), ("user", "human"), ("assistant", "gpt")]
        ] * count


@pytest.mark.parametrize("damaged", [0, 1, 3])
@pytest.mark.parametrize("kept", [20, 40, -1])
def test_a_line_that_is_cut_off_costs_itself(tmp_path: Path, damaged: int, kept: int):
    written = [json.dumps(ask(f"{number}?")) for number in range(4)]
    whole, written[damaged] = written[damaged], written[damaged][:kept]
    path = tmp_path / "data.jsonl"
    path.write_text("\n".join(written) + "\n")
    found = items(path)
    told = [said(item.record)[0][1] for item in found if isinstance(item, ReadDialogue)]
    assert told == [f"{number}?" for number in range(4) if number != damaged]
    [rejected] = [item for item in found if isinstance(item, RejectedRecord)]
    start = sum(len(line) + 1 for line in written[:damaged])
    # Where nothing follows, the place is that of what is cut off: the array, or the first message in it.
    assert any(f"byte {place}" in f"{rejected.locator} {rejected.reason}" for place in (start, start + 1))
    assert whole[1:20] in rejected.excerpt


def test_a_file_of_one_conversation_that_is_cut_off_is_rejected_by_its_place(tmp_path: Path):
    path = tmp_path / "chat.json"
    path.write_text(json.dumps([ASK, LEFT, ASK])[:-10])
    [rejected] = items(path)
    assert isinstance(rejected, RejectedRecord)
    assert rejected.whole_file
    assert "Left." in rejected.excerpt


@pytest.mark.parametrize(
    "value",
    [
        [SYSTEM, SYSTEM],
        [{**ASK, "id": "m1"}, {**LEFT, "id": "m2"}],
        [{**ASK, "chatId": "c"}, {**LEFT, "chatId": "c"}],
        [{"role": "user", "name": "Ann"}, {"role": "admin", "name": "Bob"}],
        [{"from": "tool", "value": "Werkzeug"}, {"from": "file", "value": "Datei"}],
        [{"from": "user", "value": "Benutzer"}, {"from": "file", "value": "Datei"}],
    ],
)
def test_what_only_looks_like_messages_is_no_conversation(tmp_path: Path, value: list[Any]):
    path = tmp_path / "data.json"
    path.write_text(json.dumps(value))
    [rejected] = items(path)
    assert isinstance(rejected, RejectedRecord)
    assert rejected.whole_file


def test_an_array_that_begins_with_a_message_and_has_conversations_is_a_list_of_them(tmp_path: Path):
    path = tmp_path / "data.json"
    path.write_text(json.dumps([ASK, chatgpt("c", chain("a")), {"messages": [ASK, LEFT]}]))
    found = items(path)
    assert [item.record.source for item in found if isinstance(item, ReadDialogue)] == ["chatgpt", "openai_messages"]
    [rejected] = [item for item in found if isinstance(item, RejectedRecord)]
    assert rejected.locator == f"{path}[0]"


@pytest.mark.parametrize("count", [1, 60])  # more than are looked at of one conversation
@pytest.mark.parametrize(
    ("value", "source"),
    [
        (claude("t", "q"), "claude_ai"),
        ({"messages": [ASK, LEFT]}, "openai_messages"),
        ({"instruction": "Add.", "output": "3"}, "instructions"),
    ],
)
def test_a_conversation_behind_messages_is_read_also_if_it_has_no_id_of_one(
    tmp_path: Path, value: dict[str, Any], source: str, count: int
):
    path = tmp_path / "data.json"
    path.write_text(json.dumps([*[ASK] * count, value]))
    found = items(path)
    assert [item.record.source for item in found if isinstance(item, ReadDialogue)] == [source]
    rejected = [item.locator for item in found if isinstance(item, RejectedRecord)]
    assert rejected == [f"{path}[{place}]" for place in range(count)]


def test_what_is_no_array_of_messages_among_arrays_is_rejected_by_its_place(tmp_path: Path):
    path = tmp_path / "data.json"
    path.write_text(json.dumps([ask("One?"), "text", [], [SYSTEM], ask("Two?")]))
    found = items(path)
    assert [said(item.record)[0][1] for item in found if isinstance(item, ReadDialogue)] == ["One?", "Two?"]
    places = [item.locator.removeprefix(str(path)) for item in found if isinstance(item, RejectedRecord)]
    assert places == ["[1]", "[2]", "[3][0]"]


def test_an_array_in_an_object_without_a_known_name_is_not_claimed(tmp_path: Path):
    path = tmp_path / "data.json"
    path.write_text(json.dumps([{"chat": [ASK, LEFT], "owner": "Ann"}]))
    [rejected] = items(path)
    assert isinstance(rejected, RejectedRecord)


def test_rows_of_parquet_with_arrays_are_read_as_before(tmp_path: Path):
    path = tmp_path / "data.parquet"
    pq.write_table(pa.table({"messages": [ask("One?"), ask("Two?")]}), path)
    assert [said(record)[0][1] for record in records(path)] == ["One?", "Two?"]


MESSAGES = st.lists(
    st.fixed_dictionaries(
        {"role": st.sampled_from(["user", "assistant", "system"]), "content": st.text(min_size=1, max_size=20)},
        optional={"weight": st.integers(0, 9), "note": st.lists(st.text(max_size=3), max_size=2)},
    ),
    min_size=1,
    max_size=4,
).map(lambda messages: [ASK, *messages])


@given(st.lists(MESSAGES, min_size=1, max_size=4), st.booleans(), st.booleans())
@trials(40)
def test_arrays_are_read_as_objects_with_them_are(
    tmp_path_factory: pytest.TempPathFactory, arrays: list[list[Any]], is_list: bool, is_ascii: bool
):
    folder = tmp_path_factory.mktemp("arrays")
    written = [json.dumps(each, ensure_ascii=is_ascii) for each in arrays]
    bare, lines = folder / "bare.json", folder / "lines.jsonl"
    bare.write_text("[" + ",\n".join(written) + "]" if is_list else "\n".join(written), "utf-8")
    lines.write_text("\n".join(f'{{"messages": {each}}}' for each in written), "utf-8")
    found, expected = records(bare), records(lines)
    assert [record.messages for record in found] == [record.messages for record in expected]
    assert [prepare(record, b"").messages for record in found] == [prepare(record, b"").messages for record in expected]
