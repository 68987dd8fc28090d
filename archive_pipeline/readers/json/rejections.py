"""Records of what cannot be read of a JSON file, with its place."""

from __future__ import annotations

from archive_pipeline.domain.records import RejectedRecord
from archive_pipeline.readers.json.slices import Slice

_EXCERPT_CHARACTERS = 200


def rejected(piece: Slice, where: str, reason: str, error: str = "") -> RejectedRecord:
    """Returns the record of an element that cannot be read."""
    return RejectedRecord(
        locator=where,
        reason=f"the record at byte {piece.offset} {reason}",
        error=error,
        excerpt=excerpt_of(piece.raw),
        whole_file=piece.is_whole_file,
    )


def excerpt_of(raw: bytes) -> str | None:
    """Returns the beginning of a record, to find it by."""
    return raw[:_EXCERPT_CHARACTERS].decode("utf-8", "replace") or None


def unreadable(locator: str, position: int, index: int, error: BaseException) -> RejectedRecord:
    """Returns the record of a file that cannot be read beyond a place, behind so many elements."""
    return RejectedRecord(
        locator=f"{locator} @ byte {position}",
        reason=f"the file cannot be read on after {index} records; copy or download it again",
        error=f"{type(error).__name__}: {error}",
        whole_file=True,
    )


def whole_file(locator: str, reason: str) -> RejectedRecord:
    """Returns the record of what is wrong with a file."""
    return RejectedRecord(locator=locator, reason=reason, whole_file=True)
