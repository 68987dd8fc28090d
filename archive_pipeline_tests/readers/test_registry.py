"""Readers are found by what they declare, and recognise by what is in a record, not by a key that others have too."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

import archive_pipeline.readers
from archive_pipeline.domain.records import RejectedRecord
from archive_pipeline.errors import ConfigurationError
from archive_pipeline.readers.reading import read_paths
from archive_pipeline.readers.recognised import ReadDialogue
from archive_pipeline.readers.registry import readers, recognise, tried
from archive_pipeline_tests.exports import chain, chatgpt, claude

TOY = """
from archive_pipeline.domain.records import DialogueRecord, MessageRecord, PartRecord, PartType
from archive_pipeline.readers.declaration import Evidence, Reader


def recognise(value):
    return Evidence(1.0, "lines of a toy") if "toy_lines" in value else Evidence(0.0, "no toy_lines")


def read(value, locator):
    messages = tuple(
        MessageRecord(None, None, "user", (PartRecord(PartType.TEXT, line),)) for line in value["toy_lines"]
    )
    return DialogueRecord("{source}", value["id"], locator, messages=messages, is_linear_source=True)


READER = Reader("{source}", "A toy", 1, recognise, read)
"""


@pytest.fixture
def toys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A folder that belongs to the package while the test runs; what is in it is forgotten afterwards."""
    folder = tmp_path / "readers"
    folder.mkdir()
    monkeypatch.setattr(
        archive_pipeline.readers, "__path__", [*archive_pipeline.readers.__path__, str(folder)], raising=True
    )
    readers.cache_clear()
    yield folder
    readers.cache_clear()
    for name in [name for name in sys.modules if name.startswith("archive_pipeline.readers.toy")]:
        del sys.modules[name]


def read(path: Path, source: str | None = None):
    reading = read_paths([path], source=source)
    items = [item for file in reading for item in file.records()]
    return [item for item in items if isinstance(item, ReadDialogue)], [
        item for item in items if isinstance(item, RejectedRecord)
    ]


def test_the_readers_are_in_the_order_of_their_names_and_declare_a_version():
    assert list(readers()) == sorted(readers())
    assert {"chatgpt", "claude_ai"} <= set(readers())
    assert all(
        reader.source == source and reader.version and reader.description for source, reader in readers().items()
    )


def test_a_module_that_declares_a_reader_is_one(toys: Path, tmp_path: Path):
    (toys / "toy_one.py").write_text(TOY.replace("{source}", "toy"))
    path = tmp_path / "x.json"
    path.write_text(json.dumps([{"id": "t", "toy_lines": ["a", "b"]}]))
    [dialogue], rejected = read(path)
    assert not rejected
    assert [message.parts[0].text for message in dialogue.record.messages] == ["a", "b"]


def test_two_readers_of_one_source_are_an_error(toys: Path):
    (toys / "toy_one.py").write_text(TOY.replace("{source}", "toy"))
    (toys / "toy_two.py").write_text(TOY.replace("{source}", "toy"))
    with pytest.raises(ConfigurationError, match="two readers declare the source 'toy'"):
        readers()


def slim(message: dict[str, Any]) -> dict[str, Any]:
    return {"id": "c", "title": "T", "mapping": {"a": {"id": "a", "parent": None, "message": message}}}


AUTHOR = {"author": {"role": "user"}}
CONTENT = {"content": {"content_type": "text", "parts": ["x"]}}


@pytest.mark.parametrize(
    ("value", "source", "is_enough"),
    [
        (chatgpt("c", chain("a")), "chatgpt", True),
        (slim({**AUTHOR, **CONTENT}), "chatgpt", True),
        (slim(AUTHOR), "chatgpt", True),
        (slim({"text": "somebody else's"}), None, False),
        ({"mapping": {}, "current_node": None}, "chatgpt", True),
        ({"mapping": {}}, "chatgpt", False),
        ({"mapping": [1]}, "chatgpt", False),
        (claude("u", "hi"), "claude_ai", True),
        ({"uuid": "u", "chat_messages": []}, "claude_ai", True),
        ({"chat_messages": [{"role": "user", "body": "x"}]}, "claude_ai", False),
        ({"uuid": "p", "name": "n", "created_at": "t", "docs": []}, None, False),
        ({"a": 1}, None, False),
        ([1], None, False),
    ],
)
def test_a_record_is_recognised_by_what_is_in_it(value: Any, source: str | None, is_enough: bool):
    verdict = recognise(value)
    assert (verdict.source, verdict.is_recognised) == (source, is_enough)
    assert verdict.evidence.reason


