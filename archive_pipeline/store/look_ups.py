"""What the log of look-ups says of reuse (seed 003): how often the archive answered, and with which messages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import psycopg

from archive_pipeline.store.database import Database
from archive_pipeline.store.rows import fetch_row, fetch_rows, fetch_value

# A transaction for so many ids: no lock is held for long, and who is interrupted keeps what was done.
LOOK_UPS_PER_TRANSACTION: Final = 20_000


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


class _Ids(NamedTuple):
    first_id: int | None
    last_id: int | None


def delete_old_look_ups(database: Database, days: int) -> int:
    """Delete look-ups that are older than ``days`` from the log and return how many; 0 days keep them all.

    Kept is the last answer of a model to a response: by it ``respond`` knows a model by another of its names.
    """
    if days <= 0:
        return 0
    with database.statements() as connection:
        old = fetch_row(connection, "match/old_look_ups", _Ids, {"days": days})
        if old is None or old.first_id is None or old.last_id is None:
            return 0
        return sum(
            fetch_value(
                connection,
                "match/delete_old_look_ups",
                int,
                {"days": days, "first_id": first, "last_id": min(first + LOOK_UPS_PER_TRANSACTION - 1, old.last_id)},
            )
            or 0
            for first in range(old.first_id, old.last_id + 1, LOOK_UPS_PER_TRANSACTION)
        )
