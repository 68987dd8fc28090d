"""Calls of models as tracing tools and SDKs log them, each text and id a mark."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import Any, Final

from archive_pipeline.readers.llm_spans.gathering import dialogues_in
from benchmarks.fuzz.marks import Marks

_NANOSECONDS: Final = 10**9
_START: Final = 1_700_000_000


def conversation(random: Random, marks: Marks) -> dict[str, Any]:
    """Return the spans of a dialogue, gathered."""
    return dialogues_in(random.choice(PRODUCERS)(random, marks, messages(random, marks)))[0]


def messages(random: Random, marks: Marks) -> list[dict[str, Any]]:
    """Return messages of turns by user and assistant, in OpenTelemetry's parts; the last one is the answer."""
    said = [message(random, marks, "system")] if random.random() < 0.3 else []
    for _ in range(random.randint(1, 3)):
        said += [message(random, marks, "user"), message(random, marks, "assistant")]
        if random.random() < 0.4:
            said += [message(random, marks, "tool"), message(random, marks, "assistant")]
    return said


def message(random: Random, marks: Marks, role: str) -> dict[str, Any]:
    """Return a message with up to three parts."""
    parts = [random.choice(PARTS)(random, marks) for _ in range(random.randint(1, 3))]
    return {"role": role, "parts": parts, "name": random.choice((None, marks.text()))}


PARTS: Final[tuple[Callable[[Random, Marks], Any], ...]] = (
    lambda _random, marks: {"type": "text", "content": marks.text()},
    lambda _random, marks: {"type": "reasoning", "content": marks.text()},
    lambda _random, marks: {
        "type": "tool_call",
        "id": marks.text(),
        "name": marks.text(),
        "arguments": {"a": marks.text()},
    },
    lambda _random, marks: {"type": "tool_call", "name": marks.text(), "arguments": json.dumps({"b": marks.number()})},
    lambda _random, marks: {"type": "tool_call_response", "id": marks.text(), "response": marks.text()},
    lambda _random, marks: {"type": "tool_call_response", "response": [{"c": marks.text()}, marks.number()]},
    lambda random, marks: {
        "type": "blob",
        "modality": random.choice(("image", "audio", "video", marks.text())),
        "mime_type": marks.text(),
        "content": "aGFsbG8=",
    },
    lambda _random, marks: {"type": "uri", "modality": "image", "uri": marks.text()},
    lambda _random, marks: {"type": "file", "modality": "document", "file_id": marks.text()},
    lambda _random, marks: {"type": marks.text(), marks.text(): marks.number()},
)


def _value(value: Any) -> dict[str, Any]:
    if isinstance(value, dict):
        return {"kvlistValue": {"values": _pairs(value)}}
    if isinstance(value, list):
        return {"arrayValue": {"values": [_value(item) for item in value]}}
    if isinstance(value, int):
        return {"intValue": str(value)}
    return {"stringValue": value}


def _pairs(fields: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"key": name, "value": _value(item)} for name, item in fields.items() if item is not None]


def _plain(said: dict[str, Any]) -> dict[str, Any]:
    """Return a message as OpenAI's API has it: with a text, and a call where there is one."""
    texts = [part.get("content") for part in said["parts"] if isinstance(part.get("content"), str)]
    calls = [part for part in said["parts"] if part["type"] == "tool_call"]
    functions = [{"name": part["name"], "arguments": json.dumps(part["arguments"])} for part in calls]
    called = [
        {"id": part.get("id"), "type": "function", "function": function}
        for part, function in zip(calls, functions, strict=True)
    ]
    return {"role": said["role"], "content": " ".join(texts), **({"tool_calls": called} if called else {})}


def _calls(said: list[dict[str, Any]]) -> list[tuple[list[dict[str, Any]], dict[str, Any]]]:
    answers = [place for place, each in enumerate(said) if each["role"] == "assistant"]
    return [(said[:place], said[place]) for place in answers]


