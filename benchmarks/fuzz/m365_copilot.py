"""Interactions with Microsoft 365 Copilot with everything that is attached to them, each text and id a mark."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import Any, Final

from benchmarks.fuzz.marks import Marks

_TYPES: Final = ("userPrompt", "aiResponse", "aiResponse", "robot")


def conversation(random: Random, marks: Marks) -> dict[str, Any]:
    """Return a session of up to six interactions."""
    made = [
        message(random, marks, random.choice(_TYPES), random.choice(ATTACHMENTS)) for _ in range(random.randint(1, 6))
    ]
    return {"tree": marks.text(), "messages": made}


def message(random: Random, marks: Marks, kind: str, attach: Attach) -> dict[str, Any]:
    """Return an interaction with something attached."""
    speaker = random.choice(("user", "application"))
    page = {"linkUrl": marks.text(), "displayName": marks.text(), "linkType": marks.text()}
    context = {"contextReference": marks.text(), "displayName": marks.text(), "contextType": marks.text()}
    return {
        "id": marks.text(),
        "sessionId": marks.text(),
        "requestId": marks.text(),
        "appClass": marks.text(),
        "interactionType": kind,
        "conversationType": marks.text(),
        "etag": marks.text(),
        "createdDateTime": f"2026-08-26T20:{random.randint(10, 59)}:30.594Z",
        "locale": marks.text(),
        "contexts": random.choice(([], [context])),
        "from": {"device": None, speaker: {"id": marks.text(), "displayName": marks.text()}},
        "body": _body(random, marks),
        "attachments": attach(random, marks),
        "links": random.choice(([], [page])),
        "mentions": random.choice(([], [{"mentionId": marks.number(), "mentionText": marks.text()}])),
    }


def _body(random: Random, marks: Marks) -> dict[str, Any]:
    mark = random.choice(("", f'<attachment id="{marks.text()}"></attachment>'))
    if random.random() < 0.5:
        return {"contentType": "html", "content": f"<p>{marks.text()}</p>{mark}"}
    return {"contentType": "text", "content": f"{marks.text()}{mark}"}


def _nothing(_random: Random, _marks: Marks) -> list[Any]:
    return []


def _file(_random: Random, marks: Marks) -> list[Any]:
    names = ("attachmentId", "contentType", "contentUrl", "content", "name")
    return [{name: marks.text() for name in names}]


def _card(random: Random, marks: Marks) -> list[Any]:
    text = {"type": "TextBlock", "text": marks.text(), "weight": marks.text()}
    card = {"type": "AdaptiveCard", "body": [{"type": "Container", "items": [text]}], "actions": [marks.text()]}
    content = random.choice((json.dumps(card), marks.text(), json.dumps({"body": []})))
    kind = "application/vnd.microsoft.card.adaptive"
    return [{"attachmentId": marks.text(), "contentType": kind, "contentUrl": None, "content": content, "name": None}]


Attach = Callable[[Random, Marks], list[Any]]
ATTACHMENTS: Final[tuple[Attach, ...]] = (_nothing, _file, _card)
