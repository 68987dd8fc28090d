"""What the report shows: its charts, each with the query that counts for it, and the counts themselves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum
from itertools import pairwise
from typing import Any, Final

import psycopg

from archive_pipeline.store.by_index import by_whole_tables
from archive_pipeline.store.database import Database
from archive_pipeline.store.rows import fetch_rows

# Where classes of lengths begin: each is twice as wide as the one before.
BOUNDS: Final = (0, 1, 2, *(2**power + 1 for power in range(1, 20)))
# In place of the month of a dialogue whose source does not say when it began.
NO_DATE: Final = "no date"


@dataclass(frozen=True, slots=True)
class Count:
    """One number.

    Attributes:
        series: what its colour stands for.
        label: where it stands: a month or ``NO_DATE``, a name, or the number of a class of ``BOUNDS`` from 1.
        value: it.
    """

    series: str
    label: str | int
    value: int


class Form(Enum):
    """How counts are drawn."""

    MONTHS = "a column for each month, and one for what has no date"
    CLASSES = "a column for each class of ``BOUNDS``"
    NAMES = "a row for each name, the largest first"


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart of the report.

    Attributes:
        name: of its query in ``sql/queries/report``.
        title: in words.
        note: what exactly is counted.
        form: how it is drawn.
    """

    name: str
    title: str
    note: str
    form: Form


CHARTS: Final = (
    Chart(
        "activity",
        "Messages per month",
        "By the month in which the dialogue began, if its source has a date, and by source.",
        Form.MONTHS,
    ),
    Chart("models", "Messages per model", "Answers that name their model, by the source that has most.", Form.NAMES),
    Chart(
        "dialogue_lengths",
        "Messages per dialogue",
        "Of every role, without copied ones.",
        Form.CLASSES,
    ),
    Chart("text_lengths", "Words per message", "Prompts, and responses to them.", Form.CLASSES),
    Chart(
        "branches", "Paths per dialogue", "From a root to a leaf; one in a dialogue that never branched.", Form.CLASSES
    ),
    Chart(
        "regenerations",
        "Regenerated answers",
        "Prompts by the model that answered first; another answer or none.",
        Form.NAMES,
    ),
    Chart("continuations", "Continuations", "How often the user only asked to go on with an answer.", Form.CLASSES),
    Chart("tools", "Calls of tools", "By the name of the tool, and what came back.", Form.NAMES),
    Chart(
        "tokens",
        "Tokens",
        "By the language of questions and answers, as they are cut for search (cl100k_base).",
        Form.NAMES,
    ),
    Chart(
        "duplicates",
        "Duplicates",
        "Messages and exchanges that say the same or nearly, by the way to find them.",
        Form.NAMES,
    ),
    Chart("quality", "Quality of imports", "Anomalies of dialogues as they are now, and rejected records.", Form.NAMES),
    Chart("drift", "Format drift", "Fields, types of content and types of values that are unknown.", Form.NAMES),
)


@dataclass(frozen=True, slots=True)
class Report:
    """Counts of the archive at one moment.

    Attributes:
        made_at: the moment (UTC).
        totals: numbers of the archive by name: dialogues, messages, imports, rejected records.
        counts: of each chart of ``CHARTS`` by name.
    """

    made_at: datetime
    totals: Mapping[str, int]
    counts: Mapping[str, list[Count]]


@dataclass(frozen=True, slots=True)
class _Totals:
    dialogues: int
    messages: int
    copied_messages: int
    links_branch: int
    links_fork: int
    links_resume: int
    links_copy: int
    links_subagent: int
    imports_done: int
    imports_failed: int
    rejected_records: int
    database_bytes: int


def collect(database: Database) -> Report:
    """Count everything in one snapshot of the archive."""
    with database.snapshot() as connection:
        (totals,) = fetch_rows(connection, "summary/summary_totals", _Totals)
        counts = count_charts(connection)
    shown = {
        "dialogues": totals.dialogues,
        "messages": totals.messages,
        "messages copied into other dialogues": totals.copied_messages,
        "imports": totals.imports_done,
        "failed imports": totals.imports_failed,
        "rejected records": totals.rejected_records,
    }
    return Report(datetime.now(UTC), shown, counts)


def count_charts(connection: psycopg.Connection[Any]) -> dict[str, list[Count]]:
    """Return what each chart of ``CHARTS`` counts, by its name."""
    parameters = {"bounds": list(BOUNDS), "no_date": NO_DATE}
    with by_whole_tables(connection):
        return {chart.name: fetch_rows(connection, f"report/{chart.name}", Count, parameters) for chart in CHARTS}


def class_name(number: int) -> str:
    """Return the words for a class of ``BOUNDS``: ``3 to 4``."""
    named = {
        place: str(low) if high - low == 1 else f"{low} to {high - 1}"
        for place, (low, high) in enumerate(pairwise(BOUNDS), 1)
    }
    return named.get(number, f"{BOUNDS[-1]:,} and more")
