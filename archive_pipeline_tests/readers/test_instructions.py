"""Records of a question and its answers: the forms that datasets have, preferences, and what is another product's."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.domain.records import DialogueRecord, RejectedRecord
from archive_pipeline.ingest.prepare import prepare
from archive_pipeline.readers.instructions.dialogue import read_record
from archive_pipeline.readers.reading import ReadDialogue, read_paths
from archive_pipeline.readers.registry import recognise
from archive_pipeline_tests.exports import chain, chatgpt
from archive_pipeline_tests.readers.said import tree, words
from archive_pipeline_tests.trials import trials
from benchmarks.fuzz.instructions import conversation
from benchmarks.fuzz.marks import Marks

ALPACA = {"instruction": "Add.", "input": "1 and 2", "output": "3"}


def read(value: dict[str, Any]) -> DialogueRecord:
    record = read_record(value, "data.jsonl[0]")
    assert isinstance(record, DialogueRecord)
    return record


def items(path: Path) -> list[ReadDialogue | RejectedRecord]:
    return [item for file in read_paths([path]) for item in file.records()]


@pytest.mark.parametrize(
    ("value", "asked", "answered", "beside"),
    [
        (ALPACA, "Add. | 1 and 2", "3", {}),
        ({"instruction": "Who?", "input": "", "output": "Me.", "text": "all"}, "Who?", "Me.", {"text": "all"}),
        ({"instruction": "Who?", "output": "Me."}, "Who?", "Me.", {}),
        ({"instruction": "", "input": "Who?", "output": "Me."}, "Who?", "Me.", {"instruction": ""}),
        (
            {"instruction": "Who?", "context": "Two men.", "response": "Me.", "category": "open_qa"},
            "Who? | Two men.",
            "Me.",
            {"category": "open_qa"},
        ),
        ({"prompt": "The sky is", "completion": " blue.", "label": True}, "The sky is", " blue.", {"label": True}),
        ({"prompt": "Who?", "response": "Me."}, "Who?", "Me.", {}),
        (
            {"question": "Who?", "answer": "Me.", "choices": ["Me.", "You."]},
            "Who?",
            "Me.",
            {"choices": ["Me.", "You."]},
        ),
        ({"question": "Who?", "context": "Two men.", "answer": "Me."}, "Who? | Two men.", "Me.", {}),
        ({"query": "Who?", "response": "Me.", "type": "x"}, "Who?", "Me.", {"type": "x"}),
    ],
)
def test_a_record_is_a_question_and_its_answer(
    value: dict[str, Any], asked: str, answered: str, beside: dict[str, Any]
):
    assert recognise(value).source == "instructions"
    assert recognise(value).is_recognised
    record = read(value)
    assert tree(record) == [("user", asked, None), ("assistant", answered, asked)]
    assert record.source_json == beside
    assert record.active_source_id is None
    assert not record.warnings


@pytest.mark.parametrize(
    "value",
    [
        {"prompt": "Which way?", "chosen": "Left.", "rejected": "Right."},
        {"instruction": "Which way?", "input": "", "chosen": "Left.", "rejected": "Right."},
        {"question": "Which way?", "chosen": "Left.", "rejected": "Right."},
        {"instruction": "Which way?", "output": ["Left.", "Right."]},
        {"instruction": "Which way?", "chosen_response": "Left.", "rejected_response": "Right."},
        {"query": "Which way?", "response": "Left.", "rejected_response": "Right."},
        {
            "chosen": "\n\nHuman: Which way?\n\nAssistant: Left.",
            "rejected": "\n\nHuman: Which way?\n\nAssistant: Right.",
        },
        {"prompt": "\n\nHuman: Which way?\n\nAssistant:", "chosen": "Left.", "rejected": "Right."},
    ],
)
def test_the_preferred_and_the_other_answer_are_two_branches(value: dict[str, Any]):
    assert recognise(value).source == "instructions"
    record = read(value)
    assert tree(record) == [
        ("user", "Which way?", None),
        ("assistant", "Right.", "Which way?"),
        ("assistant", "Left.", "Which way?"),
    ]
    # The preferred one comes last, and so is the primary path, too.
    assert record.active_source_id == record.messages[2].source_id
    # What was taken apart stays whole beside it.
    assert record.source_json == {name: text for name, text in value.items() if "Human:" in str(text)}


def test_preferences_of_messages_stay_those_of_arrays():
    messages = [{"role": "user", "content": "Which way?"}, {"role": "assistant", "content": "Left."}]
    other = [messages[0], {"role": "assistant", "content": "Right."}]
    assert recognise({"prompt": "Which way?", "chosen": messages, "rejected": other}).source == "openai_messages"
    assert recognise({"messages": messages, "prompt": "x", "response": "y"}).source == "openai_messages"


def test_a_system_prompt_and_earlier_turns_come_before_the_question():
    record = read({**ALPACA, "system": "Be brief.", "history": [["Hi?", "Hi."], ["Bye?", None], "odd"]})
    assert tree(record) == [
        ("system", "Be brief.", None),
        ("user", "Hi?", "Be brief."),
        ("assistant", "Hi.", "Hi?"),
        ("user", "Bye?", "Hi."),
        ("user", "Add. | 1 and 2", "Bye?"),
        ("assistant", "3", "Add. | 1 and 2"),
    ]
    assert record.source_json == {"history": ["odd"]}
    assert record.warnings == {"malformed_message": 1}
    orca = read({"id": "flan.1", "system_prompt": "Be brief.", "question": "Who?", "response": "Me."})
    assert tree(orca)[:2] == [("system", "Be brief.", None), ("user", "Who?", "Be brief.")]
    assert orca.source_id is not None
    assert orca.source_id.startswith("flan.1-")


def test_earlier_turns_may_be_messages():
    history = [{"role": "user", "content": "Hi?"}, {"role": "assistant", "content": "Hi.", "weight": 0}]
    record = read({"query": "Who?", "response": "Me.", "history": history})
    assert [message.role for message in record.messages] == ["user", "assistant", "user", "assistant"]
    assert record.messages[1].source == {"weight": 0}
    assert not record.source_json


def test_transcripts_have_all_turns_and_what_both_begin_with_once():
    begin = "\n\nHuman: Hi?\n\nAssistant: Hi.\n\nHuman: Which\n\nway?\n\nAssistant:"
    record = read({"chosen": f"{begin} Left.", "rejected": f"{begin} Right."})
    assert tree(record) == [
        ("user", "Hi?", None),
        ("assistant", "Hi.", "Hi?"),
        ("user", "Which\n\nway?", "Hi."),
        ("assistant", "Right.", "Which\n\nway?"),
        ("assistant", "Left.", "Which\n\nway?"),
    ]


def test_thoughts_and_pictures_are_those_of_arrays():
    answer = "<think>\nHm.\n</think>\n\nA cat."
    record = read({"instruction": "What is this?", "input": "<image>", "output": answer, "images": ["1.jpg"]})
    assert [file.file_name for file in record.messages[0].attachments] == ["1.jpg"]
    assert [(part.part_type.value, part.text) for part in record.messages[1].parts] == [
        ("thinking", "Hm."),
        ("text", "A cat."),
    ]


def test_the_model_and_times_of_a_record_are_read():
    record = read({**ALPACA, "model": "m", "created_at": "2026-01-16T02:37:34+00:00", "title": "Sums"})
    assert [message.model for message in record.messages] == [None, "m"]
    assert record.created_at is not None
    assert record.title == "Sums"


def test_equal_records_are_one_dialogue_and_changed_ones_are_others():
    assert read(ALPACA).source_id == read(dict(reversed(ALPACA.items()))).source_id
    assert read({**ALPACA, "output": "4"}).source_id != read(ALPACA).source_id
    first, second = (read({"id": 7, **ALPACA, "output": output}).source_id for output in ("3", "4"))
    assert first != second
    assert first == read({"id": 7, **ALPACA, "score": 1}).source_id


@pytest.mark.parametrize(
    "value",
    [
        {"instruction": "Add."},
        {"output": "3", "input": "1 and 2"},
        {"question": "Who?", "answer": 3},
        {"question": "Who?", "answers": {"text": ["Me."]}},
        {"prompt": "Who?", "response": {"text": "Me."}},
        {"prompt": {"text": "Who?"}, "response": "Me."},
        {"prompt": "Who?", "response": "Me.", "conversation_id": "c"},
        {"prompt": "Who?", "response": "Me.", "parent_id": "p"},
        {"input": "Who?", "question": "Who?", "answer": "Me.", "trace_id": "t"},
        {"chosen": "The sky is blue.", "rejected": "The sky is green."},
        {"prompt": "Who?", "chosen": "Me."},
    ],
)
def test_others_are_not_claimed(value: dict[str, Any]):
    assert not recognise(value).is_recognised


@pytest.mark.parametrize("name", ["data.json", "data.jsonl", "data.parquet"])
def test_files_of_records_have_a_dialogue_each(tmp_path: Path, name: str):
    path = tmp_path / name
    rows = [{**ALPACA, "output": str(number)} for number in range(3)]
    if name.endswith("parquet"):
        pq.write_table(pa.Table.from_pylist(rows), path)
    else:
        path.write_text(json.dumps(rows) if name == "data.json" else "".join(json.dumps(row) + "\n" for row in rows))
    found = [item for item in items(path) if isinstance(item, ReadDialogue)]
    assert [words(item.record.messages[1]) for item in found] == ["0", "1", "2"]
    assert {item.record.source for item in found} == {"instructions"}


def test_an_empty_answer_leaves_the_question_and_other_records_are_rejected_by_their_places(tmp_path: Path):
    path = tmp_path / "data.json"
    path.write_text(json.dumps([{**ALPACA, "output": ""}, ALPACA, {"text": "none"}, 1]))
    found = items(path)
    assert [len(item.record.messages) for item in found if isinstance(item, ReadDialogue)] == [1, 2]
    rejected = [item for item in found if isinstance(item, RejectedRecord)]
    assert [item.locator for item in rejected] == [f"{path}[2]", f"{path}[3]"]


@pytest.mark.parametrize("damaged", [0, 1, 2])
def test_a_line_that_is_cut_off_costs_itself(tmp_path: Path, damaged: int):
    written = [json.dumps({**ALPACA, "output": str(number)}) for number in range(4)]
    written[damaged] = written[damaged][:-7]
    path = tmp_path / "data.jsonl"
    path.write_text("\n".join(written) + "\n")
    found = items(path)
    told = [words(item.record.messages[1]) for item in found if isinstance(item, ReadDialogue)]
    assert told == [str(number) for number in range(4) if number != damaged]
    [rejected] = [item for item in found if isinstance(item, RejectedRecord)]
    assert f"at byte {sum(len(line) + 1 for line in written[:damaged])} is broken" in rejected.reason


def test_a_record_inside_of_another_value_or_among_conversations_of_a_product_is_none(tmp_path: Path):
    inside = tmp_path / "inside.json"
    inside.write_text(json.dumps([{"settings": {"faq": [ALPACA]}}]))
    [rejected] = items(inside)
    assert isinstance(rejected, RejectedRecord)
    among = tmp_path / "among.json"
    among.write_text(json.dumps([chatgpt("c", chain("a")), ALPACA]))
    found = items(among)
    assert [item.record.source for item in found if isinstance(item, ReadDialogue)] == ["chatgpt"]
    [rejected] = [item for item in found if isinstance(item, RejectedRecord)]
    assert rejected.locator == f"{among}[1]"


def test_a_record_without_a_question_is_rejected():
    assert isinstance(read_record({"output": "3"}, "x"), RejectedRecord)


@given(st.integers(0, 2**32))
@trials(30)
def test_each_message_has_an_id_and_follows_one_before_it(seed: int):
    value = conversation(Random(seed), Marks())  # noqa: S311 - a test's
    assert recognise(value).source == "instructions"
    record = read(value)
    assert read(json.loads(json.dumps(value))) == record
    ids = [message.source_id for message in record.messages]
    assert len(set(ids)) == len(ids)
    assert not prepare(record, b"").counts["missing_parent"]
