"""What an import did, for the command that asked for it."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Final

from archive_pipeline.domain.records import RejectedRecord
from archive_pipeline.ingest.writer import Outcome

# What dialogues are counted as beside their outcomes: those that were left out; of the changed ones those of which no
# message changed; and however often the import met one that it had met before.
DELETED_FOR_GOOD: Final = "deleted_for_good"
METADATA_ONLY: Final = "metadata_only"
REPEATED: Final = "repeated"

# Of what happened to a dialogue in one import, the first of these is told.
_RANK: Final = (Outcome.NEW, Outcome.CHANGED, METADATA_ONLY, Outcome.REREAD, Outcome.UNCHANGED, Outcome.OLDER)


@dataclass
class ImportSummary:
    """What an import did.

    Attributes:
        dialogues: by outcome: new, changed, unchanged, reread, older, rejected; each time one was met counts. The
            changed ones of which no message changed are counted as ``metadata_only``, too.
        rows: rows written per table of ``raw``.
        anomalies: everything unusual that was met, by name.
        rejected: the rejected records, in order, up to a bound; ``dialogues["rejected"]`` has their number.
        files_read, files_failed: files that were read to their end, and that were not.
        present: source -> ids of the dialogues that were met and are in the archive now.
        added: source -> how many of them are new.
        not_understood: a line for each file that may hold more dialogues than were met, or is missing.
        missing: a line for each file that belongs to what was given, and was not.
        drift: what no import had before and readers do not know, by kind.
        met: id -> what happened to a dialogue, however often it was met.
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
    met: dict[str, str] = field(default_factory=dict)
    deleted_for_good: set[str] = field(default_factory=set)

    @property
    def loaded(self) -> int:
        """Dialogues that are in the archive now."""
        return sum(self.dialogues[outcome] for outcome in Outcome)

    @property
    def distinct(self) -> Counter[str]:
        """What happened to dialogues, each counted once."""
        return Counter(self.met.values())

    @property
    def repeated(self) -> int:
        """How often a dialogue was met that this import had met before, in the same state, a later or an older one."""
        return self.loaded - len(self.met)

    def count(self, dialogue: str, outcome: Outcome, *, is_metadata_only: bool = False) -> None:
        """Count what happened to a dialogue."""
        self.dialogues.update([outcome, METADATA_ONLY] if is_metadata_only else [outcome])
        self._meet(dialogue, METADATA_ONLY if is_metadata_only else outcome)

    def add(self, file: ImportSummary) -> None:
        """Add what the import of a file did to what those of others did."""
        self.dialogues.update(file.dialogues)
        self.rows.update(file.rows)
        self.anomalies.update(file.anomalies)
        self.deleted_for_good |= file.deleted_for_good
        for dialogue, name in file.met.items():
            self._meet(dialogue, name)

    def _meet(self, dialogue: str, name: str) -> None:
        self.met[dialogue] = min(name, self.met.get(dialogue, name), key=_RANK.index)
