"""Chats of Claude Design of every block type and role, each text and id a mark."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, Final

from benchmarks.fuzz.marks import Marks

ROLES: Final = ("user", "assistant", "assistant", "system", "robot")


def conversation(random: Random, marks: Marks) -> dict[str, Any]:
    """Return a chat of up to five messages."""
    return {
        "uuid": marks.text(),
        "title": marks.text(),
        "project": {"uuid": marks.text(), "name": marks.text()},
        "created_at": "2026-09-01T00:00:00Z",
        "updated_at": "2026-09-01T00:00:00Z",
        "messages": [message(random, marks) for _ in range(random.randint(0, 5))],
    }


def message(random: Random, marks: Marks) -> dict[str, Any]:
    """Return a message with a text, or with blocks of any type, and files."""
    said: dict[str, Any] = {"kind": marks.text(), "content": random.choice(("", marks.text()))}
    if random.random() < 0.4:
        said |= {"authorAccountUuid": marks.text(), "authorName": marks.text(), "timestamp": marks.number()}
    else:
        said["contentBlocks"] = [random.choice(BLOCKS)(random, marks) for _ in range(random.randint(0, 4))]
    file: dict[str, Any] = {"id": marks.text(), "name": marks.text(), "type": random.choice(("image", "text/plain"))}
    has: dict[str, Any] = random.choice(
        ({"content": marks.text()}, {"path": marks.text(), "aspectRatio": marks.number()})
    )
    said["attachments"] = [{**file, **has, "hidden": False}] if random.random() < 0.3 else []
    return {
        "uuid": marks.text(),
        "role": random.choice(ROLES),
        "created_at": random.choice((None, "2026-09-01T00:00:00Z")),
        "content": said,
    }


def _tool_call(_random: Random, marks: Marks) -> dict[str, Any]:
    call: dict[str, Any] = {
        "id": marks.text(),
        "name": marks.text(),
        "input": {marks.text(): marks.number()},
        marks.text(): 1,
    }
    return {"type": "tool_call", "toolCall": call}


def _interjection(random: Random, marks: Marks) -> dict[str, Any]:
    said = random.choice((marks.text(), {"role": "user", "content": marks.text()}))
    return {"type": "user_interjection", "message": said}


BLOCKS: Final[tuple[Callable[[Random, Marks], Any], ...]] = (
    lambda _random, marks: {"type": "text", "text": marks.text()},
    lambda _random, marks: {"type": "thinking", "text": marks.text()},
    lambda _random, _marks: {"type": "thinking", "text": ""},
    _tool_call,
    _interjection,
    lambda _random, marks: {"type": "error", "message": marks.text()},
    lambda _random, marks: {"type": "hologram", marks.text(): marks.text()},
)
