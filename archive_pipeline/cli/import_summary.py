"""The summary that ``llm-archive import`` ends with, for people: a dialogue counts once, a line says what it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from archive_pipeline.cli import attachments
from archive_pipeline.cli.output import count_table, print_tables, stdout_console
from archive_pipeline.domain.counted import counted
from archive_pipeline.ingest.summary import DELETED_FOR_GOOD, METADATA_ONLY, REPEATED, ImportSummary
from archive_pipeline.ingest.writer import Outcome

# In this order.
_LABELS: Final[Mapping[str, str]] = {
    Outcome.NEW: "new",
    Outcome.CHANGED: "changed in messages",
    METADATA_ONLY: "changed in title or branch",
    Outcome.REREAD: "read again by newer rules",
    Outcome.UNCHANGED: "unchanged",
    Outcome.OLDER: "older than the archive",
    DELETED_FOR_GOOD: "deleted for good, left out",
    "rejected": "rejected",
    REPEATED: "met again in these files",
}
# Of the others most imports have none.
_ALWAYS: Final = frozenset({Outcome.NEW, Outcome.CHANGED, Outcome.UNCHANGED, "rejected"})


def print_summary(summary: ImportSummary, result: dict[str, Any]) -> None:
    """Print what became of dialogues and files, the rows that were written, and what is left to do.

    Args:
        summary: of the import.
        result: the same for programs, with what followed it.
    """
    left = [count_table("Dialogues", dialogue_lines(summary), headers=("", ""))]
    for title, counts in (
        ("Attached files", attachments.shown_counts(result["attachments"])),
        ("Anomalies", result["surprises"]),
        ("Removed, for the export lacks them", _removed(result["mirror"])),
    ):
        if counts:
            left.append(count_table(title, counts, headers=("", "")))
    console = stdout_console()
    console.print()
    print_tables(left, count_table("Rows written", result["rows"], headers=("", "")))
    console.print()
    if result["texts_not_indexed"]:
        texts = counted(result["texts_not_indexed"], "text is", "texts are")
        console.print(f"{texts} not indexed yet: llm-archive index", soft_wrap=True)
    console.print(f"{result['seconds']:.1f} seconds")


def dialogue_lines(summary: ImportSummary) -> dict[str, int]:
    """Return how many dialogues are what, in words."""
    counts = summary.distinct
    counts["rejected"] = summary.dialogues["rejected"]
    counts[DELETED_FOR_GOOD] = len(summary.deleted_for_good)
    counts[REPEATED] = summary.repeated
    return {label: counts[name] for name, label in _LABELS.items() if name in _ALWAYS or counts[name]}


def _removed(mirrored: dict[str, Any] | None) -> dict[str, int]:
    return {source: len(keys) for source, keys in (mirrored or {}).get("removed", {}).items()}
