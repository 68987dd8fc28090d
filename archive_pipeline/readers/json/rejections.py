"""Records of what cannot be read of a JSON file, with its place."""

from __future__ import annotations

import re
from typing import Final

from archive_pipeline.domain.records import RejectedRecord
from archive_pipeline.readers.json.recovery import Gap
from archive_pipeline.readers.json.slices import Slice

_EXCERPT_CHARACTERS = 200
# A field that is named like a secret: its string is blanked, and of an object or array in it nothing is shown.
_SECRET: Final = re.compile(
    r"""("(?:[^"\\]*(?:token|secret|passw(?:or)?d|passphrase|authorization|api[_-]?key|private[_-]?key|credential|cookie)"""
    r"""[^"\\]*|env|headers)"\s*:\s*)(?:"(?:[^"\\]|\\.)*(?:"|\\?$)|[\[{].*)""",
    re.IGNORECASE | re.DOTALL,
)
_BLANKED: Final = r'\1"…"'


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
    """Returns the beginning of a record, to find it by, without values of fields that are named like secrets."""
    return _SECRET.sub(_BLANKED, raw[:_EXCERPT_CHARACTERS].decode("utf-8", "replace")) or None


def broken(gap: Gap, where: str) -> RejectedRecord:
    """Returns the record of what no record could be read from."""
    reason = f"the record at byte {gap.offset} is broken"
    if gap.resumes_at is not None:
        reason += f"; reading goes on at byte {gap.resumes_at}"
    if gap.is_unsearched:
        reason += f", and so is the file: what follows, {len(gap.raw)} bytes, was not searched for records"
    return RejectedRecord(where, reason, "brackets or quotes do not match", excerpt_of(gap.raw))


def cut_off(gap: Gap, locator: str, records: int) -> RejectedRecord:
    """Returns the record of a file that ends before it is at its end, behind so many records."""
    place = "where a bracket is missing" if gap.is_blank else "inside a record that begins there"
    reason = f"the file is cut off after byte {gap.offset}, {place}; {records} records before it were found"
    return RejectedRecord(
        locator=f"{locator} @ byte {gap.offset}",
        reason=reason + ("; what follows was not searched for more" if gap.is_unsearched else ""),
        error="unexpected end of file",
        excerpt=excerpt_of(gap.raw),
        whole_file=True,
    )


def in_no_array(offset: int, locator: str) -> RejectedRecord:
    """Returns the record of the first comma between values that no array is around."""
    lost = "what stood before may be lost; what follows is read"
    reason = f"a comma at byte {offset} stands behind a value that is in no array: {lost}"
    return RejectedRecord(f"{locator} @ byte {offset}", reason)


def unreadable(locator: str, position: int, records: int, error: BaseException) -> RejectedRecord:
    """Returns the record of a file that cannot be read beyond a place, behind so many records."""
    return RejectedRecord(
        locator=f"{locator} @ byte {position}",
        reason=f"the file cannot be read on after {records} records; copy or download it again",
        error=f"{type(error).__name__}: {error}",
        whole_file=True,
    )


def whole_file(locator: str, reason: str) -> RejectedRecord:
    """Returns the record of what is wrong with a file."""
    return RejectedRecord(locator=locator, reason=reason, whole_file=True)
