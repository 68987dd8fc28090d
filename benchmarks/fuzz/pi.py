"""Sessions of Pi with every kind of entry and block, in a file or in rows of a database, each text and id a mark."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, Final

from benchmarks.fuzz.marks import Marks

_Maker = Callable[[Random, Marks], Any]
_TIME: Final = "2026-01-16T02:37:34.075Z"
_POINTERS: Final = ("targetId", "appendParentId")


def conversation(random: Random, marks: Marks) -> dict[str, Any]:
    """Return what a session of up to eight entries is read as, a tree or a chain of the first version."""
    lines: list[Any] = [header(random, marks)]
    has_ids = random.random() < 0.8
    for _ in range(random.randint(0, 8)):
        line = random.choice(LINES)(random, marks)
        if isinstance(line, dict) and not has_ids:
            line = {name: value for name, value in line.items() if name not in ("id", "parentId")}
        elif isinstance(line, dict) and "parentId" in line:
            before = [other["id"] for other in lines[-3:] if isinstance(other, dict) and "id" in other]
            line["parentId"] = random.choice((*before, None, marks.text()))
            if random.random() < 0.1:
                line["appendMode"] = "side"
        lines.append(line)
    if random.random() < 0.1:
        lines.append(random.choice(lines))
    if random.random() < 0.3:
        return in_database(random, marks, lines)
    return {"file": f"{marks.text()}.jsonl", "lines": lines}


def in_database(random: Random, marks: Marks, lines: list[Any]) -> dict[str, Any]:
    """Return what the rows of a session are read as."""
    session = marks.text()
    rows = [
        {"session_id": session, "seq": number, "event_json": line, "created_at": marks.number()}
        for number, line in enumerate(lines)
    ]
    about = {"session_key": marks.text(), "display_name": random.choice((None, marks.text()))}
    tables = {
        "session_nodes": [{**about, "current_session_id": session, "label": random.choice((None, marks.text()))}],
        "session_windows": [{**about, "session_id": session, "reason": marks.text()}],
        "transcript_events": rows,
    }
    return {"database": "pi", "conversation_id": session, "tables": tables}


def header(random: Random, marks: Marks) -> dict[str, Any]:
    """Return the first line of a session."""
    parent = random.choice(({}, {"parentSession": marks.text()}))
    return {"type": "session", "version": 3, "id": marks.text(), "timestamp": _TIME, "cwd": marks.text(), **parent}


def entry(random: Random, marks: Marks, kind: str, said: dict[str, Any]) -> dict[str, Any]:
    """Return an entry of a kind."""
    return {"type": kind, "id": random.choice(("4a8b6c1d", marks.text())), "parentId": None, "timestamp": _TIME, **said}


def message(random: Random, marks: Marks, role: str, content: Any) -> dict[str, Any]:
    """Return the entry of a message of a role."""
    said = {"role": role, "content": content, "timestamp": marks.number(), **_BESIDE.get(role, _nothing)(random, marks)}
    return entry(random, marks, "message", {"message": said})


def _nothing(_random: Random, _marks: Marks) -> dict[str, Any]:
    return {}


def _of_answer(random: Random, marks: Marks) -> dict[str, Any]:
    error = random.choice(({}, {"errorMessage": marks.text()}))
    names = {name: marks.text() for name in ("api", "provider", "model")}
    reason = random.choice(("stop", "toolUse", "length", "error", "aborted"))
    return {**names, "usage": {"input": marks.number()}, "stopReason": reason, **error}


def _of_result(random: Random, marks: Marks) -> dict[str, Any]:
    call = {"toolCallId": random.choice(("call", marks.text())), "toolName": marks.text()}
    return {**call, "isError": random.random() < 0.5, "details": {"diff": marks.text()}}


_BESIDE: Final[dict[str, Callable[[Random, Marks], dict[str, Any]]]] = {
    "assistant": _of_answer,
    "toolResult": _of_result,
    "user": lambda _random, marks: {
        "attachments": [
            {
                "id": marks.text(),
                "type": "document",
                "fileName": marks.text(),
                "mimeType": marks.text(),
                "size": marks.number(),
                "content": "aGk=",
                "extractedText": marks.text(),
                "preview": marks.text(),
            },
            marks.text(),
        ]
    },
    "custom": lambda random, marks: {
        "customType": marks.text(),
        "display": random.random() < 0.5,
        "details": {"text": marks.text()},
    },
}


BLOCKS: Final[tuple[_Maker, ...]] = (
    lambda _random, marks: {"type": "text", "text": marks.text(), "textSignature": marks.text()},
    lambda _random, marks: marks.text(),
    lambda _random, marks: {
        "type": "text",
        "text": f'<skill name="{marks.text()}" location="{marks.text()}">\n{marks.text()}\n</skill>\n\n{marks.text()}',
        "textSignature": marks.text(),
    },
    lambda _random, marks: {"type": "text", "text": f'<file name="{marks.text()}">\n{marks.text()}\n</file>\n'},
    lambda _random, marks: {"type": "thinking", "thinking": marks.text(), "thinkingSignature": marks.text()},
    lambda _random, marks: {"type": "image", "data": "aGk=", "mimeType": marks.text()},
    lambda random, marks: {
        "type": "toolCall",
        "id": random.choice(("call", marks.text())),
        "name": marks.text(),
        "arguments": {"path": marks.text(), "limit": marks.number()},
        "thoughtSignature": marks.text(),
    },
    lambda _random, marks: {"type": "hologram", "text": marks.text()},
)


def _blocks(random: Random, marks: Marks) -> Any:
    made = [random.choice(BLOCKS)(random, marks) for _ in range(random.randint(0, 3))]
    return random.choice((made, made, marks.text()))


LINES: Final[tuple[_Maker, ...]] = (
    lambda random, marks: message(random, marks, "user", _blocks(random, marks)),
    lambda random, marks: message(random, marks, "assistant", _blocks(random, marks)),
    lambda random, marks: message(random, marks, "toolResult", _blocks(random, marks)),
    lambda random, marks: message(random, marks, "custom", _blocks(random, marks)),
    lambda random, marks: message(random, marks, marks.text(), _blocks(random, marks)),
    lambda random, marks: entry(
        random,
        marks,
        "message",
        {"message": {"role": "bashExecution", "command": marks.text(), "output": marks.text(), "exitCode": 1}},
    ),
    lambda random, marks: entry(
        random, marks, "compaction", {"summary": marks.text(), "firstKeptEntryId": marks.text(), "tokensBefore": 9}
    ),
    lambda random, marks: entry(
        random, marks, "branch_summary", {"summary": marks.text(), "fromId": marks.text(), "details": [marks.text()]}
    ),
    lambda random, marks: entry(
        random,
        marks,
        "custom_message",
        {
            "customType": marks.text(),
            "content": random.choice((marks.text(), [BLOCKS[0](random, marks)])),
            "display": True,
            "details": {"text": marks.text()},
        },
    ),
    lambda random, marks: entry(random, marks, "custom", {"customType": marks.text(), "data": {"a": marks.text()}}),
    lambda random, marks: entry(random, marks, "model_change", {"provider": marks.text(), "modelId": marks.text()}),
    lambda random, marks: entry(random, marks, "thinking_level_change", {"thinkingLevel": marks.text()}),
    lambda random, marks: entry(random, marks, "label", {"targetId": marks.text(), "label": marks.text()}),
    lambda random, marks: entry(random, marks, "session_info", {"name": marks.text()}),
    lambda random, marks: entry(
        random, marks, "leaf", {name: random.choice(("4a8b6c1d", None, marks.text())) for name in _POINTERS}
    ),
    lambda random, marks: entry(random, marks, "active_tools_change", {"activeToolNames": [marks.text()]}),
    lambda random, marks: entry(random, marks, "hologram", {"depth": marks.number()}),
    lambda _random, marks: {"unreadable_line": marks.text()},
    lambda _random, marks: [marks.text()],
)