def test_what_was_tried_is_said_of_a_file_that_nobody_recognises(tmp_path: Path):
    path = tmp_path / "x.json"
    path.write_text(json.dumps([slim({"text": "somebody else's"})]))
    dialogues, [rejected] = read(path)
    assert not dialogues
    assert rejected.whole_file
    assert "chatgpt: messages in a mapping, but none with author or content" in rejected.reason
    assert "claude_ai: no chat_messages" not in rejected.reason  # which is not what it looks like
    assert tried(7) == ""


def test_the_source_that_is_named_reads_what_nobody_recognises(tmp_path: Path):
    path = tmp_path / "x.json"
    path.write_text(json.dumps([slim({"text": "somebody else's"})]))
    [dialogue], rejected = read(path, "chatgpt")
    assert not rejected
    assert dialogue.record.source == "chatgpt"


@pytest.mark.parametrize("is_last", [False, True])
def test_a_conversation_of_weak_evidence_is_read_in_a_file_of_its_source_wherever_it_stands(
    tmp_path: Path, is_last: bool
):
    path = tmp_path / "x.json"
    weak = {"id": "w", "title": "weak", "mapping": {}}
    strong = chatgpt("c", chain("a"), title="strong")
    path.write_text(json.dumps([strong, weak] if is_last else [weak, strong]))
    dialogues, rejected = read(path)
    assert not rejected
    assert {dialogue.record.title for dialogue in dialogues} == {"weak", "strong"}


def test_weak_evidence_alone_imports_nothing(tmp_path: Path):
    path = tmp_path / "x.json"
    path.write_text(json.dumps([{"id": "w", "mapping": {}, "unknown": 1}]))
    dialogues, [rejected] = read(path)
    [file] = read_paths([path])
    assert len(list(file.records())) == 1
    assert file.drift.found == {}
    assert not dialogues
    assert "no known export format" in rejected.reason


def test_a_rejected_file_names_what_the_likeliest_readers_missed(tmp_path: Path):
    def told(value: Any) -> str:
        path = tmp_path / "x.json"
        path.write_text(json.dumps(value))
        _, [rejected] = read(path)
        return rejected.reason.partition("(tried ")[2]

    assert told({"hello": "world"}) == f"{len(readers())} readers)"
    assert told({"role": "user", "steps": [], "chunkedPrompt": {}}) == (
        "ai_studio: a chunkedPrompt, but no chunks with a role; "
        "atif: steps, but none with step_id, source and message; "
        f"openai_messages: no array of messages with role and content; {len(readers()) - 3} others)"
    )


def test_objects_before_the_first_conversation_are_held_within_bounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("archive_pipeline.readers.anomalies.MAX_HELD_MEMORY", 20_000)
    weak = [{"id": str(at), "title": "weak", "mapping": {}} for at in range(100)]
    path = tmp_path / "x.json"
    path.write_text(json.dumps([*weak, chatgpt("c", chain("a"))]))
    dialogues, rejected = read(path)
    assert 1 < len(dialogues) < 101
    assert len(dialogues) + len(rejected) == 101
    assert all("too much stands before" in record.reason for record in rejected)


def test_a_long_object_before_the_first_conversation_is_read(tmp_path: Path):
    path = tmp_path / "x.json"
    weak = {"id": "w", "title": "weak", "mapping": {}, "notes": "x" * 2_000_000}
    path.write_text(json.dumps([weak, chatgpt("c", chain("a"))]))
    dialogues, rejected = read(path)
    assert not rejected
    assert [dialogue.record.source_id for dialogue in dialogues] == ["w", "c"]


def bare(conversation: dict[str, Any], *names: str) -> dict[str, Any]:
    """A copy of a conversation of ChatGPT whose messages lack some fields, and its nodes their children."""
    copy: dict[str, Any] = json.loads(json.dumps(conversation))
    for node in copy["mapping"].values():
        node.pop("children", None)
        for name in names:
            node["message"].pop(name, None)
    return copy
