"""Lines with arrays of chat messages, in each form that datasets have, each text and id a mark."""

from __future__ import annotations

from random import Random
from typing import Any, Final

from benchmarks.fuzz import chat_arrays
from benchmarks.fuzz.marks import Marks

FORMS: Final = (
    *("messages", "conversation", "conversations", "traj", "prompt", "completion", "preference", "implicit", "openai"),
    *("texts", "rejected_text", "rejected"),
)


def conversation(random: Random, marks: Marks) -> dict[str, Any]:
    """Return a line in one of the forms, with fields beside its arrays."""
    return line(random, marks, random.choice(FORMS), _messages(random, marks))


def line(random: Random, marks: Marks, form: str, messages: list[Any]) -> dict[str, Any]:
    """Return a line that begins with messages, in a form."""
    return {**_arrays(random, marks, form, messages), **_beside(random, marks)}


def _arrays(random: Random, marks: Marks, form: str, messages: list[Any]) -> dict[str, Any]:
    answers = [[_answer(random, marks)], [_answer(random, marks)]]
    asked = [*messages, {"role": "user", "content": marks.text()}]
    forms: dict[str, dict[str, Any]] = {
        "completion": {"prompt": messages, "completion": answers[0], "label": random.random() < 0.5},
        "preference": {"prompt": messages, "chosen": answers[0], "rejected": answers[1]},
        "implicit": {"prompt": marks.text(), "chosen": messages + answers[0], "rejected": messages + answers[1]},
        "openai": {
            "input": {"messages": messages, "tools": [marks.text()], "parallel_tool_calls": True},
            "preferred_output": answers[0],
            "non_preferred_output": answers[1],
        },
        "texts": {"prompt": asked, "chosen": marks.text(), "rejected": marks.text()},
        "rejected_text": {"messages": messages + answers[0], "rejected_response": marks.text()},
        "rejected": {"messages": messages + answers[0], "rejected_messages": messages + answers[1]},
    }
    return forms.get(form, {form: messages})


def _messages(random: Random, marks: Marks) -> list[dict[str, Any]]:
    said = [random.choice((*chat_arrays.MESSAGES, *MESSAGES))(random, marks) for _ in range(random.randint(1, 6))]
    if random.random() < 0.3:
        said = [{"role": "system", "content": marks.text()}, *said]
    return [{**message, **_beside_message(random, marks)} for message in said]


def _answer(random: Random, marks: Marks) -> dict[str, Any]:
    said = {"role": "assistant", "content": random.choice((marks.text(), random.choice(VALUES)(random, marks)))}
    return {**said, **random.choice(({}, {"reasoning_content": marks.text()}, {"thinking": marks.text()}))}


def _beside_message(random: Random, marks: Marks) -> dict[str, Any]:
    if random.random() < 0.6:
        return {}
    return {"weight": marks.number(), "language": marks.text(), "timestamp": "2026-01-16T02:37:34+00:00"}


def _beside(random: Random, marks: Marks) -> dict[str, Any]:
    named = random.choice(({}, {"id": marks.text()}, {"conversation_hash": marks.text(), "model": marks.text()}))
    task = random.choice(({}, {"task_id": marks.number(), "trial": marks.number(), "info": {"x": marks.text()}}))
    files = random.choice(({}, {"images": [marks.text(), {"path": marks.text()}]}, {"system": marks.text()}))
    return {**named, **task, **files, "tools": random.choice(("[]", [{"name": marks.text()}])), "reward": 0.5}


# Contents of datasets: the blocks of LLaMA-Factory, and a thought in a text.
VALUES: Final = (
    lambda _random, marks: [{"type": "reasoning", "value": marks.text()}, {"type": "text", "value": marks.text()}],
    lambda _random, marks: [
        {"type": "tool_call", "value": f'{{"name": "{marks.text()}", "arguments": {{"a": "{marks.text()}"}}}}'}
    ],
    lambda _random, marks: [{"type": "image_url", "value": marks.text()}, {"type": "text", "value": marks.text()}],
    lambda _random, marks: f"<think>\n{marks.text()}\n</think>\n\n{marks.text()}",
)
MESSAGES: Final = tuple(
    lambda random, marks, make=make: {"role": "assistant", "content": make(random, marks)} for make in VALUES
)
