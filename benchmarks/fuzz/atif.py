"""Trajectories with every field of a step, each text and id a mark."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, Final

from benchmarks.fuzz.marks import Marks

SOURCES: Final = ("user", "agent", "agent", "agent", "system", "robot")
_TIME: Final = "2025-10-16T14:30:00Z"


def conversation(random: Random, marks: Marks) -> dict[str, Any]:
    """Return a trajectory of up to five steps, with one of a subagent in it or without."""
    inner = random.choice(({}, {}, {"subagent_trajectories": [trajectory(random, marks, 1)]}))
    return {**trajectory(random, marks, 5), **inner}


def trajectory(random: Random, marks: Marks, most: int) -> dict[str, Any]:
    """Return a trajectory of so many steps at most."""
    steps = [step(random, marks, random.choice(SOURCES), number) for number in range(1, random.randint(0, most) + 1)]
    return {
        "schema_version": random.choice(("ATIF-v1.4", "ATIF-v1.6", "ATIF-v1.7")),
        "session_id": marks.text(),
        **random.choice(({}, {"trajectory_id": marks.text()})),
        "agent": {
            "name": marks.text(),
            "version": marks.text(),
            "model_name": random.choice((marks.text(), None)),
            "tool_definitions": [{"type": "function", "function": {"name": marks.text()}}],
            "extra": {"profile": marks.text()},
        },
        "steps": steps,
        "notes": marks.text(),
        "final_metrics": {"total_steps": marks.number(), "extra": {"a": marks.text()}},
        "continued_trajectory_ref": marks.text(),
        "extra": {"title": marks.text(), "dialogue": marks.text()},
    }


def step(random: Random, marks: Marks, source: str, number: int) -> dict[str, Any]:
    """Return a step of a source."""
    of_agent = _of_agent(random, marks) if source == "agent" else {}
    return {
        "step_id": random.choice((number, number, 1, marks.text())),
        "timestamp": _TIME,
        "source": source,
        "message": content(random, marks),
        "is_copied_context": random.random() < 0.2,
        **of_agent,
        **random.choice(({}, {"observation": _observation(random, marks)})),
        "extra": {"a": marks.text()},
    }


def _of_agent(random: Random, marks: Marks) -> dict[str, Any]:
    return {
        "model_name": random.choice((None, marks.text())),
        "reasoning_effort": random.choice(("high", marks.number())),
        "reasoning_content": random.choice((None, "", marks.text())),
        "tool_calls": [_call(random, marks) for _ in range(random.randint(0, 2))],
        "metrics": {"prompt_tokens": marks.number(), "logprobs": [marks.number()], "extra": {"a": marks.text()}},
        "llm_call_count": random.choice((0, 1, marks.number())),
    }


def _call(random: Random, marks: Marks) -> dict[str, Any]:
    return {
        "tool_call_id": random.choice(("call", marks.text())),
        "function_name": marks.text(),
        "arguments": random.choice(({"path": marks.text(), "limit": marks.number()}, {}, marks.text())),
        "extra": {"a": marks.text()},
    }


def _observation(random: Random, marks: Marks) -> dict[str, Any]:
    results = [
        {
            "source_call_id": random.choice(("call", marks.text(), None)),
            "content": random.choice((content(random, marks), None)),
            "subagent_trajectory_ref": [{"session_id": marks.text(), "trajectory_path": marks.text()}],
            "extra": {"a": marks.text()},
        }
        for _ in range(random.randint(0, 2))
    ]
    return {"results": results}


def content(random: Random, marks: Marks) -> Any:
    """Return what a step or a result says: a text, or pieces of every kind."""
    pieces = [random.choice(PIECES)(random, marks) for _ in range(random.randint(0, 3))]
    return random.choice((marks.text(), marks.text(), "", pieces))


PIECES: Final[tuple[Callable[[Random, Marks], Any], ...]] = (
    lambda _random, marks: {"type": "text", "text": marks.text()},
    lambda _random, marks: {"type": "text", "text": marks.text(), "source": marks.text()},
    lambda _random, marks: {"type": "image", "source": {"media_type": marks.text(), "path": marks.text()}},
    lambda _random, marks: {"type": "hologram", "text": marks.text()},
    lambda _random, marks: marks.text(),
)
