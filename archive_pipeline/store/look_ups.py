"""What the log of look-ups says of reuse (seed 003): how often the archive answered, and with which messages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import psycopg

from archive_pipeline.store.rows import fetch_rows


@dataclass(frozen=True, slots=True)
class LookUps:
    """How many look-ups an entry point had, and what became of them; the last four add up to ``asked``.

    Attributes:
        door: the entry point, as in ``raw.match_log``.
        asked: all look-ups.
        found: the archive answered.
        generated_equal: an answer was given that the archive had.
        generated_new: an answer was given that the archive had not.
        missed: no answer was known or given.
    """

    door: str
    asked: int
    found: int
    generated_equal: int
    generated_new: int
    missed: int

    @property
    def hit_rate(self) -> float:
        """The share of look-ups that the archive answered, 0 without any."""
        return round(self.found / self.asked, 4) if self.asked else 0.0


@dataclass(frozen=True, slots=True)
class _Reused:
    """A row of ``reused_messages``."""

    message_id: str
    times: int


def look_ups(connection: psycopg.Connection[Any]) -> list[LookUps]:
    """Return the figures of every entry point that was used, in the order of their names."""
    return fetch_rows(connection, "summary/look_ups", LookUps)


def all_look_ups(by_door: list[LookUps]) -> LookUps:
    """Return the sum over entry points, whose ``door`` is ``all``."""
    return LookUps(
        "all",
        sum(each.asked for each in by_door),
        sum(each.found for each in by_door),
        sum(each.generated_equal for each in by_door),
        sum(each.generated_new for each in by_door),
        sum(each.missed for each in by_door),
    )


def reused_messages(connection: psycopg.Connection[Any], dialogue_id: str) -> dict[str, int]:
    """Return how often each message of a dialogue was the archive's answer, by id; those that never were are absent."""
    rows = fetch_rows(connection, "match/reused_messages", _Reused, {"dialogue_id": dialogue_id})
    return {row.message_id: row.times for row in rows}
