"""Lines of from/value pairs, in each form that datasets have, each text and id a mark."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Any, Final

from benchmarks.fuzz.marks import Marks

_Maker = Callable[[Random, Marks], str]
FORMS: Final = ("conversations", "conversation", "items", "messages", "preference")
SPEAKERS: Final = ("human", "user", "gpt", "chatgpt", "bing", "system", "observation", "tool")


def conversation(random: Random, marks: Marks) -> dict[str, Any]:
    """Return a line of up to six turns in one of the forms, with fields beside them."""
    turns = [turn(random, marks, random.choice((*SPEAKERS, *CALLS))) for _ in range(random.randint(1, 6))]
    return line(random, marks, random.choice(FORMS), turns)


def line(random: Random, marks: Marks, form: str, turns: list[Any]) -> dict[str, Any]:
    """Return a line that begins with turns, in a form."""
    arrays: dict[str, Any] = {form: turns}
    if form == "preference":
        answers = {name: turn(random, marks, "gpt") for name in ("chosen", "rejected")}
        arrays = {"conversations": turns, **answers}
    named = random.choice(({}, {"id": marks.text()}))
    tools = random.choice(({}, {"tools": f'[{{"name": "{marks.text()}"}}]'}, {"system": marks.text()}))
    files = random.choice(({}, {"images": [marks.text()]}, {"kto_tag": True, "source": marks.text()}))
    return {**named, **arrays, **tools, **files}


def turn(random: Random, marks: Marks, speaker: str) -> dict[str, Any]:
    """Return what somebody says; what calls a tool says so in JSON."""
    value = CALLS[speaker](random, marks) if speaker in CALLS else random.choice(VALUES)(random, marks)
    more = {"weight": marks.number(), "markdown": marks.text()} if random.random() < 0.2 else {}
    return {"from": speaker, "value": value, **more}


VALUES: Final[tuple[_Maker, ...]] = (
    lambda _random, marks: marks.text(),
    lambda _random, marks: f"<image>{marks.text()}",
    lambda _random, marks: f"<think>\n{marks.text()}\n</think>\n\n{marks.text()}",
    lambda _random, _marks: "",
)


def _call(marks: Marks) -> str:
    return f'{{"name": "{marks.text()}", "arguments": {{"a": "{marks.text()}"}}}}'


CALLS: Final[Mapping[str, _Maker]] = {
    "function_call": lambda _random, marks: _call(marks),
    "tool_call": lambda random, marks: random.choice((f"[{_call(marks)}, {_call(marks)}]", marks.text())),
}
