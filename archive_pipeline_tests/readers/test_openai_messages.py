"""Lines with arrays of chat messages: their forms, alternatives, calls, ids, and what is another product's."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.domain.records import DialogueRecord, RejectedRecord
from archive_pipeline.ingest.prepare import prepare
from archive_pipeline.readers.openai_messages import read_line
from archive_pipeline.readers.reading import ReadDialogue, read_paths
from archive_pipeline.readers.registry import recognise
from archive_pipeline_tests.exports import chain, chatgpt
from archive_pipeline_tests.readers.said import tree
from archive_pipeline_tests.trials import trials
from benchmarks.fuzz.marks import Marks
from benchmarks.fuzz.openai_messages import conversation

SYSTEM = {"role": "system", "content": "Be brief."}
ASK = {"role": "user", "content": "Which way?"}
LEFT = {"role": "assistant", "content": "Left."}
RIGHT = {"role": "assistant", "content": "Right."}
CALL = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"at": "map"}'}}


def read(value: dict[str, Any]) -> DialogueRecord:
    record = read_line(value, "data.jsonl[0]")
    assert isinstance(record, DialogueRecord)
    return record


def test_a_line_is_one_chain_and_keeps_what_stands_beside_its_messages():
    record = read({"messages": [SYSTEM, ASK, {**LEFT, "weight": 0}], "tools": [{"type": "function"}], "reward": 0.5})
    assert tree(record) == [
        ("system", "Be brief.", None),
        ("user", "Which way?", "Be brief."),
        ("assistant", "Left.", "Which way?"),
    ]
    assert record.source_json == {"tools": [{"type": "function"}], "reward": 0.5}
    assert record.messages[2].source == {"weight": 0}
    assert record.active_source_id is None
    assert not record.warnings


@pytest.mark.parametrize(
    "line",
    [
        {"input": {"messages": [ASK], "tools": []}, "preferred_output": [LEFT], "non_preferred_output": [RIGHT]},
        {"prompt": [ASK], "chosen": [LEFT], "rejected": [RIGHT]},
        {"prompt": "Which way?", "chosen": [ASK, LEFT], "rejected": [ASK, RIGHT]},
        {"messages": [ASK], "chosen": LEFT, "rejected": RIGHT},
        {"messages": [ASK, LEFT], "chosen": [ASK, LEFT], "rejected": [ASK, RIGHT]},
        {"prompt": [ASK], "chosen": "Left.", "rejected": "Right."},
        {"messages": [ASK, LEFT], "rejected_response": "Right."},
        {"messages": [ASK, LEFT], "rejected_messages": [ASK, RIGHT]},
        {"messages": [ASK, LEFT], "rejected_messages": [RIGHT]},
    ],
)
def test_the_preferred_and_the_other_answer_are_two_branches(line: dict[str, Any]):
    assert recognise(line).source == "openai_messages"
    record = read(line)
    assert tree(record) == [
        ("user", "Which way?", None),
        ("assistant", "Right.", "Which way?"),
        ("assistant", "Left.", "Which way?"),
    ]
    # The preferred one comes last, and so is the primary path, too.
    assert record.active_source_id == record.messages[2].source_id


@pytest.mark.parametrize("other", [{"rejected_response": "Right."}, {"rejected_messages": [RIGHT]}])
def test_the_other_answer_stands_in_the_place_of_all_that_the_model_says_at_the_end(other: dict[str, Any]):
    hm = {"role": "assistant", "content": "Hm."}
    assert tree(read({"messages": [ASK, hm, LEFT], **other})) == [
        ("user", "Which way?", None),
        ("assistant", "Right.", "Which way?"),
        ("assistant", "Hm.", "Which way?"),
        ("assistant", "Left.", "Hm."),
    ]


def test_an_answer_that_nothing_is_preferred_to_follows_its_question():
    record = read({"messages": [ASK], "rejected_messages": [RIGHT]})
    assert tree(record) == [("user", "Which way?", None), ("assistant", "Right.", "Which way?")]
    assert record.active_source_id is None


def test_a_completion_follows_its_prompt():
    record = read({"prompt": [ASK], "completion": [LEFT], "label": False})
    assert [text for _, text, _ in tree(record)] == ["Which way?", "Left."]
    assert record.source_json == {"label": False}


def test_a_completion_that_is_a_text_follows_its_prompt_and_no_answer():
    assert [text for _, text, _ in tree(read({"prompt": [ASK], "completion": "Left."}))] == ["Which way?", "Left."]
    answered = read({"messages": [ASK, LEFT], "completion": "Left."})
    assert [text for _, text, _ in tree(answered)] == ["Which way?", "Left."]
    assert answered.source_json == {"completion": "Left."}


def test_what_one_alternative_has_beside_the_same_message_is_kept():
    record = read({"chosen": [ASK, LEFT], "rejected": [{**ASK, "seen": "twice"}, RIGHT]})
    assert record.messages[0].source == {"seen": "twice"}
    assert record.source_json == {"chosen": [ASK]}
    assert len(record.messages) == 3


def test_results_bear_the_ids_and_names_of_their_calls():
    legacy = {"role": "assistant", "content": None, "function_call": {"name": "walk", "arguments": "north"}}
    messages = [
        ASK,
        {"role": "assistant", "content": None, "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "c1", "content": "a map"},
        legacy,
        {"role": "function", "name": "walk", "content": "walked"},
    ]
    record = read({"messages": messages})
    parts = [part for message in record.messages for part in message.parts if part.tool_use_id]
    assert [(part.part_type.value, part.tool_use_id, part.tool_name) for part in parts] == [
        ("tool_use", "c1", "look"),
        ("tool_result", "c1", "look"),
        ("tool_use", "call-2", "walk"),
        ("tool_result", "call-2", "walk"),
    ]
    assert [message.role for message in record.messages] == ["user", "assistant", "tool", "assistant", "tool"]
    assert not record.warnings


def test_blocks_of_llama_factory_say_in_value_what_others_say_elsewhere():
    call = {"name": "look", "arguments": {"at": "map"}}
    answer = [
        {"type": "reasoning", "value": "Hm."},
        {"type": "text", "value": "I look."},
        {"type": "tool_call", "value": json.dumps(call)},
        {"type": "tool_call", "value": json.dumps(call)},
    ]
    tool = {"role": "tool", "content": [{"type": "text", "value": "both maps"}]}
    again = {"role": "assistant", "content": [{"type": "tool_call", "value": json.dumps(call)}]}
    record = read({"messages": [ASK, {"role": "assistant", "content": answer}, tool, again, tool]})
    found = [[(part.part_type.value, part.text) for part in message.parts] for message in record.messages[1:3]]
    assert found == [
        [("thinking", "Hm."), ("text", "I look."), ("tool_use", None), ("tool_use", None)],
        [("tool_result", "both maps")],
    ]
    assert record.messages[1].parts[2].tool_input == {"at": "map"}
    # One result for two calls is the first one's; what the next turn calls is not answered by what is left open.
    assert [message.parts[0].tool_use_id for message in record.messages[2:]] == ["call-1", "call-3", "call-3"]


@pytest.mark.parametrize(
    "answer",
    [
        {"role": "assistant", "content": "<think>\nHm.\n</think>\n\nLeft."},
        {"role": "assistant", "content": "Left.", "reasoning_content": "Hm."},
        {"role": "assistant", "content": "Left.", "thinking": "Hm."},
    ],
)
def test_what_the_model_thought_is_no_answer(answer: dict[str, Any]):
    parts = read({"messages": [ASK, answer]}).messages[1].parts
    assert [(part.part_type.value, part.text) for part in parts] == [("thinking", "Hm."), ("text", "Left.")]


def test_named_pictures_are_attachments_where_their_marks_are():
    messages = [{"role": "user", "content": "<image>Who?"}, LEFT, {"role": "user", "content": "And <image>?"}]
    record = read({"messages": messages, "images": ["1.jpg", "https://a.example/2.jpg"]})
    files = [[file.file_name or file.uri for file in message.attachments] for message in record.messages]
    assert files == [["1.jpg"], [], ["https://a.example/2.jpg"]]
    [first, *_] = read({"messages": [ASK, LEFT], "image": "3.jpg"}).messages
    assert [file.file_name for file in first.attachments] == ["3.jpg"]


def test_trials_of_one_task_are_dialogues_of_their_own_and_equal_lines_are_one():
    lines = [{"task_id": 1, "trial": trial, "traj": [ASK, LEFT]} for trial in (0, 1, 1)]
    first, second, third = (read(line).source_id for line in lines)
    assert first != second == third
    assert read({"trial": 0, "traj": [LEFT, ASK], "task_id": 1}).source_id != first
    assert read({"traj": [ASK, LEFT], "trial": 0, "task_id": 1}).source_id == first


def test_the_id_of_a_conversation_counts_together_with_its_beginning():
    short, long = (read({"session_id": "s0", "messages": messages}) for messages in ([ASK], [ASK, LEFT]))
    other = read({"session_id": "s0", "messages": [{"role": "user", "content": "Who?"}, LEFT]})
    assert short.source_id == long.source_id != other.source_id
    assert short.source_id is not None
    assert short.source_id.startswith("s0-")
    assert [message.source_id for message in short.messages] == [message.source_id for message in long.messages[:1]]


def test_answers_to_a_prompt_that_has_an_id_are_dialogues_of_their_own():
    left, right = (read({"id": "p1", "messages": [ASK, answer]}) for answer in (LEFT, RIGHT))
    assert left.source_id != right.source_id
    assert left.source_id == read({"id": "p1", "messages": [ASK, LEFT], "score": 1}).source_id


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (
            {"prompt": [LEFT, ASK], "completion": [LEFT]},
            [
                ("assistant", "Left.", None),
                ("user", "Which way?", "Left."),
                ("assistant", "Left.", "Which way?"),
            ],
        ),
        (
            {"prompt": [SYSTEM, ASK], "chosen": [ASK, LEFT], "rejected": [ASK, RIGHT]},
            [
                ("system", "Be brief.", None),
                ("user", "Which way?", "Be brief."),
                ("assistant", "Right.", "Which way?"),
                ("assistant", "Left.", "Which way?"),
            ],
        ),
        (
            {"prompt": [ASK], "completion": [LEFT], "messages": [ASK, LEFT]},
            [("user", "Which way?", None), ("assistant", "Left.", "Which way?")],
        ),
        (
            {"messages": [ASK, LEFT], "prompt": "Which way?", "chosen": [LEFT], "rejected": [RIGHT]},
            [
                ("user", "Which way?", None),
                ("assistant", "Right.", "Which way?"),
                ("assistant", "Left.", "Which way?"),
            ],
        ),
    ],
)
def test_what_arrays_of_a_line_have_in_common_is_there_once(line: dict[str, Any], expected: list[Any]):
    assert tree(read(line)) == expected


@pytest.mark.parametrize("empty", [{"history": None}, {"history": [], "responses": None}])
def test_columns_of_a_table_without_a_value_say_nothing(empty: dict[str, Any]):
    assert recognise({"messages": [{**ASK, "id": None}, {**LEFT, "id": None}], **empty}).source == "openai_messages"


def test_a_conversation_of_a_product_beside_an_array_of_messages_is_found(tmp_path: Path):
    path = tmp_path / "x.json"
    path.write_text(json.dumps({"archived": [chatgpt("c", chain("a"))], "messages": [ASK, LEFT]}))
    [file] = read_paths([path])
    assert [item.record.source for item in file.records() if isinstance(item, ReadDialogue)] == [
        "chatgpt",
        "openai_messages",
    ]


def test_conversations_of_wildchat_have_models_and_times():
    turns = [{**ASK, "turn_identifier": 1, "timestamp": None}, {**LEFT, "timestamp": "2023-04-09T00:02:53+00:00"}]
    line = {
        "conversation_hash": "ab",
        "model": "gpt-4",
        "timestamp": "2023-04-09T00:02:53+00:00",
        "conversation": turns,
        "turn": 1,
        "toxic": False,
    }
    record = read(line)
    assert recognise(line).source == "openai_messages"
    assert [message.model for message in record.messages] == [None, "gpt-4"]
    assert record.updated_at == record.messages[1].created_at is not None
    assert record.messages[0].source == {"turn_identifier": 1}


def test_what_cannot_be_read_of_a_message_is_kept_and_counted():
    odd = [
        {"role": "critic", "content": "Bad."},
        {"role": "user", "content": {"odd": "content"}},
        {"role": "assistant", "content": [{"type": "hologram", "depth": 3}, {"type": "text", "text": "Left."}]},
        {"role": "assistant", "content": "x", "tool_calls": ["no call", CALL]},
        {"role": "tool", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "ref"}]}]},
        "no message",
    ]
    record = read({"messages": odd})
    assert record.warnings == {
        "unknown_role": 1,
        "malformed_content": 2,
        "unknown_part:hologram": 1,
        "unknown_part:ref": 1,
        "malformed_message": 1,
    }
    assert [message.role for message in record.messages] == ["system", "user", "assistant", "assistant", "tool"]
    assert record.messages[0].source == {"role": "critic"}
    assert record.messages[1].source == {"content": {"odd": "content"}}
    assert record.messages[2].parts[0].source == {"block": {"type": "hologram", "depth": 3}}
    assert record.messages[3].source == {"tool_calls": ["no call"]}
    assert record.messages[4].parts[0].tool_name == "look"
    assert record.source_json == {"messages": ["no message"]}


@pytest.mark.parametrize(
    "value",
    [
        {"messages": []},
        {"messages": ["Which way?"]},
        {"messages": [{"role": "user"}]},
        {"messages": [{"role": "player", "content": "Left."}]},
        {"messages": [{**ASK, "id": "1"}, {**LEFT, "id": "2", "parentId": "1"}]},
        {"messages": [{"messageId": "m", "parentMessageId": "0", "sender": "User", "text": "Which way?"}]},
        {"conversationId": "c", "messages": [ASK, LEFT]},
        {"sessionId": "s", "messages": [ASK, LEFT]},
        {"title": "t", "linear_conversation": [], "messages": [ASK]},
        {"input": {"messages": [ASK]}, "output": "Left."},
    ],
)
def test_arrays_of_others_are_not_claimed(value: dict[str, Any]):
    assert not recognise(value).is_recognised


def test_a_preference_with_an_unknown_role_is_one_dialogue(tmp_path: Path):
    critic = {"role": "critic", "content": "Right."}
    line = {"input": {"messages": [ASK]}, "preferred_output": [LEFT], "non_preferred_output": [critic]}
    path = tmp_path / "dpo.json"
    path.write_text(json.dumps([line]))
    [item] = [item for file in read_paths([path]) for item in file.records()]
    assert isinstance(item, ReadDialogue)
    assert len(item.record.messages) == 3


def test_a_file_of_lines_has_a_dialogue_each_and_says_what_is_none(tmp_path: Path):
    path = tmp_path / "train.jsonl"
    lines = [
        {"messages": [ASK, LEFT]},
        {"messages": [ASK, {"role": "critic", "content": "?"}]},
        {"text": "no messages"},
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    items = [item for file in read_paths([path]) for item in file.records()]
    assert [len(item.record.messages) for item in items if isinstance(item, ReadDialogue)] == [2, 2]
    [rejected] = [item for item in items if isinstance(item, RejectedRecord)]
    assert "keys text" in rejected.reason


def test_an_object_without_an_array_is_rejected():
    assert isinstance(read_line({"messages": "none"}, "x"), RejectedRecord)


@given(st.integers(0, 2**32))
@trials(30)
def test_each_message_has_an_id_and_follows_the_one_before_it(seed: int):
    value = conversation(Random(seed), Marks())  # noqa: S311 - a test's
    record = read(value)
    assert read(json.loads(json.dumps(value))) == record
    ids = [message.source_id for message in record.messages]
    assert len(set(ids)) == len(ids)
    before: set[str | None] = {None}
    for message in record.messages:
        assert message.parent_source_id in before
        before.add(message.source_id)
    roots = [message.role for message in record.messages if message.parent_source_id is None]
    # Two answers that nothing stands before begin a tree each.
    assert len(roots) == 1 or roots == ["assistant"] * 2
    assert not prepare(record, b"").counts["missing_parent"]


@pytest.mark.parametrize("name", ["messages", "conversations"])
@pytest.mark.parametrize("damaged", [0, 1, 2])
def test_a_line_that_is_cut_off_costs_itself(tmp_path: Path, name: str, damaged: int):
    words = ("role", "content") if name == "messages" else ("from", "value")
    said = [[dict(zip(words, ("user", f"{number}?"), strict=True))] for number in range(4)]
    written = [json.dumps({name: messages * 2}) for messages in said]
    written[damaged] = written[damaged][:-7]
    (tmp_path / "data.jsonl").write_text("\n".join(written) + "\n")
    items = [item for file in read_paths([tmp_path / "data.jsonl"]) for item in file.records()]
    told = [item.record.messages[0].parts[0].text for item in items if isinstance(item, ReadDialogue)]
    assert told == [f"{number}?" for number in range(4) if number != damaged]
    (rejected,) = [item for item in items if isinstance(item, RejectedRecord)]
    assert f"at byte {sum(len(line) + 1 for line in written[:damaged])} is broken" in rejected.reason
