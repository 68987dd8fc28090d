"""Values of spans that no producer means to write, and those whose kind the notation hides."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from archive_pipeline_tests.readers.spans import (
    SECONDS,
    answer,
    call,
    dialogue,
    observation,
    otlp,
    said,
    span,
    text,
    texts,
)

QUESTION = said("user", text("weather in Paris?"))


def test_a_name_of_thousands_of_digits_is_no_place_in_a_list(tmp_path: Path):
    digits = "1" * 5000
    fields = {
        "gen_ai.prompt.0.content": "hi",
        f"gen_ai.prompt.0.tool_calls.{digits}.name": "f",
        "gen_ai.completion.0.content": "hello",
    }
    record = dialogue(tmp_path, otlp(span(1, fields)))
    assert texts(record) == [(None, "user", ["hi"]), (0, "assistant", ["hello"])]
    assert digits in str(record.messages[0].source)


def test_a_time_of_hundreds_of_digits_is_none(tmp_path: Path):
    timed = call(1, [QUESTION], answer("It rains."), startTimeUnixNano=10**400)
    record = dialogue(tmp_path, otlp(timed))
    assert record.warnings["bad_timestamp"]
    assert [message.created_at and message.created_at.timestamp() - SECONDS for message in record.messages] == [
        None,
        11,
    ]


LISTED = '[{"type": "file", "name": "a.py"}, {"type": "dir", "name": "src"}]'
BLOCKS = '[{"type": "text", "text": "two"}, {"type": "text", "text": "files"}]'


def test_json_in_a_text_is_blocks_only_if_all_of_it_is(tmp_path: Path):
    given = [
        {"role": "user", "content": '[{"type": "bug", "title": "fix it"}]'},
        {"role": "assistant", "content": BLOCKS},
        {"role": "tool", "content": LISTED},
        {"role": "tool", "content": BLOCKS},
    ]
    record = dialogue(tmp_path, observation(1, given, {"role": "assistant", "content": LISTED}))
    assert [(role, said) for _, role, said in texts(record)] == [
        ("user", ['[{"type": "bug", "title": "fix it"}]']),
        ("assistant", ["two", "files"]),
        ("tool", [LISTED]),
        ("tool", [BLOCKS]),
        ("assistant", [LISTED]),
    ]
    assert set(record.warnings) == {"unpaired_tool_result"}


@pytest.mark.parametrize(
    ("value", "role", "content"),
    [
        ({"name": "Ann", "role": "CTO"}, "assistant", '{"name": "Ann", "role": "CTO"}'),
        ('{"name": "Ann", "role": "admin"}', "assistant", '{"name": "Ann", "role": "admin"}'),
        ([{"name": "Ann", "role": "CTO"}], "assistant", '[{"name": "Ann", "role": "CTO"}]'),
        ({"role": "Assistant", "content": "hi"}, "assistant", "hi"),
        ({"role": "critic", "content": "bad"}, "system", "bad"),
    ],
)
def test_an_object_with_a_role_is_a_message_only_if_messages_have_it_or_content(
    value: Any, role: str, content: str, tmp_path: Path
):
    record = dialogue(tmp_path, observation(1, [{"role": "user", "content": "who?"}], value))
    assert texts(record)[1:] == [(0, role, [content])]


def test_integers_are_numbers_as_they_are_in_json(tmp_path: Path):
    arguments = {"a": 1, "b": [-2, 2**60], "c": "3"}
    called = said("assistant", {"type": "tool_call", "id": "k", "name": "add", "arguments": arguments})
    result = said("tool", {"type": "tool_call_response", "id": "k", "response": {"sum": 3}})
    # The spans of odd numbers have their input as JSON text, the others as values.
    spans = [call(2, [QUESTION], {**called, "finish_reason": "tool_call"})]
    spans += [call(3, [QUESTION, called, result], answer("It is 3.")), call(4, [QUESTION, called, result], answer("3"))]
    record = dialogue(tmp_path, otlp(*spans))
    assert [parent for parent, _, _ in texts(record)] == [None, 0, 1, 2, 2]
    assert record.messages[1].parts[0].tool_input == arguments
    assert not record.warnings


@pytest.mark.parametrize("digits", ["007", "-0", "1" * 20, "1" * 5000, "x"])
def test_what_is_no_integer_of_up_to_19_digits_stays_text(digits: str, tmp_path: Path):
    value = call(2, [QUESTION], answer("It rains."))
    value["attributes"] += [{"key": "n", "value": {"intValue": digits}}]
    record = dialogue(tmp_path, otlp(value))
    assert record.messages[1].source["call"]["attributes"]["n"] == digits
