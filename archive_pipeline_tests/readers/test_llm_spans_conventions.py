"""Spans that say one thing in several conventions, and what each of them says of a span."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from archive_pipeline_tests.readers.spans import Fields, answer, dialogue, otlp, said, span, text, texts

OTEL = {
    "gen_ai.system_instructions": [text("be brief")],
    "gen_ai.input.messages": json.dumps([said("user", text("why?"))]),
    "gen_ai.output.messages": json.dumps([answer("because")]),
}
INFERENCE = {
    "llm.input_messages.0.message.role": "user",
    "llm.input_messages.0.message.content": "why? (again)",
    "llm.output_messages.0.message.role": "assistant",
    "llm.output_messages.0.message.content": "because (again)",
}
SDK = {
    "ai.operationId": "ai.generateText.doGenerate",
    "ai.prompt.messages": json.dumps([{"role": "user", "content": "why?"}]),
    "ai.response.text": "because",
}
FLAT = {"gen_ai.prompt.0.content": "why? (again)", "gen_ai.completion.0.content": "because (again)"}
EVENTS = [
    {"name": "gen_ai.user.message", "attributes": {"content": "why? (again)"}},
    {"name": "gen_ai.choice", "attributes": {"index": "0", "message": json.dumps({"content": "because (again)"})}},
]


@pytest.mark.parametrize(
    "value",
    [
        span(1, {**INFERENCE, **OTEL}),
        span(1, {**FLAT, **OTEL}),
        span(1, OTEL, events=EVENTS),
        span(1, OTEL, events=[{"name": "details", "attributes": OTEL}]),
        span(1, {**INFERENCE, **SDK}),
    ],
    ids=["openinference", "openllmetry", "events", "details", "ai-sdk"],
)
def test_messages_of_a_span_are_read_in_one_convention(value: Fields, tmp_path: Path):
    record = dialogue(tmp_path, otlp(value))
    assert [(role, parts) for _, role, parts in texts(record) if role != "system"] == [
        ("user", ["why?"]),
        ("assistant", ["because"]),
    ]
    assert len(record.messages) == 3 - ("ai.operationId" in str(value))
    kept = record.messages[-1].source["call"]
    assert ("(again)" in str(kept)) == ("(again)" in str(value))


def test_texts_are_alternatives_only_if_each_says_why_it_ended(tmp_path: Path):
    def logged(number: int, *contents: str, **more: str) -> Fields:
        fields = {"llm.input_messages.0.message.role": "user", "llm.input_messages.0.message.content": "why?"}
        for place, content in enumerate(contents):
            prefix = f"llm.output_messages.{place}.message"
            fields |= {f"{prefix}.role": "assistant", f"{prefix}.content": content}
            fields |= {f"{prefix}.{name}": item for name, item in more.items()}
        return span(number, fields)

    ended = dialogue(tmp_path, otlp(logged(1, "let me see", "42", finish_reason="stop")))
    assert [parent for parent, _, _ in texts(ended)] == [None, 0, 0]
    open_ = dialogue(tmp_path, otlp(logged(1, "let me see", "42")))
    assert [parent for parent, _, _ in texts(open_)] == [None, 0, 1]


@pytest.mark.parametrize("named", [{"gen_ai.operation.name": "embeddings"}, {"openinference.span.kind": "EMBEDDING"}])
def test_a_span_of_embeddings_is_neither_a_models_nor_an_agents(named: Fields, tmp_path: Path):
    embedded = span(1, {**named, "gen_ai.input.messages": [said("user", text("to embed"))]}, trace="t")
    record = dialogue(tmp_path, otlp(embedded, span(2, OTEL, trace="t")))
    [kept] = record.source_json["spans"].values()
    assert kept["attributes"]["gen_ai.input.messages"][0]["parts"] == [text("to embed")]
    assert "to embed" not in str(texts(record))
