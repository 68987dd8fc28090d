"""Calls of models as Vercel's AI SDK logs them, in the words of its versions 4 and 5."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from archive_pipeline.domain.records import PartType
from archive_pipeline_tests.readers.spans import dialogue, otlp, span, texts

Fields = dict[str, Any]
ASKED: list[Fields] = [
    {"role": "system", "content": "be brief"},
    {"role": "user", "content": [{"type": "text", "text": "weather?"}]},
]


def model_call(number: int, given: list[Fields], **answered: str) -> Fields:
    fields = {"ai.operationId": "ai.generateText.doGenerate", "ai.prompt.messages": json.dumps(given)}
    return span(number, fields | {f"ai.{name.replace('_', '.')}": item for name, item in answered.items()}, trace="t")


CALLS_4 = {"toolCallType": "function", "toolCallId": "k", "toolName": "w", "args": '{"city":"X"}'}
CALLS_5 = {"toolCallId": "k", "toolName": "w", "input": '{"city":"X"}'}
RESULT_4 = {"result": {"t": 20}}
RESULT_5 = {"output": {"type": "json", "value": {"t": 20}}}


@pytest.mark.parametrize(
    ("called", "name", "result"), [(CALLS_4, "args", RESULT_4), (CALLS_5, "input", RESULT_5)], ids=["v4", "v5"]
)
def test_the_next_call_repeats_calls_and_results_of_tools_as_blocks(
    called: Fields, name: str, result: Fields, tmp_path: Path
):
    of_tool = {"toolCallId": "k", "toolName": "w"}
    answer = {"role": "assistant", "content": [{"type": "text", "text": "let me look"}]}
    answer["content"] += [{"type": "tool-call", **of_tool, name: {"city": "X"}}]
    told = {"role": "tool", "content": [{"type": "tool-result", **of_tool, **result}]}
    first = model_call(1, ASKED, response_text="let me look", response_toolCalls=json.dumps([called]))
    record = dialogue(tmp_path, otlp(first, model_call(2, [*ASKED, answer, told], response_text="20 degrees")))
    assert texts(record) == [
        (None, "system", ["be brief"]),
        (0, "user", ["weather?"]),
        (1, "assistant", ["let me look", None]),
        (2, "tool", ['{"t": 20}']),
        (3, "assistant", ["20 degrees"]),
    ]
    use, told_part = record.messages[2].parts[1], record.messages[3].parts[0]
    assert (use.part_type, use.tool_name, use.tool_use_id) == (PartType.TOOL_USE, "w", "k")
    assert (told_part.part_type, told_part.tool_name, told_part.tool_use_id) == (PartType.TOOL_RESULT, "w", "k")
    assert not record.warnings


def test_a_tool_that_failed_says_so(tmp_path: Path):
    block = {"type": "tool-result", "toolCallId": "k", "toolName": "w"}
    outputs = [{"output": {"type": "error-text", "value": "no"}}, {"result": "no", "isError": True}]
    told = [{"role": "tool", "content": [{**block, **output} for output in outputs]}]
    record = dialogue(tmp_path, otlp(model_call(1, told, response_text="sorry")))
    assert [(part.text, part.is_error) for message in record.messages[:2] for part in message.parts] == [
        ("no", True),
        ("no", True),
    ]


def test_images_and_files_are_addresses_or_content(tmp_path: Path):
    blocks = [
        {"type": "image", "image": "https://example.com/a.png", "mimeType": "image/png"},
        {"type": "image", "image": "data:image/png;base64,aGFsbG8="},
        {"type": "file", "data": "aGFsbG8=", "mediaType": "audio/mpeg", "filename": "a.mp3"},
        {"type": "file", "data": "aGFsbG8=", "mediaType": "application/pdf"},
        {"type": "reasoning", "text": "hm"},
    ]
    record = dialogue(tmp_path, otlp(model_call(1, [{"role": "user", "content": blocks}], response_text="a cat")))
    digest = hashlib.sha256(b"hallo").hexdigest()
    assert [(part.part_type, part.uri, part.content_sha256, part.text) for part in record.messages[0].parts] == [
        (PartType.IMAGE, "https://example.com/a.png", None, None),
        (PartType.IMAGE, None, digest, None),
        (PartType.AUDIO, None, digest, None),
        (PartType.FILE, None, digest, None),
        (PartType.THINKING, None, None, "hm"),
    ]
    assert record.messages[0].parts[2].source == {"data": "aGFsbG8=", "filename": "a.mp3"}
    assert not record.warnings


def test_objects_and_answers_of_older_versions_are_texts(tmp_path: Path):
    value = otlp(
        model_call(1, ASKED, response_object='{"t":20}', response_reasoning="it is May"),
        model_call(2, [{"role": "user", "content": "hi"}], result_text="hello"),
    )
    record = dialogue(tmp_path, value)
    assert texts(record)[2:] == [
        (1, "assistant", ["it is May", '{"t":20}']),
        (None, "user", ["hi"]),
        (3, "assistant", ["hello"]),
    ]


def test_the_span_around_calls_of_models_is_an_agents(tmp_path: Path):
    prompt = json.dumps({"system": "be brief", "messages": ASKED[1:]})
    fields = {"operation.name": "ai.generateText my-function", "ai.prompt": prompt, "ai.response.text": "sunny"}
    outer = span(1, fields, trace="t")
    inner = model_call(2, ASKED, response_text="sunny")
    both = dialogue(tmp_path, otlp(inner, outer))
    expected = [(None, "system", ["be brief"]), (0, "user", ["weather?"]), (1, "assistant", ["sunny"])]
    assert texts(both) == expected
    assert [*both.source_json["spans"]] == [outer["spanId"]]
    assert "messages" not in both.source_json["spans"][outer["spanId"]]
    assert texts(dialogue(tmp_path, otlp(outer))) == expected
