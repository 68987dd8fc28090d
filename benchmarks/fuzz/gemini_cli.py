"""Sessions of Gemini CLI of both kinds, with every part of a message, each text and id a mark."""

from __future__ import annotations

from random import Random
from typing import Any, Final

from benchmarks.fuzz.marks import Marks

TYPES: Final = ("user", "gemini", "info", "error", "warning", "robot")


def conversation(random: Random, marks: Marks) -> dict[str, Any]:
    """Return a session of up to six messages: an object, or the lines of a file."""
    messages = [message(random, marks, random.choice(TYPES)) for _ in range(random.randint(0, 6))]
    head = {
        "sessionId": marks.text(),
        "projectHash": marks.text(),
        "startTime": "2026-03-04T10:00:00.000Z",
        "lastUpdated": "2026-03-04T10:05:00.000Z",
        "kind": "main",
        "directories": [marks.text()],
    }
    if random.random() < 0.5:
        return {**head, "summary": marks.text(), "messages": messages}
    lines: list[Any] = [head]
    for made in messages:
        lines.append(made)
        if random.random() < 0.2:
            lines += _synced(random, marks, messages)
        if random.random() < 0.3:
            lines.append({**made, "tokens": {"total": marks.number()}})
        if random.random() < 0.2:
            lines.append({"$rewindTo": random.choice((made["id"], messages[0]["id"], marks.text()))})
    lines.append({"$set": {"summary": marks.text(), "lastUpdated": "2026-03-04T10:06:00.000Z"}})
    if random.random() < 0.2:
        lines.append({"$set": {"messages": [*messages[:2], message(random, marks, "user")]}, marks.text(): 1})
    lines += random.sample([marks.text(), {marks.text(): marks.text()}, [marks.number()]], random.randint(0, 2))
    return {"file": marks.text(), "lines": lines}


def _synced(random: Random, marks: Marks, messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return copies of messages with the patch that puts them in their place."""
    copies = [{"id": marks.text(), "type": made["type"], "content": made["content"]} for made in messages]
    changed = random.choice(messages)
    calls = [{"id": call["id"], "result": marks.text()} for call in changed.get("toolCalls", [])[:1]]
    patch = {
        "updates": [{"id": changed["id"], "content": [{"text": marks.text()}], "toolCalls": calls}],
        "removeIds": [made["id"] for made in messages if random.random() < 0.8],
        "orderIds": [made["id"] for made in copies],
    }
    return [*copies, {"$patch": patch}]


def message(random: Random, marks: Marks, kind: str) -> dict[str, Any]:
    """Return a message of a type."""
    content: list[Any] = [
        marks.text(),
        [{"text": marks.text()}],
        [marks.text(), {"inlineData": {"mimeType": "image/png", "data": "aGk="}}, {marks.text(): marks.text()}],
        [{"text": f"<session_context>{marks.text()}"}],
        [f"{marks.text()}\n--- Content from referenced files ---\n{marks.text()}"],
        [{"functionResponse": {"id": marks.text(), "name": marks.text(), "response": {"output": marks.text()}}}],
    ]
    made = {
        "id": marks.text(),
        "timestamp": "2026-03-04T10:00:05.000Z",
        "type": kind,
        "content": random.choice(content),
        "displayContent": random.choice(([{"text": marks.text()}], "")),
    }
    return made | _given(random, marks) if kind == "gemini" else made


def _given(random: Random, marks: Marks) -> dict[str, Any]:
    call, other = marks.text(), marks.text()
    repeated = {"functionResponse": {"id": other, "response": {"output": marks.text()}}}
    output = random.choice(({"output": marks.text()}, {"error": marks.text()}, {"x": marks.text()}))
    results = [
        [
            {"functionResponse": {"id": call, "name": marks.text(), "response": {**output, "more": marks.text()}}},
            repeated,
        ],
        marks.text(),
        None,
    ]
    return {
        "thoughts": [{"subject": marks.text(), "description": marks.text(), "timestamp": marks.text()}, marks.text()],
        "tokens": {"input": marks.number()},
        "model": marks.text(),
        "toolCalls": [
            {
                "id": call,
                "name": marks.text(),
                "args": {"file_path": marks.text()},
                "status": random.choice(("success", "error", "cancelled")),
                "timestamp": "2026-03-04T10:00:06.000Z",
                "displayName": marks.text(),
                "resultDisplay": random.choice((marks.text(), {"fileDiff": marks.text()})),
                "result": random.choice(results),
            },
            {"id": other, "result": [repeated]},
            marks.text(),
        ],
    }
