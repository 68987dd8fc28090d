"""Records of activity and conversations of the Gemini app, each text and id a mark."""

from __future__ import annotations

import json
from random import Random
from typing import Any, Final

from benchmarks.fuzz.marks import Marks

TITLES: Final = ("Prompted ", "Asked Bard: ", "Used ", "Gave feedback on ", "")
ANSWERS: Final = ("html", "object", "details", "exchange", "interaction", "none")
KINDS: Final = ("user_turn", "system_turn")


def conversation(random: Random, marks: Marks) -> dict[str, Any]:
    """Return a record of activity, or a conversation of up to six turns."""
    if random.random() < 0.5:
        return activity(random, marks, random.choice(ANSWERS))
    turns = [turn(random, marks, KINDS[place % 2]) for place in range(random.randint(0, 6))]
    for place, made in enumerate(turns):
        for content in made.values():
            content["turn_index"] = place - random.randint(0, 1)
    return {
        "title": marks.text(),
        "creation_time": "2026-02-01T10:00:00Z",
        "last_modification_time": "2026-02-01T10:00:00Z",
        "conversation_turns": turns,
    }


def activity(random: Random, marks: Marks, answer: str) -> dict[str, Any]:
    """Return a record of activity with an answer of a kind."""
    answers: dict[str, dict[str, Any]] = {
        "html": {"safeHtmlItem": [{"html": f"<p>{marks.text()}</p>"}, {"html": f"<img alt='{marks.text()}'>"}]},
        "object": {"safeHtmlItem": {"htmlValue": f"<ul><li>{marks.text()}</li></ul>"}},
        "details": {"details": [{"name": marks.text()}]},
        "exchange": {"details": [{"name": name, "value": marks.text()} for name in ("Request", "Response")]},
        "interaction": {"userInteractions": [{"userInteraction": _interaction(marks)}]},
        "none": {},
    }
    return {
        "header": "Gemini Apps",
        "title": random.choice(TITLES) + marks.text(),
        "titleUrl": marks.text(),
        "time": "2026-07-26T06:07:57.773Z",
        "products": ["Gemini Apps"],
        "activityControls": [marks.text()],
        "subtitles": [{"name": "Attached 1 file.", "url": marks.text()}, {"name": marks.text(), "url": marks.text()}],
        "imageFile": marks.text(),
        "attachedFiles": [marks.text()],
        **answers[answer],
    }


def _interaction(marks: Marks) -> dict[str, Any]:
    asked, answered = [{"text": marks.text()}], [{"text": marks.text(), marks.text(): marks.number()}]
    return {"endpoint": marks.number(), "request": json.dumps(asked), "response": json.dumps(answered)}


def turn(random: Random, marks: Marks, kind: str) -> dict[str, Any]:
    """Return a turn of a kind."""
    made: dict[str, Any] = {"prompt": marks.text()}
    if kind == "system_turn":
        made = {
            "text": [{"data": marks.text(), "cards": [{"content": marks.text()}]}],
            "images": [marks.text()],
            "model_thoughts": [{"headline": marks.text(), "description": marks.text()}],
        }
    deleted = {"turn_deleted_time": marks.text()} if random.random() < 0.2 else {}
    return {kind: {**made, "turn_index": 1, "turn_last_modified": "2026-02-01T10:00:05Z", **deleted}}
