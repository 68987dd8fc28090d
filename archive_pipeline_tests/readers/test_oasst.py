"""Open Assistant: replies are alternatives, deleted messages hidden, messages that stand alone come together."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.domain.records import DialogueRecord, RejectedRecord
from archive_pipeline.ingest.prepare import prepare
from archive_pipeline.readers.oasst.dialogue import read_tree
from archive_pipeline.readers.reading import ReadDialogue, read_paths
from archive_pipeline.readers.registry import readers, recognise
from archive_pipeline_tests.trials import trials

BESIDE = {"lang": "en", "review_count": 3, "review_result": True, "deleted": False, "synthetic": False}


def node(name: str, role: str, text: str, *replies: Any, parent: str | None = None, **more: Any) -> dict[str, Any]:
    pointer = {} if parent is None else {"parent_id": parent}
    return {"message_id": name, **pointer, "text": text, "role": role, **BESIDE, **more, "replies": list(replies)}


TREE = {
    "message_tree_id": "p",
    "tree_state": "ready_for_export",
    "prompt": node(
        "p",
        "prompter",
        "why is the sky blue?",
        node(
            "a1",
            "assistant",
            "it scatters",
            node("q1", "prompter", "what does?", parent="a1", created_date="2023-02-05T15:00:00+00:00"),
            parent="p",
            rank=0,
        ),
        node("a2", "assistant", "no idea", parent="p", rank=1, synthetic=True, model_name="chip20b"),
        node("a3", "assistant", "spam", parent="p", deleted=True),
        created_date="2023-02-05T14:23:50.983374+00:00",
    ),
}


def flat(tree: dict[str, Any]) -> list[dict[str, Any]]:
    """The messages of a tree as the published files have them, one by one."""
    waiting, messages = [tree["prompt"]], []
    while waiting:
        item = waiting.pop()
        waiting += reversed(item["replies"])
        messages.append({**item, "message_tree_id": tree["message_tree_id"]})
        del messages[-1]["replies"]
    return messages


def read(value: dict[str, Any]) -> DialogueRecord:
    record = read_tree(value, "trees.jsonl[0]")
    assert isinstance(record, DialogueRecord)
    return record


def records_of(path: Path, text: str) -> tuple[list[DialogueRecord], list[RejectedRecord]]:
    path.write_text(text, encoding="utf-8")
    items = [item for file in read_paths([path]) for item in file.records()]
    return (
        [item.record for item in items if isinstance(item, ReadDialogue)],
        [item for item in items if isinstance(item, RejectedRecord)],
    )


def lines(values: list[Any]) -> str:
    return "".join(f"{json.dumps(value)}\n" for value in values)


def said(record: DialogueRecord) -> set[tuple[str | None, str | None, str, str | None]]:
    return {(m.source_id, m.parent_source_id, m.role, m.parts[0].text) for m in record.messages}


def test_replies_are_alternatives_each_below_what_it_answers():
    record = read(TREE)
    assert (record.source, record.source_id, record.title) == ("oasst", "p", None)
    assert record.created_at == datetime(2023, 2, 5, 14, 23, 50, 983374, tzinfo=UTC)
    assert record.updated_at == datetime(2023, 2, 5, 15, tzinfo=UTC)
    assert [(m.source_id, m.parent_source_id, m.role, m.model, m.is_hidden) for m in record.messages] == [
        ("p", None, "user", None, False),
        ("a1", "p", "assistant", None, False),
        ("q1", "a1", "user", None, False),
        ("a2", "p", "assistant", "chip20b", False),
        ("a3", "p", "assistant", None, True),
    ]
    assert record.messages[1].source == {**BESIDE, "rank": 0}
    assert record.messages[2].source == {**BESIDE, "role": "prompter", "created_date": "2023-02-05T15:00:00+00:00"}
    assert record.source_json == {"message_tree_id": "p", "tree_state": "ready_for_export"}
    assert not record.warnings


def test_messages_without_ids_keep_their_replies():
    tree = {"message_tree_id": "t", "prompt": {"role": "prompter", "text": "a", "replies": [{"role": "assistant"}]}}
    tree["prompt"]["replies"] += [7, {"role": "robot", "text": ["x"]}]
    record = read(tree)
    assert [(m.source_id, m.parent_source_id) for m in record.messages] == [
        ("node-1", None),
        ("node-2", "node-1"),
        ("node-3", "node-1"),
    ]
    assert record.warnings == {"malformed_message": 1, "unknown_role": 1, "malformed_text": 1}
    assert record.source_json == {"message_tree_id": "t", "messages": [7]}


def test_a_second_message_of_an_id_stays_beside_the_first_with_its_replies_below():
    again = node("a", "assistant", "other", node("q", "prompter", "go on", parent="a"), parent="p")
    tree = {"message_tree_id": "p", "prompt": node("p", "prompter", "x", node("a", "assistant", "y"), again)}
    record = read(tree)
    assert [(m.source_id, m.parent_source_id) for m in record.messages] == [("p", None), ("a", "p"), ("q", "a")]
    assert [item["text"] for item in record.source_json["messages"]] == ["other"]
    assert record.warnings == {"duplicate_message": 1}


def test_a_tree_without_a_prompt_is_rejected():
    record = read_tree({"message_tree_id": "t", "tree_state": "aborted_low_grade", "prompt": None}, "x[0]")
    assert isinstance(record, RejectedRecord)
    assert record.reason == "the tree has no 'prompt', so no messages"


@pytest.mark.parametrize(
    ("value", "confidence"),
    [
        (TREE, 1.0),
        ({"tree": "p", "messages": flat(TREE)}, 1.0),
        ({"prompt": TREE["prompt"]}, 0.9),
        ({"message_tree_id": "t", "prompt": None}, 0.1),
        ({"prompt": "draw a cat"}, 0.0),
        ({"messages": [{"role": "assistant", "text": "x", "message_id": "m", "parent_id": None}]}, 0.0),
        ({"tree": "x", "messages": [{"role": "user", "content": "x"}]}, 0.0),
        (flat(TREE)[0], 0.0),
    ],
)
def test_a_tree_is_told_by_its_messages(value: dict[str, Any], confidence: float):
    assert readers()["oasst"].recognise(value).confidence == confidence
    assert (recognise(value).source == "oasst") == bool(confidence)


def test_lines_of_messages_are_the_dialogues_that_their_trees_are(tmp_path: Path):
    other = {"message_tree_id": "o", "prompt": node("o", "prompter", "how?")}
    trees, _ = records_of(tmp_path / "trees.jsonl", lines([TREE, other]))
    messages, rejected = records_of(tmp_path / "messages.jsonl", lines([*flat(TREE), *flat(other)]))
    assert not rejected
    assert [record.locator for record in messages] == [f"{tmp_path / 'messages.jsonl'}[{at}]" for at in range(2)]
    for tree, gathered in zip(trees, messages, strict=True):
        hashes = [[m.content_hash for m in prepare(record, b"{}").messages] for record in (tree, gathered)]
        assert hashes[0] == hashes[1]
        assert (tree.source_id, said(tree)) == (gathered.source_id, said(gathered))


@given(st.permutations(flat(TREE) + flat({"message_tree_id": "o", "prompt": node("o", "prompter", "how?")})))
@trials(15)
def test_messages_of_a_tree_come_together_in_whatever_order_they_stand(tmp_path_factory, messages: list[Any]):
    path = tmp_path_factory.mktemp("messages") / "x.jsonl"
    records, rejected = records_of(path, lines(messages))
    assert not rejected
    assert {record.source_id: said(record) for record in records}["p"] == said(read(TREE))


AS_TAKEN_IN = [
    {"task_message_id": "t1", "user_message_id": "u1", "parent_message_id": None, "role": "prompter", "text": "one"},
    {"task_message_id": "t2", "user_message_id": "u2", "parent_message_id": "u1", "role": "assistant", "text": "two"},
    {"task_message_id": "t3", "user_message_id": "u3", "parent_message_id": None, "role": "prompter", "text": "three"},
]


def test_messages_that_name_no_tree_begin_one_where_they_have_no_parent(tmp_path: Path):
    records, rejected = records_of(tmp_path / "seed.json", json.dumps(AS_TAKEN_IN, indent=2))
    assert not rejected
    assert [(record.source_id, said(record)) for record in records] == [
        ("u1", {("u1", None, "user", "one"), ("u2", "u1", "assistant", "two")}),
        ("u3", {("u3", None, "user", "three")}),
    ]
    assert [m.source for m in records[0].messages] == [
        {"task_message_id": "t1", "role": "prompter"},
        {"task_message_id": "t2"},
    ]


def test_what_is_no_message_between_messages_is_rejected_by_name(tmp_path: Path):
    text = lines(flat(TREE)).replace("\n", '\n{"role": "prompter", "te\n[1]\n', 1)
    [record], rejected = records_of(tmp_path / "x.jsonl", text)
    assert said(record) == said(read(TREE))
    assert ["unreadable_line" in (item.excerpt or "") for item in rejected] == [True, False]


def test_an_array_of_messages_that_is_cut_off_gives_those_before_and_says_so(tmp_path: Path):
    whole = json.dumps(AS_TAKEN_IN)
    records, rejected = records_of(tmp_path / "x.json", whole[:-20])
    assert [record.source_id for record in records] == ["u1"]
    assert [item.whole_file for item in rejected] == [False, True]
