"""What an import rejected, left out and missed, in a few lines for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from archive_pipeline.cli.output import note
from archive_pipeline.domain.records import RejectedRecord
from archive_pipeline.ingest.summary import ImportSummary
from archive_pipeline.readers.found import SkippedFile

_SHOWN_REJECTED: Final = 20
_SHOWN_SKIPPED: Final = 20
_SHOWN_MISSING: Final = 10


def print_reasons(summary: ImportSummary, skipped: Sequence[SkippedFile]) -> None:
    """Print what an import rejected, left out and missed, on standard error."""
    print_rejected(summary.rejected, summary.dialogues["rejected"], all_of_them="raw.rejected_records")
    print_left_out(skipped, summary.missing)
    if summary.drift:
        kinds = ", ".join(f"{kind.replace('_', ' ')} {number:,}" for kind, number in sorted(summary.drift.items()))
        note(f"unknown   {kinds}: kept, see raw.format_drift")


def print_rejected(rejected: Sequence[RejectedRecord], number: int, *, all_of_them: str) -> None:
    """Print the first of ``number`` rejected records, and the place that has all of them."""
    for record in rejected[:_SHOWN_REJECTED]:
        note(f"rejected  {_told(record)}")
    if number > _SHOWN_REJECTED:
        note(f"rejected  {number - _SHOWN_REJECTED:,} more, see {all_of_them}")


def print_left_out(skipped: Sequence[SkippedFile], missing: Sequence[str]) -> None:
    """Print what is left out, and what was not given though it belongs to it."""
    _print_skipped(skipped)
    for line in missing[:_SHOWN_MISSING]:
        note(f"missing   {line}")
    if len(missing) > _SHOWN_MISSING:
        note(f"missing   {len(missing) - _SHOWN_MISSING:,} more files, see --json")


def _print_skipped(skipped: Sequence[SkippedFile]) -> None:
    """Print what was left out, files of one kind on one line; --json has all of them."""
    kinds: dict[str, list[SkippedFile]] = {}
    _print_companions(Counter(file.kind for file in skipped if file.kind is not None))
    for file in skipped:
        if file.kind is None:
            kinds.setdefault(file.reason, []).append(file)
    shown = sorted(kinds.values(), key=lambda files: not any(file.may_hold_conversations for file in files))
    for first, *others in shown[:_SHOWN_SKIPPED]:
        if others:
            note(f"skipped   {len(others) + 1:,} files: {first.reason}; the first is {first.locator}")
        else:
            note(f"skipped   {first.locator}: {first.reason}")
    rest = sum(map(len, shown[_SHOWN_SKIPPED:]))
    if rest:
        note(f"skipped   {rest:,} more files, see --json")


def _print_companions(kinds: Counter[str]) -> None:
    if kinds:
        named = ", ".join(f"{kind} ({number:,})" if number > 1 else kind for kind, number in sorted(kinds.items()))
        note(f"beside    {kinds.total():,} {'files' if kinds.total() > 1 else 'file'} of the export: {named}")


def _told(record: RejectedRecord) -> str:
    place = "" if record.reason.startswith(record.locator) else f"{record.locator}: "
    technical = f" ({record.error})" if record.error and not record.whole_file else ""
    return f"{place}{record.reason}{technical}"
