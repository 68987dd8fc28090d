"""Finds the way back into an array after a record whose brackets or quotes do not match.

Such a record swallows everything behind it, up to the end of the file. Here what was swallowed is searched for the
next place where a whole record begins, so that the damage costs one record and not the rest of the archive. Deciding
what a record looks like is the caller's part.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

from archive_pipeline.readers.json_parsing import parse_json
from archive_pipeline.readers.json_scanner import ElementScanner, Place, Slice

_RECORD_MAY_BEGIN = re.compile(rb",\s*(?=\{)")
_FIRST_BLOCK_BYTES, _BLOCK_BYTES = 512, 16 * 1024  # most objects tried are small
# Each object is looked at once by itself and once per object around it; hostile files would make that endless.
_BUDGET_BYTES = 256 * 1024 * 1024
_MAX_TRIES = 20_000  # a few seconds


@dataclass(frozen=True, slots=True)
class Gap:
    """Bytes that no record could be read from.

    Attributes:
        offset: of the first byte, from the start of the file.
        raw: the bytes.
        resumes_at: offset of the record behind the gap; None if there is none, so that the file is cut off.
    """

    offset: int
    raw: bytes
    resumes_at: int | None


def resume(rest: Slice, is_record: Callable[[object], bool]) -> Iterator[Slice | Gap]:
    """Yields the records inside an unfinished element, and the gaps before, between and behind them.

    Args:
        rest: what the scanner was left with at the end of the file.
        is_record: tells whether a value is a whole record of the kind the file holds.
    """
    raw, offset = rest.raw, rest.offset
    while (at := _next_record(raw, is_record)) is not None:
        yield Gap(offset, raw[:at], offset + at)
        raw, offset = raw[at:], offset + at
        scanner = ElementScanner()
        for piece in _slices(scanner, raw):
            yield Slice(offset + piece.offset - 1, piece.raw, is_oversized=piece.is_oversized)
        if scanner.place is Place.END:
            return
        left = scanner.finish()
        if left is not None and not _is_record(left.raw, is_record):
            raw, offset = left.raw, offset + left.offset - 1
            continue
        if left is not None:
            yield Slice(offset + left.offset - 1, left.raw)
        raw, offset = b"", offset + len(raw)
    yield Gap(offset, raw, None)


def _next_record(raw: bytes, is_record: Callable[[object], bool]) -> int | None:
    budget = _BUDGET_BYTES
    for begin in islice(_RECORD_MAY_BEGIN.finditer(raw), _MAX_TRIES):
        scanner = ElementScanner()
        first = next(_slices(scanner, raw, begin.end()), None)
        budget -= scanner.position
        if first is not None and _is_record(first.raw, is_record):
            return begin.end()
        if budget < 0:
            break
    return None


def _slices(scanner: ElementScanner, raw: bytes, start: int = 0) -> Iterator[Slice]:
    """Yields the elements that follow ``start`` as if an array began there."""
    yield from scanner.feed(b"[")
    size = _FIRST_BLOCK_BYTES
    while start < len(raw) and scanner.place is not Place.END:
        yield from scanner.feed(raw[start : start + size])
        start += size
        size = min(2 * size, _BLOCK_BYTES)


def _is_record(raw: bytes, is_record: Callable[[object], bool]) -> bool:
    try:
        return is_record(parse_json(raw)[0])
    except ValueError:
        return False
