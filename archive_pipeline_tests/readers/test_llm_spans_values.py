"""Values of spans that no producer means to write, and those whose kind the notation hides."""

from __future__ import annotations

from pathlib import Path

from archive_pipeline_tests.readers.spans import SECONDS, answer, call, dialogue, otlp, said, span, text, texts

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
