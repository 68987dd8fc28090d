"""Mirroring: dialogues that a full export does not have any more are removed from ``raw``, if it is sure they are gone.

An export that was not read whole, or that is another account's, must not empty the archive. So nothing is removed
unless every file was either read and understood to its end or is a known companion of exports; only sources of which
the import met a dialogue are looked at; and of none of them more is removed than a share of what was there before the
import: another account's export has nothing of it. That is a safety net. An archive of several accounts of one source
cannot be mirrored.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from more_itertools import chunked

from archive_pipeline.domain.choices import API
from archive_pipeline.domain.counted import counted
from archive_pipeline.domain.progress import Progress, no_progress
from archive_pipeline.ingest.limits import MIRROR_LIMIT_PERCENT
from archive_pipeline.ingest.removal import delete_with_documents
from archive_pipeline.ingest.summary import ImportSummary
from archive_pipeline.readers.registry import readers
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.raw_writes import AbsentDialogue, absent_dialogues

REMOVING: Final = "removing dialogues"
# A transaction for so many: a build that writes rows of one of them waits for it.
_PER_TRANSACTION: Final = 500


@dataclass(frozen=True, slots=True)
class Mirrored:
    """What mirroring did.

    Attributes:
        removed: source -> partition keys (per dialogue) that were removed, sorted; a source that was looked at and had
            nothing to remove has none.
        refused: why nothing was removed; None if nothing stood in the way.
        kept: partition keys of those that stay though the export does not have them: with messages that a program
            stored, or with an id that was made of their beginning.
    """

    removed: dict[str, list[str]] = field(default_factory=dict)
    refused: str | None = None
    kept: list[str] = field(default_factory=list)

    @property
    def keys(self) -> list[str]:
        """All partition keys that were removed."""
        return [key for keys in self.removed.values() for key in keys]


def mirror(
    database: Database,
    settings: Settings,
    summary: ImportSummary,
    *,
    limit: int = MIRROR_LIMIT_PERCENT,
    progress: Progress = no_progress,
) -> Mirrored:
    """Remove the dialogues that an import did not meet, or say why not.

    Args:
        database: the archive's; the caller holds the writer lock since before the import.
        settings: of the archive.
        summary: of a full import (not a partial one), all files of an export at once.
        limit: the greatest share of a source's dialogues, in percent of those from before the import, to remove.
        progress: told of the dialogues, as ``removing dialogues``.
    """
    obstacle = why_not_whole(summary)
    if obstacle is not None:
        return Mirrored(refused=obstacle)
    gone = {
        source: _absent(database, source, present)
        for source, present in sorted(summary.present.items())
        if not comes_one_by_one(source)
    }
    removable = {source: [each for each in absent if not each.stays] for source, absent in gone.items()}
    for source, chosen in removable.items():
        before = len(gone[source]) + len(summary.present[source]) - summary.added[source]
        if len(chosen) * 100 > limit * before:
            return Mirrored(refused=_too_many(source, len(chosen), before, limit))
    _remove(database, settings, [each.dialogue_id for chosen in removable.values() for each in chosen], progress)
    return Mirrored(
        {source: sorted(each.partition_key for each in chosen) for source, chosen in removable.items()},
        kept=sorted(each.partition_key for absent in gone.values() for each in absent if each.stays),
    )


def comes_one_by_one(source: str) -> bool:
    """Tell whether the dialogues of a source come one by one, not in exports that could have all of them."""
    reader = readers().get(source)
    return source == API or (reader is not None and (reader.is_line is not None or not reader.comes_in_exports))


def why_not_whole(summary: ImportSummary) -> str | None:
    """Return what speaks against taking the import for all that the export has, None if nothing does."""
    if summary.dialogues["rejected"]:
        rejected = counted(summary.dialogues["rejected"], "record or file", "records or files")
        return f"nothing was removed: the import rejected {rejected}"
    if summary.not_understood:
        more = len(summary.not_understood) - 1
        others = f" (and {more:,} more)" if more else ""
        return f"nothing was removed: not everything was understood: {summary.not_understood[0]}{others}"
    return None


def _absent(database: Database, source: str, present: set[str]) -> list[AbsentDialogue]:
    with database.session() as connection:
        return absent_dialogues(connection, source, present)


def _remove(database: Database, settings: Settings, dialogue_ids: Sequence[str], progress: Progress) -> None:
    done = 0
    progress(REMOVING, done, len(dialogue_ids))
    for some in chunked(dialogue_ids, _PER_TRANSACTION):
        delete_with_documents(database, settings, some)
        done += len(some)
        progress(REMOVING, done, len(dialogue_ids))


def _too_many(source: str, absent: int, before: int, limit: int) -> str:
    return (
        f"nothing was removed: the export does not have {absent:,} of the {before:,} dialogues of {source}, more than "
        f"{limit} percent; if that is right, allow more with --mirror-limit"
    )