def opentelemetry(random: Random, marks: Marks, said: list[dict[str, Any]]) -> dict[str, Any]:
    """Return an object of OTLP with a span for each call and one of something else."""
    trace = marks.text()
    spans = [_span(marks, trace, {"http.method": marks.text()}, 0)]
    for number, (given, answer) in enumerate(_calls(said)):
        write = random.choice((json.dumps, lambda value: value))
        attributes: dict[str, Any] = {
            "gen_ai.operation.name": "chat",
            "gen_ai.request.model": marks.text(),
            "gen_ai.usage.input_tokens": marks.number(),
            "gen_ai.input.messages": write(given),
            "gen_ai.output.messages": write([{**answer, "finish_reason": marks.text()}]),
        }
        if random.random() < 0.3:
            attributes["gen_ai.system_instructions"] = write([{"type": "text", "content": marks.text()}])
        spans.append(_span(marks, trace, attributes, number))
    scope = {"scope": {"name": marks.text()}, "spans": spans}
    return {"resourceSpans": [{"resource": {"attributes": _pairs({"a": marks.text()})}, "scopeSpans": [scope]}]}


def _span(marks: Marks, trace: str, attributes: dict[str, Any], number: int) -> dict[str, Any]:
    start = (_START + number) * _NANOSECONDS
    return {
        "traceId": trace,
        "spanId": marks.text(),
        "name": marks.text(),
        "startTimeUnixNano": str(start),
        "endTimeUnixNano": str(start + 1000),
        "attributes": _pairs(attributes),
        "events": [{"name": marks.text(), "attributes": _pairs({"d": marks.text()})}],
        "status": {"code": 2, "message": marks.text()},
    }


def openllmetry(_random: Random, marks: Marks, said: list[dict[str, Any]]) -> dict[str, Any]:
    """Return an object of OTLP whose messages are attributes, one for each of their fields."""
    trace = marks.text()
    spans = []
    for number, (given, answer) in enumerate(_calls(said)):
        fields = {"gen_ai.completion.0": {**_plain(answer), "finish_reason": marks.text()}}
        fields |= {f"gen_ai.prompt.{place}": _plain(each) for place, each in enumerate(given)}
        spans.append(_span(marks, trace, _flat(fields), number))
    return {"resourceSpans": [{"resource": {}, "scopeSpans": [{"spans": spans}]}]}


def _flat(fields: Any, prefix: str = "") -> dict[str, Any]:
    if not isinstance(fields, dict | list):
        return {prefix: fields}
    named = fields.items() if isinstance(fields, dict) else enumerate(fields)
    return {
        name: value
        for key, item in named
        for name, value in _flat(item, f"{prefix}.{key}" if prefix else str(key)).items()
    }


def _of_openinference(said: dict[str, Any]) -> dict[str, Any]:
    plain = _plain(said)
    calls = [
        {"tool_call.id": call["id"], **{f"tool_call.function.{name}": item for name, item in call["function"].items()}}
        for call in plain.get("tool_calls", [])
    ]
    return {
        "message.role": plain["role"],
        "message.contents": [{"message_content.type": "text", "message_content.text": plain["content"]}],
        "message.tool_calls": calls,
    }


def phoenix(random: Random, marks: Marks, said: list[dict[str, Any]]) -> dict[str, Any]:
    """Return spans as Phoenix's API lists them, or has them as rows."""
    trace, spans = marks.text(), []
    is_row = random.random() < 0.5
    for given, answer in _calls(said):
        attributes = {
            "openinference.span.kind": "LLM",
            "llm.model_name": marks.text(),
            "llm.token_count.prompt": marks.number(),
            "input.value": marks.text(),
            "llm.input_messages": [_of_openinference(each) for each in given],
            "llm.output_messages": [_of_openinference(answer)],
        }
        head = {"name": marks.text(), "span_kind": "LLM", "start_time": "2024-05-01T10:00:00+00:00", "events": []}
        context = {"trace_id": trace, "span_id": marks.text()}
        if is_row:
            named = {f"attributes.{name}": item for name, item in attributes.items()}
            spans.append(head | named | {f"context.{name}": item for name, item in context.items()})
        else:
            spans.append(head | {"context": context, "attributes": attributes})
    return {"data": spans, "next_cursor": marks.text()}


def langfuse(random: Random, marks: Marks, said: list[dict[str, Any]]) -> dict[str, Any]:
    """Return a trace with its observations."""
    trace = marks.text()
    observations: list[dict[str, Any]] = [
        {
            "id": marks.text(),
            "traceId": trace,
            "type": random.choice(("GENERATION", "GENERATION", "SPAN")) if number else "GENERATION",
            "startTime": "2024-05-29T13:46:19.963Z",
            "model": marks.text(),
            "input": {"messages": [_plain(each) for each in given], "tools": [{"name": marks.text()}]},
            "output": random.choice((_plain(answer), marks.text(), {marks.text(): marks.number()})),
            "usageDetails": {"input": marks.number()},
            "level": random.choice(("DEFAULT", "ERROR")),
            "statusMessage": marks.text(),
        }
        for number, (given, answer) in enumerate(_calls(said))
    ]
    return {"trace": {"id": trace, "sessionId": marks.text(), "name": marks.text()}, "observations": observations}


