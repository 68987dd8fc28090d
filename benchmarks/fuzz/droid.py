"""Sessions of Factory's Droid with every kind of line and block, each text and id a mark."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, Final

from benchmarks.fuzz.marks import Marks

_Maker = Callable[[Random, Marks], Any]
_TIME: Final = "2026-06-18T14:13:21.754Z"


def conversation(random: Random, marks: Marks) -> dict[str, Any]:
    """Return the object that a file of up to eight lines after its first is read as."""
    lines: list[Any] = [header(random, marks)]
    for _ in range(random.randint(0, 8)):
        line = random.choice(LINES)(random, marks)
        before = [other["id"] for other in lines[-3:] if isinstance(other, dict) and "id" in other]
        if isinstance(line, dict) and line.get("type") == "message" and random.random() < 0.8:
            line["parentId"] = random.choice((*before, marks.text()))
        lines.append(line)
    if random.random() < 0.1:
        lines.append(random.choice(lines))
    return {"file": f"{marks.text()}.jsonl", "lines": lines}


def header(random: Random, marks: Marks) -> dict[str, Any]:
    """Return the first line of a session."""
    beside = random.choice(
        ({}, {"parent": marks.text()}, {"callingSessionId": marks.text(), "callingToolUseId": marks.text()})
    )
    return {
        "type": "session_start",
        "id": marks.text(),
        "title": marks.text(),
        "sessionTitle": marks.text(),
        "owner": marks.text(),
        "version": 2,
        "cwd": marks.text(),
        "hostId": marks.text(),
        "isSessionTitleManuallySet": random.random() < 0.5,
        "sessionTitleAutoStage": marks.text(),
        **beside,
    }


def message(random: Random, marks: Marks, role: str, content: Any) -> dict[str, Any]:
    """Return the line of a message of a role."""
    said: dict[str, Any] = {"role": role, "content": content}
    if random.random() < 0.3:
        said["visibility"] = random.choice(("both", "llm_only", "user_only"))
    if role == "assistant":
        texts = [block.get("thinking") for block in content if isinstance(block, dict)] if content else []
        said |= {"modelId": marks.text(), "reasoningEffort": marks.text(), "openaiMessageId": marks.text()}
        said["chatCompletionReasoningContent"] = random.choice((marks.text(), *filter(None, texts)))
    return line(random, marks, "message", {"message": said})


def line(random: Random, marks: Marks, kind: str, said: dict[str, Any]) -> dict[str, Any]:
    """Return a line of a kind."""
    return {"type": kind, "id": random.choice(("id-1", marks.text())), "timestamp": _TIME, **said}


def _image(_random: Random, marks: Marks) -> dict[str, Any]:
    return {"type": "image", "source": {"type": "base64", "data": marks.text(), "media_type": marks.text()}}


BLOCKS: Final[tuple[_Maker, ...]] = (
    lambda _random, marks: {"type": "text", "text": marks.text()},
    lambda _random, marks: {"type": "text", "text": f"<system-reminder>{marks.text()}</system-reminder>"},
    lambda _random, marks: {
        "type": "text",
        "text": f"{marks.text()}\n<system-reminder>{marks.text()}</system-reminder>",
    },
    lambda _random, marks: {
        "type": "thinking",
        "thinking": marks.text(),
        "signature": marks.text(),
        "signatureProvider": marks.text(),
        "durationMs": marks.number(),
    },
    lambda _random, marks: {"type": "redacted_thinking", "data": marks.text()},
    lambda random, marks: {
        "type": "tool_use",
        "id": random.choice(("call", marks.text())),
        "name": marks.text(),
        "input": {"command": marks.text()},
        "thoughtSignature": marks.text(),
    },
    lambda random, marks: {
        "type": "tool_result",
        "tool_use_id": random.choice(("call", marks.text())),
        "is_error": random.random() < 0.5,
        "content": random.choice(
            (marks.text(), [{"type": "text", "text": marks.text()}, _image(random, marks), {"type": "hologram"}])
        ),
    },
    _image,
    lambda _random, marks: {"type": "document", "source": {"type": "text", "data": marks.text(), "name": marks.text()}},
    lambda _random, marks: {"type": "hologram", "text": marks.text()},
    lambda _random, marks: marks.text(),
)


def _blocks(random: Random, marks: Marks) -> Any:
    return [random.choice(BLOCKS)(random, marks) for _ in range(random.randint(0, 3))]


def _hook(random: Random, marks: Marks) -> dict[str, Any]:
    return {
        "role": "user",
        "content": random.choice(([], [{"type": "text", "text": marks.text()}])),
        "visibility": "user_only",
        "hookEventName": marks.text(),
        "hookMatcher": marks.text(),
        "hookCommands": [{"type": "command", "command": marks.text()}],
        "hookResults": [{"exitCode": 0, "stdout": marks.text()}],
    }


LINES: Final[tuple[_Maker, ...]] = (
    lambda random, marks: message(random, marks, "user", _blocks(random, marks)),
    lambda random, marks: message(random, marks, "assistant", _blocks(random, marks)),
    lambda random, marks: message(random, marks, marks.text(), _blocks(random, marks)),
    lambda random, marks: line(random, marks, "message", {"message": _hook(random, marks)}),
    lambda random, marks: line(
        random,
        marks,
        "compaction_state",
        {
            "summaryText": marks.text(),
            "systemInfoText": marks.text(),
            "systemInfo": {"osName": marks.text()},
            "summaryKind": marks.text(),
            "anchorMessage": {"id": marks.text(), "index": 1},
        },
    ),
    lambda random, marks: line(random, marks, "todo_state", {"todos": {"todos": marks.text()}, "messageIndex": 6}),
    lambda _random, marks: {"type": "agent_turn_outcome", "turnId": marks.text(), "reason": marks.text()},
    lambda random, marks: line(random, marks, "session_settings", {"settings": {"model": marks.text()}}),
    lambda random, marks: line(random, marks, "hologram", {"depth": marks.number()}),
    lambda _random, marks: {"unreadable_line": marks.text()},
    lambda _random, marks: [marks.text()],
)
