"""Sessions of Claude Code with every kind of line and block, each text and id a mark."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, Final

from benchmarks.fuzz.marks import Marks

_Maker = Callable[[Random, Marks], Any]


def session(random: Random, marks: Marks) -> dict[str, Any]:
    """Return the object that a file of up to eight lines is read as: most follow one of the lines before."""
    lines: list[Any] = []
    for _ in range(random.randint(0, 8)):
        line = random.choice(LINES)(random, marks)
        if isinstance(line, dict) and "parentUuid" in line:
            before = [other["uuid"] for other in lines[-3:] if isinstance(other, dict) and "uuid" in other]
            line["parentUuid"] = random.choice((*before, None, marks.text()))
        lines.append(line)
    return {"file": f"{marks.text()}.jsonl", "lines": lines}


def line(random: Random, marks: Marks, kind: str, blocks: Any) -> dict[str, Any]:
    """Return a line of a user or of the model."""
    message = {"role": kind, "content": blocks}
    if kind == "assistant":
        usage = {"output_tokens": marks.number()}
        message |= {"id": random.choice(("msg_1", marks.text())), "model": marks.text(), "usage": usage}
    return {**_envelope(random, marks, kind), "message": message, "requestId": random.choice(("req_1", marks.text()))}


def _envelope(random: Random, marks: Marks, kind: str) -> dict[str, Any]:
    return {
        "type": kind,
        "uuid": marks.text(),
        "parentUuid": None,
        "sessionId": marks.text(),
        "isSidechain": random.random() < 0.1,
        "timestamp": "2026-04-09T07:11:34.833Z",
        "cwd": random.choice(("/work", marks.text())),
        "version": marks.text(),
    }


def _image(_random: Random, marks: Marks) -> dict[str, Any]:
    origin = {"type": "base64", "media_type": "image/png", "data": marks.text()}
    return {"type": "image", "source": origin, "cache_control": marks.text()}


BLOCKS: Final[tuple[_Maker, ...]] = (
    lambda _random, marks: {"type": "text", "text": marks.text(), "citations": [marks.text()]},
    lambda _random, marks: marks.text(),
    lambda _random, marks: {
        "type": "text",
        "text": f"{marks.text()}\n<system-reminder>{marks.text()}</system-reminder>",
    },
    lambda _random, marks: {
        "type": "text",
        "text": f"<command-message>{marks.text()}</command-message>\n<command-name>/{marks.text()}</command-name>"
        f"<command-args>{marks.text()}</command-args>",
        "cache_control": marks.text(),
    },
    lambda _random, marks: {"type": "thinking", "thinking": marks.text(), "signature": marks.text()},
    lambda _random, marks: {"type": "redacted_thinking", "data": marks.text()},
    lambda _random, marks: {"type": "tool_use", "id": "call", "name": marks.text(), "input": {"a": marks.text()}},
    lambda _random, marks: {"type": "tool_result", "tool_use_id": "call", "content": marks.text(), "is_error": True},
    lambda random, marks: {
        "type": "tool_result",
        "tool_use_id": marks.text(),
        "content": [
            {"type": "text", "text": marks.text()},
            {"type": "text", "text": marks.text(), "cache_control": marks.text()},
            {"type": "tool_reference", "tool_name": marks.text()},
            _image(random, marks),
            {"type": marks.text(), "input": marks.number()},
            marks.text(),
        ],
    },
    _image,
    lambda _random, marks: {"type": "document", "source": {"type": "file", "file_id": marks.text()}},
    lambda _random, marks: {"type": marks.text(), "input": [marks.text()]},
)


def _blocks(random: Random, marks: Marks) -> list[Any]:
    return [random.choice(BLOCKS)(random, marks) for _ in range(random.randint(0, 3))]


def _attachment(random: Random, marks: Marks, about: dict[str, Any]) -> dict[str, Any]:
    return {**_envelope(random, marks, "attachment"), "attachment": about}


LINES: Final[tuple[_Maker, ...]] = (
    lambda random, marks: line(random, marks, "user", marks.text()),
    lambda random, marks: line(random, marks, "user", _blocks(random, marks)),
    lambda random, marks: line(random, marks, "user", _blocks(random, marks)) | {"toolUseResult": {"a": marks.text()}},
    lambda random, marks: line(random, marks, "user", _blocks(random, marks)) | {"isMeta": True},
    lambda random, marks: line(random, marks, "assistant", _blocks(random, marks)),
    lambda random, marks: line(random, marks, "assistant", [random.choice(BLOCKS)(random, marks)]),
    lambda random, marks: line(random, marks, "assistant", _blocks(random, marks)) | {"isApiErrorMessage": True},
    lambda random, marks: _envelope(random, marks, "system") | {"subtype": marks.text(), "content": marks.text()},
    lambda random, marks: _envelope(random, marks, "system") | {"subtype": "turn_duration", "durationMs": 7},
    lambda random, marks: _envelope(random, marks, "progress") | {"data": {"type": marks.text()}},
    lambda random, marks: _attachment(random, marks, {"type": "queued_command", "prompt": marks.text()}),
    lambda random, marks: _attachment(random, marks, {"type": marks.text(), "content": marks.text()}),
    lambda random, marks: _attachment(
        random,
        marks,
        {
            "type": "file",
            "filename": marks.text(),
            "content": {"type": "text", "file": {"filePath": marks.text(), "content": marks.text()}},
        },
    ),
    lambda _random, marks: {"type": "summary", "summary": marks.text(), "leafUuid": marks.text()},
    lambda _random, marks: {"type": "custom-title", "customTitle": marks.text(), "sessionId": marks.text()},
    lambda _random, marks: {"type": marks.text(), "data": marks.text()},
    lambda _random, marks: {"unreadable_line": marks.text()},
    lambda random, marks: random.choice((marks.text(), marks.number(), [marks.text()])),
)
