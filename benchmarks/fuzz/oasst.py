"""Trees of Open Assistant, and messages that stand alone, each text and id a mark."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, Final

from benchmarks.fuzz.marks import Marks

_ROLES: Final = ("prompter", "assistant", "assistant", "system", "robot")
_TIME: Final = "2023-02-05T14:23:50.983374+00:00"


def conversation(random: Random, marks: Marks) -> dict[str, Any]:
    """Return a tree, or the messages of one that stood alone in their file."""
    return tree(random, marks) if random.random() < 0.5 else gathered(random, marks)


def tree(random: Random, marks: Marks) -> dict[str, Any]:
    """Return a tree of up to seven messages."""
    nodes = [{**message(random, marks, "prompter"), "replies": []}]
    for _ in range(random.randint(0, 6)):
        reply = {**message(random, marks, random.choice(_ROLES)), "replies": []}
        random.choice(nodes)["replies"].append(reply)
        nodes.append(reply)
    return {
        "message_tree_id": marks.text(),
        "tree_state": random.choice(("ready_for_export", "growing", marks.text())),
        "origin": marks.text(),
        "prompt": nodes[0],
    }


def gathered(random: Random, marks: Marks) -> dict[str, Any]:
    """Return up to five messages of a tree as one object."""
    make = random.choice(ALONE)
    messages = [make(random, marks, role) for role in random.choices(_ROLES, k=random.randint(1, 5))]
    name, above = ("message_id", "parent_id") if "message_id" in messages[0] else ("user_message_id", _ABOVE)
    for place in range(1, len(messages)):
        messages[place][above] = random.choice((messages[random.randrange(place)][name], marks.text(), None))
    return {"tree": marks.text(), "messages": messages}


def message(random: Random, marks: Marks, role: str) -> dict[str, Any]:
    """Return a message as exports have it, without replies."""
    return {
        "message_id": marks.text(),
        "parent_id": random.choice((None, marks.text())),
        "user_id": marks.text(),
        "created_date": _TIME,
        "text": random.choice((marks.text(), marks.text(), "")),
        "role": role,
        "lang": marks.text(),
        "review_count": marks.number(),
        "review_result": random.random() < 0.5,
        "deleted": random.random() < 0.2,
        "rank": random.choice((None, marks.number())),
        "synthetic": random.random() < 0.5,
        "model_name": random.choice((None, marks.text())),
        "detoxify": {"toxicity": marks.number()},
        "emojis": random.choice((None, {"+1": marks.number()}, {"name": [marks.text()], "count": [marks.number()]})),
        "labels": {"spam": {"value": marks.number(), "count": 3}},
        "events": {"emojis": [{"type": "emoji", "emoji": marks.text(), "user_id": marks.text()}]},
    }


def _of_export(random: Random, marks: Marks, role: str) -> dict[str, Any]:
    return {**message(random, marks, role), "message_tree_id": marks.text(), "tree_state": marks.text()}


_ABOVE: Final = "parent_message_id"


def _as_taken_in(_random: Random, marks: Marks, role: str) -> dict[str, Any]:
    names = {"task_message_id": marks.text(), "user_message_id": marks.text(), _ABOVE: None}
    return {**names, "text": marks.text(), "role": role}


ALONE: Final[tuple[Callable[[Random, Marks, str], dict[str, Any]], ...]] = (_of_export, _as_taken_in)
