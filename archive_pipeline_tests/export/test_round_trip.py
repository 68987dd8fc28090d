"""What is exported for training comes back by an import, with the texts that it has."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from archive_pipeline.domain.records import DialogueRecord, PartType
from archive_pipeline.export.run import Exported
from archive_pipeline.readers.reading import ReadDialogue, read_paths

pytestmark = pytest.mark.postgres

# Fields of lines with arrays of messages.
ARRAYS = ("messages", "prompt", "completion", "chosen", "rejected")
CHOICES: dict[str, dict[str, Any]] = {
    "openai": {"paths": "all"},
    "trl-sft": {"paths": "all"},
    "trl-dpo": {},
    "trl-kto": {},
}


def said_in(line: dict[str, Any]) -> set[tuple[str, str | None]]:
    messages = [message for name in ARRAYS for message in line.get(name, [])]
    return {(message["role"], message["content"] or None) for message in messages}


def read_back(path: Path, source: str) -> list[DialogueRecord]:
    [file] = read_paths([path])
    items = list(file.records())
    assert all(isinstance(item, ReadDialogue) for item in items)
    records = [item.record for item in items if isinstance(item, ReadDialogue)]
    assert {record.source for record in records} == {source}
    assert not any(record.warnings for record in records)
    return records


def said_of(record: DialogueRecord) -> set[tuple[str, str | None]]:
    spoken = (PartType.TEXT, PartType.TOOL_RESULT)
    return {
        (message.role, "".join(part.text or "" for part in message.parts if part.part_type in spoken) or None)
        for message in record.messages
    }


def values_in(line: dict[str, Any]) -> list[str]:
    return [turn["value"] for turn in line["conversations"] if turn["from"] != "function_call"]


def texts_of(record: DialogueRecord) -> list[str]:
    return [text for message in record.messages for part in message.parts if (text := part.text)]


def test_lines_of_chats_come_back(exported: Callable[..., Exported]):
    for name, choices in CHOICES.items():
        path = exported(name, **choices).path / "data.jsonl"
        lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        assert lines
        assert [said_of(record) for record in read_back(path, "openai_messages")] == list(map(said_in, lines))
    path = exported("sharegpt", paths="all").path / "data.jsonl"
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert any(turn["from"] == "function_call" for line in lines for turn in line["conversations"])
    assert [texts_of(record) for record in read_back(path, "sharegpt")] == list(map(values_in, lines))
