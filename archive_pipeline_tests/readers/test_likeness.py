"""What looks like a conversation though no reader knows it: somebody speaks and says something."""

from __future__ import annotations

from typing import Any

import pytest

from archive_pipeline.readers.likeness import may_be_conversation

SAID = {"sender": "Human", "text": "Is the tide in?"}


@pytest.mark.parametrize(
    "value",
    [
        {"id": "1", "chatId": "c", "role": "user", "content": "hi", "createdAt": "2025-01-01T00:00:00Z"},
        {"from": "bot", "body": [{"markdown": "Yes."}]},
        {"author": {"role": "assistant"}, "content": {"parts": ["Yes."]}},
        {"nodes": {"a": {"data": {"turns": [1, SAID]}}}},
        {"prompt": "Is the tide in?", "response": "Yes.", "model": "m"},
        {"title": "x", "mapping": {}},
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
