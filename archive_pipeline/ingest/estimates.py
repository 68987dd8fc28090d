"""About how long an import takes and how large the archive gets, by what was measured (docs/performance.md)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from archive_pipeline.domain.counted import counted
from archive_pipeline.domain.partition_limits import WARN_AT_KEYS


@dataclass(frozen=True, slots=True)
class Rates:
    """What estimates follow from, on two cores with nothing else to do and with default settings.

    Attributes:
        seconds_at_least: of a command without anything to do: the server, Dagster's instance.
        json_bytes_per_second: from files to ``raw``.
        messages_per_second: into all derived tables, Dagster's bookkeeping included.
        database_bytes_per_message: of ``raw``, derived tables, their indexes, and Dagster's events.
    """

    seconds_at_least: int
    json_bytes_per_second: int
    messages_per_second: int
    database_bytes_per_message: int


# The only place of these figures; docs/performance.md has the runs that they are from.
RATES: Final = Rates(
    seconds_at_least=5,
    json_bytes_per_second=16_000_000,
    messages_per_second=1_800,
    database_bytes_per_message=14_500,
)


@dataclass(frozen=True, slots=True)
class Estimate:
    """What an import takes.

    Attributes:
        seconds: from files to all derived tables, on two cores.
        database_bytes: how much the database grows.
        partitioning: which value of ``ARCHIVE_PARTITIONING`` fits.
        advice: why, in a sentence.
    """

    seconds: int
    database_bytes: int
    partitioning: str
    advice: str


def estimate(size_bytes: int, dialogues: int, messages: int) -> Estimate:
    """Return what an import of so much takes, for an archive that is empty before.

    Args:
        size_bytes: of JSON, unpacked.
        dialogues: how many.
        messages: how many, of all dialogues.
    """
    reading = size_bytes / RATES.json_bytes_per_second
    seconds = RATES.seconds_at_least + reading + messages / RATES.messages_per_second
    is_large = dialogues >= WARN_AT_KEYS
    number = counted(dialogues, "dialogue")
    advice = (
        f"{number} are more partitions than Dagster's pages are quick with: set ARCHIVE_PARTITIONING=sharded"
        if is_large
        else f"{number}: a partition for each is fine (sharded is better from {WARN_AT_KEYS:,})"
    )
    partitioning = "sharded" if is_large else "per_dialogue"
    return Estimate(round(seconds), messages * RATES.database_bytes_per_message, partitioning, advice)
