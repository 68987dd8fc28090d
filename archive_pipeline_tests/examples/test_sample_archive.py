"""The sample archive is what its README says: counts here are taken by hand."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

SAMPLE = Path(__file__).parents[2] / "examples" / "sample_archive"
CLAUDE_ROOT = "00000000-0000-4000-8000-000000000000"

# title: (messages, branch points, leaves)
CHATGPT = {
    "Sourdough in a cold kitchen": (9, 1, 3),
    "Comparing two electricity tariffs": (13, 0, 1),
    "Ferry to Lindholm island": (9, 0, 1),
    None: (8, 0, 1),
    "Newsletter for the garden": (9, 1, 2),
    "Plant on the north wall": (7, 0, 1),
    "The lighthouse that hummed": (7, 0, 1),
    "Cold kitchen, slow dough": (7, 0, 1),
}
CLAUDE_AI = {
    "Cycling week along the canal": (7, 1, 2),
    "Counting lines in a door log": (8, 1, 2),
    "Letter to the library": (10, 0, 1),
    "A dry day for the picnic": (6, 0, 1),
    "Minutes of the spring meeting": (6, 0, 1),
    "": (8, 0, 1),
    "Tides for a ten-year-old": (6, 0, 1),
}


def load(name: str) -> Any:
    return json.loads((SAMPLE / name).read_text(encoding="utf-8"))


def shape(parents: dict[str, str | None]) -> tuple[int, int, int]:
    """Return (messages, branch points, leaves) of a tree given as message -> parent message."""
    children = Counter(parent for parent in parents.values() if parent is not None)
    assert set(children) <= set(parents)
    return len(parents), sum(count > 1 for count in children.values()), len(set(parents) - set(children))


def chatgpt_parents(dialogue: dict[str, Any]) -> dict[str, str | None]:
    mapping = dialogue["mapping"]
    return {
        key: node["parent"] if mapping[node["parent"]]["message"] else None
        for key, node in mapping.items()
        if node["message"]
    }


def claude_parents(dialogue: dict[str, Any]) -> dict[str, str | None]:
    parents: dict[str, str | None] = {}
    before = CLAUDE_ROOT
    for message in dialogue["chat_messages"]:
        parent = message.get("parent_message_uuid", before)
        parents[message["uuid"]] = None if parent == CLAUDE_ROOT else parent
        before = message["uuid"]
    return parents


def content_types() -> set[str]:
    nodes = (node for dialogue in load("chatgpt/conversations.json") for node in dialogue["mapping"].values())
    return {node["message"]["content"]["content_type"] for node in nodes if node["message"]}


def test_chatgpt_dialogues_have_the_shapes_the_readme_gives():
    dialogues = load("chatgpt/conversations.json")
    assert {dialogue["title"]: shape(chatgpt_parents(dialogue)) for dialogue in dialogues} == CHATGPT
    assert len(dialogues) == 8
    assert sum(messages for messages, _, _ in CHATGPT.values()) == 69


def test_claude_ai_dialogues_have_the_shapes_the_readme_gives():
    dialogues = load("claude_ai/conversations.json")
    assert {dialogue["name"]: shape(claude_parents(dialogue)) for dialogue in dialogues} == CLAUDE_AI
    assert len(dialogues) == 7
    assert sum(messages for messages, _, _ in CLAUDE_AI.values()) == 51


def test_chatgpt_nodes_agree_about_parents_and_children():
    for dialogue in load("chatgpt/conversations.json"):
        mapping = dialogue["mapping"]
        assert dialogue["current_node"] in mapping
        assert [key for key, node in mapping.items() if node["parent"] is None] == [
            key for key, node in mapping.items() if node["message"] is None
        ]
        for key, node in mapping.items():
            assert node["id"] == key
            assert node["children"] == [child for child, other in mapping.items() if other["parent"] == key]


def test_citations_point_at_their_place_in_the_text():
    spans = []
    for dialogue in load("chatgpt/conversations.json"):
        for node in dialogue["mapping"].values():
            if node["message"]:
                text = "".join(part for part in node["message"]["content"].get("parts", []) if isinstance(part, str))
                metadata = node["message"]["metadata"]
                spans += [text[c["start_ix"] : c["end_ix"]] for c in metadata.get("citations", [])]
                spans += [text[c["start_idx"] : c["end_idx"]] for c in metadata.get("content_references", [])]
    assert sorted(spans) == ["【5†source】", "\ue200cite\ue202turn0search1\ue201"]


def test_every_kind_of_chatgpt_content_is_there():
    assert content_types() == {
        "text",
        "code",
        "execution_output",
        "multimodal_text",
        "reasoning_recap",
        "tether_browsing_display",
        "tether_quote",
        "thoughts",
        "user_editable_context",
    }


def test_every_kind_of_claude_ai_block_is_there():
    messages = [message for dialogue in load("claude_ai/conversations.json") for message in dialogue["chat_messages"]]
    blocks = {block["type"] for message in messages for block in message["content"]}
    assert blocks == {"text", "thinking", "tool_use", "tool_result"}
    assert [message["sender"] for message in messages if not message["content"]] == ["human"]
    assert [a["file_name"] for message in messages for a in message["attachments"]] == ["", "tools.csv"]
    assert sum("parent_message_uuid" not in message for message in messages) == 10


@pytest.mark.parametrize("source", ["chatgpt", "claude_ai"])
def test_ids_are_used_once(source: str):
    dialogues = load(f"{source}/conversations.json")
    if source == "chatgpt":
        ids = [d["id"] for d in dialogues] + [key for d in dialogues for key in chatgpt_parents(d)]
    else:
        ids = [d["uuid"] for d in dialogues] + [key for d in dialogues for key in claude_parents(d)]
    assert len(ids) == len(set(ids))


def test_the_readme_names_every_dialogue_with_its_shape():
    readme = (SAMPLE / "README.md").read_text(encoding="utf-8")
    for title, (messages, branch_points, leaves) in {**CHATGPT, **CLAUDE_AI}.items():
        name = {None: "(no title: `null`)", "": '(empty title: `""`)'}.get(title, title)
        assert f"| {name} | {messages} | {branch_points} | {leaves} |" in readme
