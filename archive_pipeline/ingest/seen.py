"""The same dialogue several times in one import, in one vintage: which of its states counts.

Exports of different vintages do not compete: each says what the other cannot.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import Enum, auto

from archive_pipeline.domain.records import RejectedRecord
from archive_pipeline.ingest.age import is_newer, is_older

StateKey = tuple[str, str]  # a dialogue's id and the vintage of an export of it


@dataclass(frozen=True, slots=True)
class Seen:
    """The last state of a dialogue, in one vintage, that this import met."""

    locator: str
    updated_at: datetime | None
    fingerprint: str


class Again(Enum):
    """What a state is of a dialogue that was met before: the same, one of a later or earlier time, or a rival."""

    SAME = auto()
    NEWER = auto()
    OLDER = auto()
    RIVAL = auto()


def compare(now: Seen, first: Seen) -> Again:
    """Tell what a state is, compared with the one that was met before; of rivals, the first one wins."""
    if is_newer(now.updated_at, first.updated_at) and (now.fingerprint == first.fingerprint or first.updated_at):
        return Again.NEWER
    if now.fingerprint == first.fingerprint:
        return Again.SAME
    return Again.OLDER if is_older(now.updated_at, first.updated_at) else Again.RIVAL


def reject_rival(now: Seen, first: Seen, source_id: str) -> RejectedRecord:
    """Return the record of a state that differs from the one of the same or unknown time that was met before."""
    reason = f"another dialogue with this id ({source_id}) came first, at {first.locator}, and was kept"
    return RejectedRecord(now.locator, reason, "DuplicateDialogue")
