"""Vintages: shapes of exports by what they can hold. The one table of the rules by which exports are merged.

An export says nothing of what its shape has no place for. What is missing from it is deleted only where its vintage
could have held it, and only fields that its vintage has are updated.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Final

from archive_pipeline.domain.records import FULL


class Holds(StrEnum):
    """Which messages of a dialogue a vintage can hold, so that one without them has lost them."""

    ALL = "all"
    SHOWN = "shown"  # by user or assistant, to everybody, shown, with text, code or media
    UNKNOWN = "unknown"  # what it leaves out cannot be told from what is deleted


@dataclass(frozen=True, slots=True)
class Vintage:
    """What exports of one shape can say.

    Attributes:
        name: of the shape.
        holds: the messages it can hold.
        lacks: fields of messages that it has no place for; they stay what another vintage says.
        has_parents: whether it says of which message one is the child, past messages it does not hold.
        is_partial: it is of partial exports, or each of its exports is a part.
        repeats: exports repeat messages of earlier ones without saying when, and by which model, they were said.
        gives_way_to: the shape whose exports say what was said where there are any; this one's only tell about it.
    """

    name: str
    holds: Holds
    lacks: frozenset[str] = frozenset()
    has_parents: bool = True
    is_partial: bool = False
    repeats: bool = False
    gives_way_to: str | None = None


_WHOLE: Final = Vintage(FULL, Holds.ALL)
VINTAGES: Final[Mapping[tuple[str, str], Vintage]] = {
    ("chatgpt", FULL): _WHOLE,
    ("chatgpt", "slim"): Vintage(
        "slim", Holds.SHOWN, frozenset({"author_name", "recipient", "channel", "state", "is_hidden"})
    ),
    ("claude_ai", FULL): _WHOLE,
    ("claude_ai", "linear"): Vintage("linear", Holds.UNKNOWN, has_parents=False),
    ("gemini", FULL): _WHOLE,
    ("gemini", "page"): Vintage("page", Holds.UNKNOWN),
    ("hermes", FULL): _WHOLE,
    ("hermes", "active"): Vintage("active", Holds.UNKNOWN, has_parents=False),
    ("librechat", FULL): _WHOLE,
    ("librechat", "branch"): Vintage("branch", Holds.UNKNOWN),
    ("openai_messages", "line"): Vintage("line", Holds.UNKNOWN),
    ("sharegpt", "line"): Vintage("line", Holds.UNKNOWN),
    ("instructions", "line"): Vintage("line", Holds.UNKNOWN),
    ("llm_spans", "calls"): Vintage("calls", Holds.UNKNOWN, is_partial=True, repeats=True),
    ("llm_spans", "agents"): Vintage("agents", Holds.UNKNOWN, is_partial=True, repeats=True, gives_way_to="calls"),
    ("opencode", FULL): _WHOLE,
    ("opencode", "entries"): Vintage("entries", Holds.UNKNOWN),
}


_PARTIAL: Final = "partial "


def partial_of(name: str) -> str:
    """Return the vintage of partial exports of a shape, also where a reader says that it is one."""
    return name if is_partial(name) else f"{_PARTIAL}{name}"


def is_partial(name: str) -> bool:
    """Tell whether a vintage is of partial exports."""
    return name.startswith(_PARTIAL)


def at_time(name: str, moment: datetime | None) -> str:
    """Return the vintage of the partial exports of a shape that are of one time."""
    return name if moment is None else f"{name} {moment.isoformat()}"


def untimed(name: str) -> str:
    """Return the vintage of partial exports of a shape for one that names a time, any other as it is."""
    return partial_of(shape_of(name)) if is_partial(name) else name


def time_of(name: str) -> datetime | None:
    """Return the time that a vintage names."""
    _, _, moment = name.removeprefix(_PARTIAL).partition(" ")
    return datetime.fromisoformat(moment) if moment else None


def shape_of(name: str) -> str:
    """Return the shape of a vintage, whether it is of partial exports or not."""
    return name.removeprefix(_PARTIAL).partition(" ")[0]


def vintage(source: str, name: str) -> Vintage:
    """Return the rules of a vintage; of a source with no others, its exports have all there is.

    Partial exports can hold what others of their shape can, and say nothing of what they leave out.
    """
    rules = VINTAGES.get((source, shape_of(name)), _WHOLE)
    return replace(rules, holds=Holds.UNKNOWN, is_partial=True) if is_partial(name) else rules
