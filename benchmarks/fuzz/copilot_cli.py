"""Sessions of Copilot CLI with every kind of event, each text and id a mark."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, Final

from benchmarks.fuzz.marks import Marks

_Maker = Callable[[Random, Marks], dict[str, Any]]
_TIME: Final = "2026-02-03T10:00:00.000Z"


def conversation(random: Random, marks: Marks) -> dict[str, Any]:
    """Return the object that a file of up to eight events after its first is read as."""
    lines: list[Any] = [start(random, marks)]
    for _ in range(random.randint(0, 8)):
        kind, make = random.choice(EVENTS)
        line = event(random, marks, kind, make(random, marks))
        line["parentId"] = random.choice((lines[-1]["id"], lines[-1]["id"], marks.text()))
        lines.append(line)
    if random.random() < 0.1:
        lines.append(lines[-1])
    return {"file": "events.jsonl", "lines": lines}


def event(random: Random, marks: Marks, kind: str, data: dict[str, Any]) -> dict[str, Any]:
    """Return an event of a kind."""
    agent = random.choice(({}, {}, {}, {"agentId": "agent"}))
    return {"type": kind, "data": data, "id": marks.text(), "timestamp": _TIME, "parentId": None, **agent}


def start(random: Random, marks: Marks) -> dict[str, Any]:
    """Return the first event of a session."""
    data = {
        "sessionId": marks.text(),
        "version": 1,
        "producer": "copilot-agent",
        "copilotVersion": marks.text(),
        "startTime": _TIME,
        "selectedModel": random.choice((marks.text(), None)),
        "context": {"cwd": marks.text(), "branch": marks.text()},
    }
    return {"type": "session.start", "data": data, "id": marks.text(), "timestamp": _TIME, "parentId": None}


def _prompt(random: Random, marks: Marks) -> dict[str, Any]:
    files: list[Any] = [
        {"type": "file", "path": marks.text(), "displayName": marks.text(), "lineRange": {"start": marks.number()}},
        {"type": "selection", "filePath": marks.text(), "text": marks.text(), "selection": {"start": marks.number()}},
        {"type": "blob", "data": "aGk=", "mimeType": marks.text(), "byteLength": marks.number()},
    ]
    return {
        "content": random.choice((marks.text(), "")),
        "transformedContent": marks.text(),
        "attachments": random.sample(files, random.randint(0, 3)),
        "source": random.choice((None, None, f"skill-{marks.text()}", marks.text())),
        "isAutopilotContinuation": random.choice((None, True, False)),
        "interactionId": marks.text(),
    }


def _answer(random: Random, marks: Marks) -> dict[str, Any]:
    request = {
        "toolCallId": random.choice(("call", marks.text())),
        "name": marks.text(),
        "arguments": random.choice(({"path": marks.text()}, marks.text(), None)),
        "intentionSummary": marks.text(),
        "type": "function",
    }
    return {
        "messageId": marks.text(),
        "apiCallId": random.choice((None, "same", marks.text())),
        "chunkIndex": marks.number(),
        "content": random.choice((marks.text(), "")),
        "model": random.choice((marks.text(), None)),
        "reasoningText": random.choice((marks.text(), None)),
        "reasoningOpaque": marks.text(),
        "toolRequests": random.choice(([], [request])),
        "outputTokens": marks.number(),
    }


def _result(random: Random, marks: Marks) -> dict[str, Any]:
    whole = {
        "content": marks.text(),
        "detailedContent": marks.text(),
        "contents": [{"type": "text", "text": marks.text()}],
    }
    return {
        "toolCallId": random.choice(("call", marks.text())),
        "success": random.random() < 0.5,
        "result": random.choice((whole, marks.text(), None)),
        "error": random.choice((None, {"message": marks.text(), "code": marks.text()})),
        "model": marks.text(),
        "toolTelemetry": {"metrics": {"lines": marks.number()}},
        "parentToolCallId": random.choice((None, None, marks.text())),
    }


EVENTS: Final[tuple[tuple[str, _Maker], ...]] = (
    ("user.message", _prompt),
    ("assistant.message", _answer),
    ("assistant.message", _answer),
    ("tool.execution_complete", _result),
    ("tool.execution_start", lambda _random, marks: {"toolCallId": "call", "toolName": marks.text()}),
    ("system.message", lambda _random, marks: {"content": marks.text(), "role": "system"}),
    ("system.notification", lambda _random, marks: {"content": marks.text(), "kind": {"type": marks.text()}}),
    ("skill.invoked", lambda _random, marks: {"name": marks.text(), "content": marks.text(), "path": marks.text()}),
    ("session.compaction_complete", lambda _random, marks: {"summaryContent": marks.text(), "success": True}),
    ("session.error", lambda _random, marks: {"errorType": marks.text(), "message": marks.text()}),
    ("session.model_change", lambda _random, marks: {"newModel": marks.text(), "previousModel": marks.text()}),
    ("session.title_changed", lambda _random, marks: {"title": marks.text()}),
    ("assistant.turn_start", lambda _random, marks: {"turnId": marks.text()}),
    ("hologram", lambda _random, marks: {"text": marks.text()}),
)
