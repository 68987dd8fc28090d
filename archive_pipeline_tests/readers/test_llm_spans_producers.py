"""Calls of models by each producer that logs them: the same is read of all."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from archive_pipeline.domain.records import JsonText
from archive_pipeline.readers.registry import recognise
from archive_pipeline_tests.readers.spans import dialogue, observation, otlp, records_of, span, texts

FLAT = {
    "gen_ai.prompt.0.role": "user",
    "gen_ai.prompt.0.content": '[{"type": "text", "text": "hi"}]',
    "gen_ai.completion.0.role": "assistant",
    "gen_ai.completion.0.content": "hello",
    "gen_ai.completion.0.tool_calls.0.id": "k",
    "gen_ai.completion.0.tool_calls.0.name": "f",
    "gen_ai.completion.0.tool_calls.0.arguments": '{"a": 1}',
}
INFERENCE = {
    "openinference.span.kind": "LLM",
    "llm.input_messages.0.message.role": "user",
    "llm.input_messages.0.message.contents.0.message_content.type": "text",
    "llm.input_messages.0.message.contents.0.message_content.text": "hi",
    "llm.output_messages.0.message.role": "assistant",
    "llm.output_messages.0.message.content": "hello",
    "llm.output_messages.0.message.tool_calls.0.tool_call.id": "k",
    "llm.output_messages.0.message.tool_calls.0.tool_call.function.name": "f",
    "llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments": '{"a": 1}',
}
# As Phoenix's API lists spans in the form of OTLP: one by one, times as numbers, and each kind of value, most null.
LISTED = {
    "trace_id": "t",
    "span_id": "a",
    "parent_span_id": None,
    "start_time_unix_nano": 1_700_000_000_000_000_000,
    "end_time_unix_nano": 1_700_000_001_000_000_000,
    "attributes": [
        {"key": name, "value": {"array_value": None, "int_value": None, "string_value": item}}
        for name, item in INFERENCE.items()
    ],
    "events": [],
    "status": {"code": 1, "message": None},
}
OPENAI_CALL = {"id": "k", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}
OPENAI = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello", "tool_calls": [OPENAI_CALL]}]
CHOICE = {"index": 0, "finish_reason": "stop", "message": json.dumps(OPENAI[1])}
EVENTS = [
    {"name": "gen_ai.user.message", "attributes": {"content": "hi"}},
    {"name": "gen_ai.choice", "attributes": CHOICE},
]
NESTED = {
    "llm.input_messages": [{"message.role": "user", "message.content": "hi"}],
    "llm.output_messages": [
        {
            "message.role": "assistant",
            "message.content": "hello",
            "message.tool_calls": [
                {"tool_call.id": "k", "tool_call.function.name": "f", "tool_call.function.arguments": '{"a": 1}'}
            ],
        }
    ],
}
ROW = {f"attributes.{name}": item for name, item in NESTED.items()}
PHOENIX = {"span_kind": "LLM", "start_time": "2024-05-01T10:00:00+00:00", "status_code": "OK"}
HUMAN = {"lc": 1, "type": "constructor", "id": ["langchain", "HumanMessage"], "kwargs": {"content": "hi"}}
AI = {"content": "hello", "tool_calls": [{"name": "f", "args": {"a": 1}, "id": "k", "type": "tool_call"}]}
RUN = {
    "id": "r",
    "run_type": "llm",
    "trace_id": "t",
    "session_id": "project",
    "inputs": {"messages": [[HUMAN]]},
    "outputs": {"generations": [[{"text": "hello", "message": {**HUMAN, "id": ["AIMessage"], "kwargs": AI}}]]},
}
SDK = {
    "ai.prompt.messages": json.dumps(OPENAI[:1]),
    "ai.response.text": "hello",
    "ai.response.toolCalls": json.dumps([{"toolCallId": "k", "toolName": "f", "args": {"a": 1}}]),
}


@pytest.mark.parametrize(
    "value",
    [
        otlp(span(1, FLAT)),
        otlp(span(1, INFERENCE)),
        otlp(span(1, {}, events=EVENTS)),
        otlp(span(1, SDK)),
        {**PHOENIX, "context.trace_id": "t", "context.span_id": "a", **ROW},
        {"data": [{**PHOENIX, "context": {"trace_id": "t", "span_id": "a"}, "attributes": INFERENCE}]},
        {"traceId": "t", "spans": [{**PHOENIX, "context": {"trace_id": "t", "span_id": "a"}, "attributes": INFERENCE}]},
        {"data": [LISTED], "next_cursor": None},
        observation(1, OPENAI[:1], OPENAI[1]),
        observation(1, {"messages": OPENAI[:1], "temperature": 0}, {"choices": [{"index": 0, "message": OPENAI[1]}]}),
        {"trace": {"id": "t"}, "observations": [observation(1, json.dumps(OPENAI[:1]), json.dumps(OPENAI[1]))]},
        RUN,
    ],
    ids=[
        "openllmetry",
        "openinference",
        "events",
        "ai-sdk",
        "row",
        "phoenix",
        "px",
        "otlpv1",
        "langfuse",
        "choices",
        "trace",
        "langsmith",
    ],
)
def test_each_producer_says_the_same(value: dict[str, Any], tmp_path: Path):
    record = dialogue(tmp_path, value)
    assert texts(record) == [(None, "user", ["hi"]), (0, "assistant", ["hello", None])]
    use = record.messages[1].parts[1]
    given = use.tool_input
    assert (use.tool_name, use.tool_use_id) == ("f", "k")
    assert (json.loads(given.text) if isinstance(given, JsonText) else given) == {"a": 1}
    assert recognise(value).evidence.confidence == 1.0


def test_text_and_other_objects_of_observations_are_said_too(tmp_path: Path):
    record = dialogue(tmp_path, observation(1, "why?", "because"), observation(2, {"q": 1}, {"label": "x"}))
    assert texts(record) == [
        (None, "user", ["why?"]),
        (0, "assistant", ["because"]),
        (None, "user", ['{"q": 1}']),
        (2, "assistant", ['{"label": "x"}']),
    ]


ROOT = Path(os.environ.get("ARCHIVE_REAL_DATA", "/nonexistent"))


@pytest.mark.real_data
@pytest.mark.skipif("ARCHIVE_REAL_DATA" not in os.environ, reason="ARCHIVE_REAL_DATA is not set")
@pytest.mark.parametrize("window", [None, 8])
def test_real_dialogues_come_back_from_the_calls_that_made_them(window: int | None, tmp_path: Path):
    rows = json.loads((ROOT / "openai_messages/tau-bench-gpt-4o-airline.json").read_bytes())[:20]
    values, expected = [], []
    for row in rows:
        way = row["traj"]
        answers = [place for place, message in enumerate(way) if message["role"] == "assistant"]
        expected.append([message["role"] for message in way[: answers[-1] + 1]])
        for place in answers:
            given = [*way[:1], *way[1:place][-(window or place) :]]
            value = observation(len(values), json.dumps(given), json.dumps(way[place]))
            start = f"{1_700_000_000 + len(values)}"
            values.append({**value, "session_id": f"c{len(expected)}", "start_time": start})
    records, rejected, _ = records_of(tmp_path / "observations.jsonl", values)
    assert rejected == []
    assert [[message.role for message in record.messages] for record in records] == expected
    for record in records:
        assert [parent for parent, _, _ in texts(record)] == [None, *range(len(record.messages) - 1)]
