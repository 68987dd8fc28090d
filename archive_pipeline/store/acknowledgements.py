"""What imports met that somebody should look at; what is acknowledged is kept, and counts no more."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

import psycopg
from psycopg.rows import dict_row

from archive_pipeline.store.sql_files import load_query


@dataclass(frozen=True, slots=True)
class Unacknowledged:
    """What nobody has taken note of.

    Attributes:
        failed_imports: files that were not read to their end.
        rejected_records: records that could not be loaded.
        anomalies: what is unusual in dialogues, by name, with how often.
        acknowledged_at: when somebody last took note; None if nobody ever did.
    """

    failed_imports: int
    rejected_records: int
    anomalies: dict[str, int]
    acknowledged_at: datetime | None

    @property
    def counts(self) -> dict[str, int]:
        """A number for each kind."""
        return {
            "failed_imports": self.failed_imports,
            "rejected_records": self.rejected_records,
            "surprises": sum(self.anomalies.values()),
        }


def unacknowledged(connection: psycopg.Connection[Any]) -> Unacknowledged:
    """Return what nobody has taken note of."""
    anomalies: dict[str, int] = dict(connection.execute(load_query("imports/unacknowledged_surprises")).fetchall())
    with connection.cursor(row_factory=dict_row) as cursor:
        [figures] = cursor.execute(load_query("imports/unacknowledged_imports")).fetchall()
    return Unacknowledged(anomalies=anomalies, **figures)


def acknowledge(connection: psycopg.Connection[Any]) -> Unacknowledged:
    """Take note of every import that has ended; return what was not taken note of before."""
    before = unacknowledged(connection)
    connection.execute(load_query("imports/acknowledge_imports"))
    return before
