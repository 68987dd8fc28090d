"""Turns: what one side of a conversation says before the other does, with calls of tools and their results."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

from archive_pipeline.domain.batch import BLANK_LINE
from archive_pipeline.retrieval.reading.messages import COMPLETE

FAILED: Final = "error"


@dataclass(slots=True)
class Call:
    """A call of a tool; ``arguments`` is a JSON object as text."""

    id: str
    name: str
    arguments: str


@dataclass(slots=True)
class Result:
    """What a tool answered to a call."""

    call_id: str
    name: str
    content: str
    is_error: bool


@dataclass(slots=True)
class Turn:
    """What one side says before the other does.

    Attributes:
        role: system, user or assistant.
        positions: the messages it is made of.
        content: the text, empty if there are only calls.
        thinking: what the model thought before.
        calls: what it called, each with an entry in ``results``.
        state: of the first of its messages that was interrupted or failed, else complete.
    """

    role: str
    positions: list[int]
    model: str | None
    created_at: datetime | None
    content: str = ""
    thinking: str = ""
    calls: list[Call] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)
    state: str = COMPLETE

    @property
    def is_complete(self) -> bool:
        """Whether no part of it was interrupted or failed."""
        return self.state == COMPLETE

    @property
    def is_spoken(self) -> bool:
        """Whether it is more than a thought."""
        return bool(self.content or self.calls)


def joined(found: Iterable[Turn]) -> list[Turn]:
    """Return turns, neighbours of one role as one unless results stand between them."""
    kept: list[Turn] = []
    for turn in found:
        if kept and kept[-1].role == turn.role and not kept[-1].results:
            kept[-1] = _both(kept[-1], turn)
        else:
            kept.append(turn)
    return kept


def _both(first: Turn, second: Turn) -> Turn:
    return replace(
        first,
        positions=[*first.positions, *second.positions],
        content=BLANK_LINE.join(filter(None, (first.content, second.content))),
        thinking=BLANK_LINE.join(filter(None, (first.thinking, second.thinking))),
        calls=[*first.calls, *second.calls],
        results=second.results,
        state=second.state if first.is_complete else first.state,
    )


def unfinished(state: str) -> str:
    """Return the name by which an answer of a state other than complete is counted."""
    return "failed answers" if state == FAILED else "interrupted answers"