def langsmith(random: Random, marks: Marks, said: list[dict[str, Any]]) -> dict[str, Any]:
    """Return a run of a model, with LangChain's messages."""
    given, answer = _calls(said)[-1]
    serialised = [_of_langchain(random, marks, each) for each in (*given, answer)]
    return {
        "id": marks.text(),
        "run_type": "llm",
        "trace_id": marks.text(),
        "session_id": marks.text(),
        "start_time": "2024-05-29T13:46:19.963",
        "extra": {"metadata": {"thread_id": marks.text(), "ls_model_name": marks.text()}},
        "inputs": {"messages": [serialised[:-1]]},
        "outputs": {"generations": [[{"text": marks.text(), "message": serialised[-1]}]], "llm_output": marks.text()},
    }


def _of_langchain(random: Random, marks: Marks, said: dict[str, Any]) -> dict[str, Any]:
    names = {"user": "HumanMessage", "assistant": "AIMessage", "system": "SystemMessage", "tool": "ToolMessage"}
    plain = _plain(said)
    fields = {name: item for name, item in plain.items() if name != "role"}
    beside = {marks.text(): marks.number()}
    if random.random() < 0.5 and "tool_calls" in fields:
        beside["tool_calls"] = fields.pop("tool_calls")
    fields |= {"id": marks.text(), "additional_kwargs": beside}
    return {"lc": 1, "type": "constructor", "id": ["langchain", names[plain["role"]]], "kwargs": fields}


def ai_sdk(random: Random, marks: Marks, said: list[dict[str, Any]]) -> dict[str, Any]:
    """Return spans of Vercel's AI SDK, as Phoenix's API lists them in the form of OTLP; some say their input again."""
    trace, spans = marks.text(), []
    for number, (given, answer) in enumerate(_calls(said)):
        plain = _plain(answer)
        fields = {"ai.operationId": "ai.generateText.doGenerate", "ai.response.reasoning": marks.text()}
        fields["ai.prompt.messages"] = json.dumps([_of_ai_sdk(random, marks, each["role"]) for each in given])
        fields[random.choice(("ai.response.text", "ai.response.object"))] = plain["content"]
        called = [{"toolCallId": marks.text(), "toolName": marks.text(), "input": json.dumps({"d": marks.text()})}]
        fields["ai.response.toolCalls"] = json.dumps(random.choice(([], called)))
        if random.random() < 0.3:
            fields |= _flat({f"llm.input_messages.{place}.message": _plain(each) for place, each in enumerate(given)})
        span = _span(marks, trace, fields, number)
        ids = {"trace_id": span.pop("traceId"), "span_id": span.pop("spanId")}
        spans.append(ids | {"start_time_unix_nano": int(span.pop("startTimeUnixNano"))} | span)
    return {"data": spans, "next_cursor": marks.text()}


def _of_ai_sdk(random: Random, marks: Marks, role: str) -> dict[str, Any]:
    called = {"toolCallId": marks.text(), "toolName": marks.text(), "providerOptions": {marks.text(): marks.number()}}
    blocks: list[dict[str, Any]] = [
        {"type": "text", "text": marks.text()},
        {"type": "tool-call", **called, random.choice(("args", "input")): {"e": marks.text()}},
        {"type": "tool-result", **called, "result": {"f": marks.text()}, "isError": True},
        {"type": "tool-result", **called, "output": {"type": "error-text", "value": marks.text()}},
        {"type": "tool-result", **called, "output": {"type": marks.text(), "value": marks.text()}},
        {"type": "image", "image": random.choice(("aGFsbG8=", marks.text())), "mimeType": marks.text()},
        {"type": "file", "data": "aGFsbG8=", "mediaType": "audio/mpeg", "filename": marks.text()},
        {"type": "reasoning", "text": marks.text(), "signature": marks.text()},
    ]
    return {"role": role, "content": random.sample(blocks, random.randint(1, 3))}


PRODUCERS: Final = (opentelemetry, openllmetry, phoenix, langfuse, langsmith, ai_sdk)
