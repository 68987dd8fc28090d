"""What looks like a conversation though no reader knows it: somebody speaks and says something."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from archive_pipeline.readers.likeness import may_be_conversation
from archive_pipeline.readers.reading import read_paths

SAID = {"sender": "Human", "text": "Is the tide in?"}


@pytest.mark.parametrize(
    "value",
    [
        {"id": "1", "chatId": "c", "role": "user", "content": "hi", "createdAt": "2025-01-01T00:00:00Z"},
        {"from": "bot", "body": [{"markdown": "Yes."}]},
        {"author": {"role": "assistant"}, "content": {"parts": ["Yes."]}},
        {"nodes": {"a": {"data": {"turns": [1, SAID]}}}},
        {"prompt": "Is the tide in?", "response": "Yes.", "model": "m"},
    ],
)
def test_a_message_or_conversation_of_any_format_looks_like_one(value: Any):
    assert may_be_conversation(value)


@pytest.mark.parametrize(
    "value",
    [
        {"email": "a@example.org", "role": "user", "name": "A"},
        {"role": "system", "content": "You are a pilot."},
        {"role": "user", "content": ""},
        {"type": "message", "user": "U1", "text": "hi"},
        {"header": "Search", "title": "Searched for tides", "products": ["Search"]},
        {"content": "Write the tests", "status": "pending"},
        {"prompt": "A harbour", "width": 512},
        {"question": {"id": 1}, "answer": {"id": 2}},
        [1, "user"],
        "user",
    ],
)
def test_other_records_do_not(value: Any):
    assert not may_be_conversation(value)


@pytest.mark.parametrize("record", [{"title": "x", "mapping": {}}, SAID])
def test_an_array_is_rejected_of_which_a_record_looks_like_one_or_speaks_for_a_source(tmp_path: Path, record: Any):
    (tmp_path / "records.json").write_text(json.dumps([{"place": "harbour"}, record]))
    reading = read_paths([tmp_path])
    [rejected] = [item for file in reading for item in file.records()]
    assert rejected.reason.startswith("no known export format: an array whose first record is")
    assert reading.skipped == []
