"""Records of a question and its answers, in each form that datasets have, each text and id a mark."""

from __future__ import annotations

from random import Random
from typing import Any, Final

from benchmarks.fuzz.marks import Marks

# What is asked, what it is about, and what is answered; of preferences the better answer first.
FORMS: Final = (
    ("instruction", "input", ("output",)),
    ("instruction", "context", ("response",)),
    ("prompt", "", ("completion",)),
    ("prompt", "", ("response",)),
    ("question", "context", ("answer",)),
    ("question", "", ("response",)),
    ("query", "", ("response", "rejected_response")),
    ("instruction", "input", ("chosen", "rejected")),
    ("prompt", "", ("chosen", "rejected")),
    ("prompt", "", ("chosen_response", "rejected_response")),
)


def conversation(random: Random, marks: Marks) -> dict[str, Any]:
    """Return a record in one of the forms, with fields beside it."""
    if random.random() < 0.1:
        return {**transcripts(marks), **_beside(random, marks)}
    return record(random, marks, random.randrange(len(FORMS)))


def record(random: Random, marks: Marks, form: int) -> dict[str, Any]:
    """Return a record in the form of a number."""
    asked, about, answered = FORMS[form]
    value: dict[str, Any] = {asked: marks.text()}
    if about:
        value[about] = random.choice(("", marks.text()))
    value |= {name: random.choice(ANSWERS)(marks) for name in answered}
    if answered == ("output",) and random.random() < 0.2:
        value["output"] = [marks.text(), marks.text()]
    return {**value, **_beside(random, marks)}


def transcripts(marks: Marks) -> dict[str, Any]:
    """Return a preference without a prompt: two texts with all turns, which begin alike."""
    begin = f"\n\nHuman: {marks.text()}\n\nAssistant: {marks.text()}\n\nHuman: {marks.text()}\n\nAssistant: "
    return {"chosen": begin + marks.text(), "rejected": begin + marks.text()}


def _beside(random: Random, marks: Marks) -> dict[str, Any]:
    system: dict[str, Any] = random.choice(({}, {"system": marks.text()}, {"system_prompt": marks.text()}))
    history: dict[str, Any] = random.choice(
        ({}, {"history": [[marks.text(), marks.text()], [marks.text(), None]]}, {"history": []})
    )
    named = random.choice(({}, {"id": marks.text()}, {"category": marks.text(), "model": marks.text()}))
    files = random.choice(({}, {"images": [marks.text()]}, {"kto_tag": True, "score": marks.number()}))
    return {**system, **history, **named, **files}


ANSWERS: Final = (
    lambda marks: marks.text(),
    lambda marks: f"<think>\n{marks.text()}\n</think>\n\n{marks.text()}",
    lambda marks: f"{marks.text()} <image>",
)
