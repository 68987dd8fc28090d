"""The corpus generator: the same seed gives the same bytes, and its counts are those of the file."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from benchmarks.corpus import CONTINUATIONS, CorpusCounts, main, write_corpus


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> tuple[CorpusCounts, list[dict[str, Any]]]:
    path = tmp_path_factory.mktemp("corpus") / "conversations.json"
    counts = write_corpus(path, dialogues=300, seed=7)
    assert counts.bytes == path.stat().st_size
    return counts, json.loads(path.read_text(encoding="utf-8"))


def messages_of(dialogue: dict[str, Any]) -> list[dict[str, Any]]:
    return [node["message"] for node in dialogue["mapping"].values() if node["message"]]


def sibling_roles(dialogue: dict[str, Any]) -> list[set[str]]:
    mapping = dialogue["mapping"]
    return [
        {mapping[child]["message"]["author"]["role"] for child in node["children"]}
        for node in mapping.values()
        if len(node["children"]) > 1
    ]


def text_of(message: dict[str, Any]) -> str:
    content = message["content"]
    return content["text"] if "text" in content else "".join(content.get("parts", []))


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path):
    first, again, other = tmp_path / "first", tmp_path / "again", tmp_path / "other"
    assert write_corpus(first, dialogues=20, seed=1) == write_corpus(again, dialogues=20, seed=1)
    write_corpus(other, dialogues=20, seed=2)
    assert first.read_bytes() == again.read_bytes() != other.read_bytes()


def test_counts_are_those_of_the_file(corpus):
    counts, dialogues = corpus
    assert counts.dialogues == len(dialogues) == 300
    assert counts.messages == sum(len(messages_of(dialogue)) for dialogue in dialogues)
    assert counts.messages / counts.dialogues == pytest.approx(20, rel=0.1)


def test_an_empty_corpus_is_an_empty_list(tmp_path: Path):
    path = tmp_path / "conversations.json"
    assert write_corpus(path, dialogues=0, seed=1).messages == 0
    assert json.loads(path.read_text(encoding="utf-8")) == []


def test_nodes_agree_about_parents_and_children(corpus):
    for dialogue in corpus[1]:
        mapping = dialogue["mapping"]
        pairs = {(key, child) for key, node in mapping.items() for child in node["children"]}
        assert pairs == {(node["parent"], key) for key, node in mapping.items() if node["parent"]}
        assert mapping[dialogue["current_node"]]["children"] == []
        assert sum(node["parent"] is None for node in mapping.values()) == 1


def test_ids_are_used_once(corpus):
    ids = [key for dialogue in corpus[1] for key in (dialogue["id"], *dialogue["mapping"])]
    assert len(ids) == len(set(ids))


def test_answers_are_regenerated_and_prompts_edited(corpus):
    siblings = [roles for dialogue in corpus[1] for roles in sibling_roles(dialogue)]
    prompts = sum(message["author"]["role"] == "user" for dialogue in corpus[1] for message in messages_of(dialogue))
    regenerated, edited = siblings.count({"assistant"}), siblings.count({"user"})
    assert regenerated + edited == len(siblings)
    assert regenerated / prompts == pytest.approx(0.075, rel=0.3)
    assert edited / prompts == pytest.approx(0.037, rel=0.4)


def test_tools_hidden_messages_and_continuations_occur(corpus):
    messages = [message for dialogue in corpus[1] for message in messages_of(dialogue)]
    kinds = Counter((message["author"]["role"], message["content"]["content_type"]) for message in messages)
    assert kinds["assistant", "code"] == kinds["tool", "execution_output"] > 100
    assert kinds["system", "text"] == 300
    assert kinds["user", "user_editable_context"] > 100
    assert sum(text_of(message) in CONTINUATIONS for message in messages) > 20


def test_lengths_are_near_those_of_real_archives(corpus):
    texts = [text_of(message) for dialogue in corpus[1] for message in messages_of(dialogue)]
    lengths = [len(text) for text in texts if text]
    assert sum(lengths) / len(lengths) == pytest.approx(940, rel=0.1)


def test_the_command_line_writes_the_file_and_prints_its_counts(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = tmp_path / "conversations.json"
    main(["--dialogues", "3", "--seed", "5", "--out", str(path)])
    assert len(json.loads(path.read_text(encoding="utf-8"))) == 3
    assert capsys.readouterr().out.startswith("3 dialogues, ")
