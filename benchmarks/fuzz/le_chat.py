"""Chats of Le Chat with every kind of chunk, each text and id a mark."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, Final

from benchmarks.fuzz.marks import Marks

_ROLES: Final = ("user", "assistant", "assistant", "system", "robot")


def conversation(random: Random, marks: Marks) -> dict[str, Any]:
    """Return a chat of up to six messages, of which some are versions of others, with parents or without."""
    has_parents = random.random() < 0.2
    messages: list[dict[str, Any]] = []
    for _ in range(random.randint(1, 6)):
        made = message(random, marks, random.choice(_ROLES), random.choices(CHUNKS, k=random.randint(0, 3)))
        if messages and random.random() < 0.3:
            made |= {"id": random.choice(messages)["id"], "version": random.randint(0, 2)}
        if has_parents and messages:
            above = random.choice(messages)
            made |= {"parentId": above["id"], "parentVersion": above["version"]}
        messages.append(made)
    random.shuffle(messages)
    return {"tree": marks.text(), "messages": messages}


def message(random: Random, marks: Marks, role: str, chunks: list[Chunk]) -> dict[str, Any]:
    """Return a message with some chunks."""
    return {
        "id": marks.text(),
        "version": 0,
        "chatId": marks.text(),
        "content": random.choice((marks.text(), "")),
        "contentChunks": [make(random, marks) for make in chunks] or None,
        "role": role,
        "createdAt": f"2026-08-26T20:{random.randint(10, 59)}:30.594Z",
        "reaction": random.choice(("neutral", marks.text())),
        "reactionDetail": None,
        "reactionComment": random.choice((None, marks.text())),
        "preference": None,
        "preferenceOver": random.choice((None, marks.text())),
        "context": {"openCanvaId": marks.text(), "completionTiming": {"completedAtMs": marks.number()}},
        "canvas": [_canvas(marks)] if random.random() < 0.3 else [],
        "quotes": random.choice(([], [marks.text(), {"text": marks.text(), "url": marks.text()}])),
        "files": [{"type": "image", "name": marks.text()}, {"id": marks.text()}] if random.random() < 0.3 else [],
    }


def _canvas(marks: Marks) -> dict[str, Any]:
    return {"id": marks.text(), "version": 0, "type": "text/markdown", "title": marks.text(), "content": marks.text()}


def _text(_random: Random, marks: Marks) -> dict[str, Any]:
    return {"type": "text", "text": marks.text(), "_context": None}


def _thought(_random: Random, marks: Marks) -> dict[str, Any]:
    context = {"type": "reasoning", "contextId": marks.text(), "startTime": marks.number(), "endTime": marks.number()}
    return {"type": "text", "text": marks.text(), "_context": context}


def _call(random: Random, marks: Marks) -> dict[str, Any]:
    pages = {"pages": [{"title": marks.text(), "url": marks.text(), "rank": marks.number()}]}
    return {
        "type": "tool_call",
        "id": random.choice((None, marks.text())),
        "name": marks.text(),
        "turn": marks.number(),
        "success": random.choice((True, False, None)),
        "publicArguments": random.choice((marks.text(), f'{{"query": "{marks.text()}"}}', {"query": marks.text()})),
        "publicResult": random.choice((None, marks.text(), pages, [marks.text()])),
    }


def _reference(_random: Random, marks: Marks) -> dict[str, Any]:
    return {"type": "reference", "referenceIds": [marks.number(), marks.number()]}


def _page(_random: Random, marks: Marks) -> dict[str, Any]:
    return {"type": "tool_reference", "url": marks.text(), "title": marks.text(), "description": marks.text()}


def _image(_random: Random, marks: Marks) -> dict[str, Any]:
    return {"type": "image_url", "imageUrl": marks.text()}


def _file(_random: Random, marks: Marks) -> dict[str, Any]:
    names = {"fileReference": marks.text(), "fileAlt": marks.text(), "fileUrl": marks.text()}
    return {"type": "file_reference", **names}


def _canva(_random: Random, marks: Marks) -> dict[str, Any]:
    return {"type": "canva", "id": marks.text(), "version": 0}


def _element(random: Random, marks: Marks) -> dict[str, Any]:
    return {"type": "custom_element", random.choice(("content", "source", marks.text())): marks.text()}


def _unknown(_random: Random, marks: Marks) -> dict[str, Any]:
    return {"type": "hologram", "depth": marks.number()}


Chunk = Callable[[Random, Marks], dict[str, Any]]
CHUNKS: Final[tuple[Chunk, ...]] = (
    *(_text, _thought, _call, _reference, _page),
    *(_image, _file, _canva, _element, _unknown),
)
