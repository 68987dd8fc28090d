"""Exports of LibreChat with every part of a message, in a row and in a tree, each text and id a mark."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import Any, Final

from benchmarks.fuzz.marks import Marks

_Maker = Callable[[Random, Marks], Any]
_TIME: Final = "2026-02-03T10:11:12.345Z"


def conversation(random: Random, marks: Marks) -> dict[str, Any]:
    """Return an export with up to six messages."""
    name = marks.text()
    messages: list[dict[str, Any]] = []
    for _ in range(random.randint(0, 6)):
        made = message(random, marks, is_users=random.random() < 0.5)
        made["parentMessageId"] = random.choice(messages[-2:])["messageId"] if messages else marks.text()
        made["conversationId"] = name
        messages.append(made)
    is_tree = random.random() < 0.5
    return {
        "conversationId": name,
        "endpoint": marks.text(),
        "title": marks.text(),
        "exportAt": marks.text(),
        "branches": random.random() < 0.5,
        "recursive": is_tree,
        "options": {"model": marks.text(), "agent_id": f"agent_{marks.text()}", "promptPrefix": marks.text()},
        random.choice(("messages", "messagesTree") if is_tree else ("messages",)): _tree(messages)
        if is_tree
        else messages,
    }


def _tree(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    by_id = {made["messageId"]: made | {"children": []} for made in messages}
    roots: list[dict[str, Any]] = []
    for made in by_id.values():
        above = by_id.get(made["parentMessageId"])
        (roots if above is None else above["children"]).append(made)
    return roots


def message(random: Random, marks: Marks, *, is_users: bool) -> dict[str, Any]:
    """Return a message of the user or the model."""
    made: dict[str, Any] = {
        "messageId": marks.text(),
        "parentMessageId": None,
        "conversationId": marks.text(),
        "isCreatedByUser": is_users,
        "sender": marks.text(),
        "text": marks.text(),
        "createdAt": _TIME,
        "updatedAt": _TIME,
        "endpoint": marks.text(),
        "model": marks.text(),
        "error": random.random() < 0.2,
        "unfinished": random.random() < 0.2,
        "tokenCount": marks.number(),
        "depth": 2,
        "siblingIndex": 0,
    }
    if is_users:
        return made | {"files": _files(random, marks), "quotes": random.choice(([], [marks.text(), marks.text()]))}
    made |= {"finish_reason": marks.text(), "feedback": {"rating": marks.text(), "tag": {"key": marks.text()}}}
    made["attachments"] = _files(random, marks)
    if random.random() < 0.8:
        made["content"] = [random.choice(PARTS)(random, marks) for _ in range(random.randint(0, 4))]
        made["text"] = random.choice(("", marks.text()))
    return made


def _files(random: Random, marks: Marks) -> list[Any]:
    files = [
        {
            "file_id": marks.text(),
            "filename": marks.text(),
            "filepath": marks.text(),
            "type": f"text/{marks.text()}",
            "bytes": marks.number(),
            "text": marks.text(),
            "source": marks.text(),
        },
        {"filename": marks.text(), "type": marks.text(), "toolCallId": marks.text()},
        {"type": "web_search", "web_search": {"organic": [{"title": marks.text(), "link": marks.text()}]}},
        marks.text(),
    ]
    return random.sample(files, random.randint(0, len(files)))


def _call(random: Random, marks: Marks) -> dict[str, Any]:
    given = {"query": marks.text()}
    calls: list[dict[str, Any]] = [
        {"type": "tool_call", "name": marks.text(), "args": random.choice((given, json.dumps(given)))},
        {"type": "function", "function": {"name": marks.text(), "arguments": marks.text(), "output": marks.text()}},
        {
            "type": "code_interpreter",
            "code_interpreter": {"input": marks.text(), "outputs": [{"type": "logs", "logs": marks.text()}]},
        },
        {"type": "retrieval", "retrieval": {marks.text(): marks.text()}},
    ]
    call = random.choice(calls) | {"id": marks.text(), "progress": marks.number()}
    if call["type"] == "tool_call" and random.random() < 0.7:
        call["output"] = random.choice((marks.text(), [marks.text(), {"text": marks.text()}]))
    return {"type": "tool_call", "tool_call": call, "agentId": marks.text()}


PARTS: Final[tuple[_Maker, ...]] = (
    lambda _random, marks: {"type": "text", "text": marks.text(), "tool_call_ids": [marks.text()]},
    lambda _random, marks: {
        "type": "text",
        "text": {"value": marks.text(), "annotations": [{"type": "file_citation", "text": marks.text()}]},
    },
    lambda _random, marks: {"type": "think", "think": marks.text(), "reasoning_label": marks.text()},
    lambda _random, marks: {"type": "think", "reasoning_unavailable": True, "agentId": marks.text()},
    _call,
    lambda _random, marks: {
        "type": "image_file",
        "image_file": {"file_id": marks.text(), "filepath": marks.text(), "type": "image/png", "width": marks.number()},
    },
    lambda random, marks: {
        "type": "image_url",
        "image_url": random.choice(
            ({"url": f"https://{marks.text()}", "detail": marks.text()}, {"url": "data:image/png;base64,aGk="})
        ),
    },
    lambda _random, marks: {"type": "video_url", "video_url": {"url": marks.text()}},
    lambda _random, marks: {"type": "input_audio", "input_audio": {"data": "aGk=", "format": marks.text()}},
    lambda _random, marks: {"type": "error", "error": marks.text()},
    lambda _random, marks: {"type": "agent_update", "agent_update": {"agentId": marks.text(), "index": marks.number()}},
    lambda _random, marks: {
        "type": "summary",
        "content": [{"type": "text", "text": marks.text()}],
        "boundary": {"messageId": marks.text(), "contentIndex": 1},
    },
    lambda random, marks: {
        "type": "steer",
        "steer": marks.text(),
        "steerId": marks.text(),
        "files": _files(random, marks),
        "quotes": [marks.text()],
    },
    lambda _random, marks: {"type": "activity_label", "activity_label": marks.text(), "tool_call_ids": [marks.text()]},
    lambda _random, marks: {"type": "hologram", "depth": marks.number()},
    lambda _random, marks: marks.text(),
)
