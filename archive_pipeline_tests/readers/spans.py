"""Spans of invented calls, as producers write them, and what was read of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from archive_pipeline.domain.records import DialogueRecord, RejectedRecord
from archive_pipeline.readers.reading import FileReading, ReadDialogue, read_paths

SECONDS: Final = 1_700_000_000
Fields = dict[str, Any]


def text(content: str) -> Fields:
    return {"type": "text", "content": content}


def said(role: str, *parts: Fields) -> Fields:
    return {"role": role, "parts": [*parts]}


def answer(content: str) -> Fields:
    return {**said("assistant", text(content)), "finish_reason": "stop"}


def typed(value: Any) -> Fields:
    if isinstance(value, dict):
        return {"kvlistValue": {"values": pairs(value)}}
    if isinstance(value, list):
        return {"arrayValue": {"values": [typed(item) for item in value]}}
    return {"intValue": str(value)} if isinstance(value, int) else {"stringValue": value}


def pairs(fields: Fields) -> list[Fields]:
    return [{"key": name, "value": typed(item)} for name, item in fields.items()]


def span(number: int, attributes: Fields, *, trace: str | None = None, events: Any = (), **more: Any) -> Fields:
    """A span that begins ten seconds behind the one of the number before, and takes one."""
    start = SECONDS + 10 * number
    return {
        "traceId": trace or f"t{number}",
        "spanId": f"{number:016x}",
        "name": f"span {number}",
        "startTimeUnixNano": f"{start}000000000",
        "endTimeUnixNano": f"{start + 1}000000000",
        "attributes": pairs(attributes),
        "events": [{**event, "attributes": pairs(event["attributes"])} for event in events],
        **more,
    }


def chat(number: int, given: list[Fields], answered: Fields | None, *, trace: str | None = None, **more: Any) -> Fields:
    """A call of a model; what is no attribute by its name is a field of its span."""
    attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": more.pop("model", "gpt-4o"),
        "gen_ai.usage.input_tokens": number,
        "gen_ai.input.messages": json.dumps(given) if number % 2 else given,
        "gen_ai.output.messages": [] if answered is None else [answered],
        **{name: more.pop(name) for name in [*more] if "." in name},
    }
    return span(number, attributes, trace=trace, **more)


def call(number: int, given: list[Fields], answered: Fields | None, **more: Any) -> Fields:
    """A call in the conversation ``s``."""
    return chat(number, given, answered, **{"gen_ai.conversation.id": "s", **more})


def otlp(*spans: Fields) -> Fields:
    scope = {"scope": {"name": "tracer"}, "spans": [*spans]}
    return {"resourceSpans": [{"resource": {"attributes": pairs({"service.name": "bot"})}, "scopeSpans": [scope]}]}


def observation(number: int, given: Any, answered: Any) -> Fields:
    return {
        "id": f"o{number}",
        "trace_id": "t",
        "type": "GENERATION",
        "start_time": f"2024-05-29 13:46:{number:02}.963000",
        "provided_model_name": "claude",
        "input": given,
        "output": answered,
    }


def texts(record: DialogueRecord) -> list[tuple[int | None, str, list[str | None]]]:
    """Of each message the place of its parent, who says it, and the texts of its parts."""
    places = {message.source_id: place for place, message in enumerate(record.messages)}
    return [
        (
            None if message.parent_source_id is None else places[message.parent_source_id],
            message.role,
            [part.text for part in message.parts],
        )
        for message in record.messages
    ]


def records_of(path: Path, values: Sequence[Any]) -> tuple[list[DialogueRecord], list[RejectedRecord], FileReading]:
    path.write_text("".join(f"{json.dumps(value)}\n" for value in values), encoding="utf-8")
    [file] = read_paths([path])
    items = list(file.records())
    return (
        [item.record for item in items if isinstance(item, ReadDialogue)],
        [item for item in items if isinstance(item, RejectedRecord)],
        file,
    )


def dialogue(path: Path, *values: Any) -> DialogueRecord:
    [record], rejected, _ = records_of(path / "traces.jsonl", values)
    assert rejected == []
    return record
