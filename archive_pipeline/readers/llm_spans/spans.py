"""Spans as producers log them, in one form: where they belong, and what a call of a model was given and answered."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from archive_pipeline.readers.json.fields import is_empty
from archive_pipeline.readers.json.shapes import as_identifier
from archive_pipeline.readers.timestamps import read_timestamp

# The names under which programs log the conversation of a span, the clearest first.
SESSIONS: Final = (
    *("gen_ai.conversation.id", "session.id", "langfuse.session.id", "traceloop.association.properties.session_id"),
    *("ai.telemetry.metadata.sessionId", "conversation.id", "thread.id", "sessionId", "session_id", "thread_id"),
    "conversation_id",
)


_NANOSECONDS: Final = re.compile(r"[0-9]{17,19}", re.ASCII)
_FIRST_NANOSECONDS: Final = 10**16  # as milliseconds this is far behind the year 9999
_BEHIND_NANOSECONDS: Final = 10**19  # so many are in the year 2286, and no float holds what is far more


@dataclass(slots=True)
class Call:
    """What one call of a model says.

    Attributes:
        given: the messages of its input, instructions first.
        answers: alternatives, each one or several messages.
        model: which answered.
        error: why it failed; None if it did not.
        is_of_agent: it is no call of a model but of what calls models, and has the same messages as those.
    """

    given: list[Any] = field(default_factory=list)
    answers: list[list[Any]] = field(default_factory=list)
    model: str | None = None
    error: str | None = None
    is_of_agent: bool = False


@dataclass(slots=True)
class Span:
    """A span.

    Attributes:
        trace, id: its own; None where it names none.
        session: the conversation that it names.
        start, end: as the producer writes them.
        call: None if it is no call with messages.
        rest: all that it says beside these, as an object.
        origin: what it shares with others of its file: who logged it.
    """

    trace: str | None
    id: str | None
    session: str | None
    start: Any
    end: Any
    call: Call | None
    rest: dict[str, Any]
    origin: dict[str, Any] | None = None


def session_of(fields: Mapping[str, Any]) -> str | None:
    """Returns the conversation that fields name."""
    return next(filter(None, (as_identifier(fields.get(name)) for name in SESSIONS)), None)


def moment_of(value: Any, warnings: Counter[str]) -> datetime | None:
    """Returns a time, also one in nanoseconds since 1970, as OTLP has it."""
    number = int(value) if isinstance(value, str) and _NANOSECONDS.fullmatch(value) else value
    is_nanoseconds = type(number) is int and _FIRST_NANOSECONDS <= number < _BEHIND_NANOSECONDS
    return read_timestamp(number // 1000 / 1_000_000 if is_nanoseconds else value, warnings)


def first_of(fields: Mapping[str, Any], names: Iterable[str]) -> Any:
    """Returns the first of these fields that says something."""
    return next((fields[name] for name in names if not is_empty(fields.get(name))), None)
