"""Session traces with every kind of line, of harnesses whose sessions are chains or trees, each text and id a mark."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import Any, Final

from benchmarks.fuzz.marks import Marks

_Maker = Callable[[Random, Marks], Any]
ROLES: Final = ("user", "assistant", "assistant", "tool", "system", "robot")


def conversation(random: Random, marks: Marks) -> dict[str, Any]:
    """Return a session: a header, and up to seven lines, which name the one before, in themselves or in messages."""
    place, name = random.choice(((None, ""), (None, "parentId"), ("message", "parent")))
    lines: list[Any] = [header(random, marks)]
    ids: list[Any] = [None]
    for _ in range(random.randint(0, 7)):
        line = random.choice(LINES)(random, marks)
        if name and isinstance(line, dict) and (place is None or isinstance(line.get(place), dict)):
            own = marks.text()
            (line if place is None else line[place]).update({"id": own, name: random.choice((*ids[-2:], marks.text()))})
            ids.append(own)
        lines.append(line)
    if random.random() < 0.1:
        lines.append(random.choice(lines))
    return {"file": f"{marks.text()}.jsonl", "lines": lines}


def header(random: Random, marks: Marks) -> dict[str, Any]:
    """Return the first line of a session."""
    named = {"type": "session", "harness": marks.text(), "id": marks.text(), "name": marks.text(), "cwd": marks.text()}
    of_llama = {
        "currNode": marks.text(),
        "lastModified": marks.number(),
        "thinkingEnabled": True,
        "mcp": [marks.text()],
    }
    return named | random.choice(({}, of_llama))


def message(random: Random, marks: Marks, role: str) -> dict[str, Any]:
    """Return the line of a message of a role."""
    said = {"role": role, "content": _content(random, marks), "timestamp": marks.number(), "model": marks.text()}
    return {"type": "message", "message": {**said, **_BESIDE.get(role, _nothing)(random, marks)}}


def _nothing(_random: Random, _marks: Marks) -> dict[str, Any]:
    return {}


def _content(random: Random, marks: Marks) -> Any:
    blocks = [random.choice(BLOCKS)(random, marks) for _ in range(random.randint(0, 2))]
    return random.choice((marks.text(), marks.text(), "", blocks))


BLOCKS: Final[tuple[_Maker, ...]] = (
    lambda _random, marks: {"type": "text", "text": marks.text(), "textSignature": marks.text()},
    lambda _random, marks: {"type": "thinking", "thinking": marks.text(), "thinkingSignature": marks.text()},
    lambda _random, marks: {"type": "image", "data": "aGk=", "mimeType": marks.text()},
    lambda _random, marks: {
        "type": "toolCall",
        "id": marks.text(),
        "name": marks.text(),
        "arguments": {"a": marks.text()},
    },
    lambda _random, marks: {"type": "hologram", "text": marks.text()},
)


def _call(random: Random, marks: Marks) -> dict[str, Any]:
    arguments = {"path": marks.text(), "limit": marks.number()}
    said = random.choice((json.dumps(arguments), arguments, marks.text(), ""))
    return {
        "id": random.choice(("call", marks.text())),
        "type": random.choice(("function", marks.text())),
        "index": marks.number(),
        "function": {"name": marks.text(), "arguments": said},
    }


def _of_answer(random: Random, marks: Marks) -> dict[str, Any]:
    calls = [_call(random, marks) for _ in range(random.randint(0, 2))]
    return {
        "reasoningContent": random.choice((marks.text(), "")),
        "thinking": marks.text(),
        "toolCalls": random.choice((calls, calls, [*calls, marks.text()], marks.text())),
        "timings": {"predicted_ms": marks.number()},
        "completionId": marks.text(),
    }


def _of_prompt(_random: Random, marks: Marks) -> dict[str, Any]:
    return {
        "convId": marks.text(),
        "children": [marks.text()],
        "type": "text",
        "extra": [
            {"type": "IMAGE", "name": marks.text(), "size": marks.number(), "base64Url": "data:image/png;base64,aGk="},
            {
                "type": "PDF",
                "name": marks.text(),
                "base64Data": "aGk=",
                "content": marks.text(),
                "images": [marks.text()],
            },
            {"type": "MCP_RESOURCE", "name": marks.text(), "uri": marks.text(), "serverName": marks.text()},
            marks.text(),
        ],
    }


_BESIDE: Final[dict[str, Callable[[Random, Marks], dict[str, Any]]]] = {
    "assistant": _of_answer,
    "user": _of_prompt,
    "tool": lambda random, marks: {
        "toolCallId": random.choice(("call", marks.text())),
        "toolName": random.choice((marks.text(), None)),
        "isError": random.random() < 0.5,
    },
}


LINES: Final[tuple[_Maker, ...]] = (
    lambda random, marks: message(random, marks, random.choice(ROLES)),
    lambda random, marks: message(random, marks, random.choice(ROLES)),
    lambda random, marks: message(random, marks, random.choice(ROLES)),
    lambda _random, marks: {
        "type": "message",
        "message": {"role": "system", "type": "root", "content": "", "convId": marks.text()},
    },
    lambda _random, marks: {"type": "message", "message": marks.text()},
    lambda _random, marks: {"type": "hologram", "name": marks.text(), "id": marks.text()},
    header,
    lambda _random, marks: {"unreadable_line": marks.text()},
    lambda _random, marks: [marks.text()],
)
