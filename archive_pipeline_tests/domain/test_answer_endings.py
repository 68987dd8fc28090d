"""What vendors say of the end of an answer."""

from __future__ import annotations

import pytest

from archive_pipeline.domain.answer_endings import STREAM_ENDED, why_cut_off, why_not_whole

LIMIT = "the model reached its limit of tokens"


@pytest.mark.parametrize(
    ("response", "why"),
    [
        (None, None),
        ("text", None),
        ({}, None),
        ({"finish_reason": "stop", "object": "chat.completion.chunk"}, None),
        ({"object": "chat.completion.chunk", "content": "Half"}, STREAM_ENDED),
        ({"object": "chat.completion", "choices": [{"finish_reason": "length"}]}, LIMIT),
        ({"object": "chat.completion", "choices": [{"finish_reason": "stop"}]}, None),
        ({"object": "chat.completion", "choices": []}, None),
        ({"stop_reason": "max_tokens"}, LIMIT),
        ({"stop_reason": "end_turn"}, None),
        ({"object": "response", "status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}, LIMIT),
    ],
)
def test_answers_that_are_not_whole_say_why(response: object, why: str | None):
    assert why_not_whole(response) == why


def test_a_reason_that_is_not_known_is_repeated_in_short():
    assert why_cut_off("x" * 100) == f"the model stopped ({'x' * 40})"
