"""What an import did, for the command that asked for it."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Final

from archive_pipeline.domain.records import RejectedRecord
from archive_pipeline.ingest.writer import Outcome

# What those dialogues are counted as that were left out, beside the outcomes of the others.
DELETED_FOR_GOOD: Final = "deleted_for_good"


@dataclass
class ImportSummary:
    """What an import did.

    Attributes:
        dialogues: by outcome: new, changed, unchanged, reread, older, rejected.
        rows: rows written per table of ``raw``.
        anomalies: everything unusual that was met, by name.
        rejected: the rejected records, in order, up to a bound; ``dialogues["rejected"]`` has their number.
        files_read, files_failed: files that were read to their end, and that were not.
        present: source -> ids of the dialogues that were met and are in the archive now.
        added: source -> how many of them are new.
        not_understood: a line for each file that may hold more dialogues than were met, or is missing.
        missing: a line for each file that belongs to what was given, and was not.
        drift: what no import had before and readers do not know, by kind.
        deleted_for_good: ids of dialogues that were met and left out, for they were deleted for good.
    """

    dialogues: Counter[str] = field(default_factory=Counter)
    rows: Counter[str] = field(default_factory=Counter)
    anomalies: Counter[str] = field(default_factory=Counter)
    rejected: list[RejectedRecord] = field(default_factory=list)
    files_read: int = 0
    files_failed: int = 0
    present: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    added: Counter[str] = field(default_factory=Counter)
    not_understood: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    drift: Counter[str] = field(default_factory=Counter)
    deleted_for_good: set[str] = field(default_factory=set)

    @property
    def loaded(self) -> int:
        """Dialogues that are in the archive now."""
        return sum(self.dialogues[outcome] for outcome in Outcome)
