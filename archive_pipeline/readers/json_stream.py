"""Streams the elements of a JSON file as values with their original bytes; memory does not grow with the file.

An element that is not JSON is yielded as a rejected record and the next one is read; a file that breaks off gives
every element before the break and then one rejected record that names the byte. Which elements are conversations is
not decided here.
"""

from __future__ import annotations

import codecs
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any, Protocol

from archive_pipeline.errors import UnreadableInputError
from archive_pipeline.readers.json_parsing import parse_json
from archive_pipeline.readers.json_recovery import Gap, resume
from archive_pipeline.readers.json_scanner import MAX_ELEMENT_BYTES, ElementScanner, Place, Slice
from archive_pipeline.readers.records import RejectedRecord

BLOCK_BYTES = 16 * 1024  # small, so that most blocks lie inside one element and are stepped over
_EXCERPT_CHARACTERS = 200
_READ_ERRORS = (OSError, EOFError, zlib.error, zipfile.BadZipFile, UnreadableInputError, NotImplementedError)


class ByteSource(Protocol):
    """What the stream reads from."""

    def read(self, size: int = -1, /) -> bytes:
        """Returns up to ``size`` bytes, none at the end."""
        ...


@dataclass(frozen=True, slots=True)
class Element:
    """One element of the top-level array, or the file's only object.

    Attributes:
        locator: ``file[index]``, or the file alone if it is one object.
        raw: the bytes as the file has them (UTF-8 also where the file is UTF-16).
        value: what they say.
        warnings: names of the liberties taken to read them.
    """

    locator: str
    raw: bytes
    value: Any
    warnings: tuple[str, ...] = ()


def _nothing(_: object) -> bool:
    """Takes nothing for a record: without knowing the format no way back is looked for."""
    return False


def stream_elements(
    source: ByteSource,
    locator: str,
    *,
    is_record: Callable[[object], bool] = _nothing,
    block_bytes: int = BLOCK_BYTES,
    max_element_bytes: int = MAX_ELEMENT_BYTES,
) -> Iterator[Element | RejectedRecord]:
    """Yields the elements of a JSON file one by one.

    Args:
        source: the open file, at its start.
        locator: the file's name for messages.
        is_record: tells a whole record, for finding the next one behind a broken one.
        block_bytes: how much is read at a time.
        max_element_bytes: larger elements are rejected instead of held in memory.

    Yields:
        Each element, or a rejected record in its place; the last one may be a ``whole_file`` record.
    """
    scanner = ElementScanner(max_element_bytes=max_element_bytes)
    index = 0
    try:
        for block in _blocks(source, block_bytes):
            for piece in scanner.feed(block):
                for item in _read(piece, locator, index, is_record):
                    yield item
                    index += 1
            if scanner.stray_offset is not None:
                break
    except _READ_ERRORS as error:
        yield _unreadable(locator, scanner.position, index, error)
        return
    yield from _end_of_file(scanner, locator, index, is_record)


def _blocks(source: ByteSource, size: int) -> Iterator[bytes]:
    """Yields the file in blocks of UTF-8, without its byte order mark."""
    first = source.read(size)
    while 0 < len(first) < 4 and (more := source.read(4)):
        first += more
    decode = _decoder(first)
    if decode is not None:
        yield decode(first)
    else:
        yield first.removeprefix(codecs.BOM_UTF8)
    while block := source.read(size):
        yield decode(block) if decode else block


def _decoder(first: bytes) -> Callable[[bytes], bytes] | None:
    if not first.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return None
    decoder = codecs.getincrementaldecoder("utf-16")(errors="replace")
    return lambda block: decoder.decode(block).encode("utf-8", "surrogatepass")


def _element(piece: Slice, locator: str, index: int) -> Element | RejectedRecord:
    where = locator if piece.is_whole_file else f"{locator}[{index}]"
    if piece.is_oversized:
        return _rejected(piece, where, "is too large to be one conversation")
    if not piece.raw:
        return _rejected(piece, where, "is empty: two commas follow each other")
    try:
        value, warnings = parse_json(piece.raw)
    except ValueError as error:
        return _rejected(piece, where, "is not valid JSON", str(error))
    return Element(where, piece.raw, value, warnings)


def _read(
    piece: Slice, locator: str, index: int, is_record: Callable[[object], bool]
) -> Iterator[Element | RejectedRecord]:
    """Yields an element, or what can be saved of it: two unmatched quotes make one of all the records between them."""
    element = _element(piece, locator, index)
    if isinstance(element, Element) or piece.is_whole_file or piece.is_oversized:
        yield element
        return
    saved = resume(piece, is_record)
    first = next(saved)
    if isinstance(first, Slice) or first.resumes_at is None:
        yield element  # one bad record and nothing else
        return
    for part in chain([first], saved):
        if isinstance(part, Slice):
            yield _element(part, locator, index)
        elif part.raw:
            yield _broken(part, locator, index)
        index += 1


def _rejected(piece: Slice, where: str, reason: str, error: str = "") -> RejectedRecord:
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


def _unreadable(locator: str, position: int, index: int, error: BaseException) -> RejectedRecord:
    return RejectedRecord(
        locator=f"{locator} @ byte {position}",
        reason=f"the file cannot be read on after {index} records; copy or download it again",
        error=f"{type(error).__name__}: {error}",
        whole_file=True,
    )


def _end_of_file(
    scanner: ElementScanner, locator: str, index: int, is_record: Callable[[object], bool]
) -> Iterator[Element | RejectedRecord]:
    """Yields what the end of the file says about it: nothing, if it is complete."""
    rest = scanner.finish()
    if scanner.stray_offset is not None:
        what = "unexpected data after the end of the JSON" if index else "the file is not a JSON array or object"
        yield _whole_file(f"{locator} @ byte {scanner.stray_offset}", what)
    elif scanner.place is Place.START:
        what = "the file holds nothing but white space" if scanner.position else "the file is empty"
        yield _whole_file(locator, what)
    elif scanner.place is Place.ARRAY and rest is not None:
        yield from _unfinished(rest, locator, index, is_record)
    elif scanner.place is not Place.END:
        yield _cut_off(Gap(rest.offset if rest else scanner.position, rest.raw if rest else b"", None), locator, index)


def _unfinished(
    rest: Slice, locator: str, index: int, is_record: Callable[[object], bool]
) -> Iterator[Element | RejectedRecord]:
    """Yields what an array that does not end still holds."""
    last = _element(rest, locator, index)
    if isinstance(last, Element) and isinstance(last.value, dict):
        yield last  # the break is exactly behind a complete element
        yield _cut_off(Gap(rest.offset + len(rest.raw), b"", None), locator, index + 1)
        return
    for piece in resume(rest, is_record):
        if isinstance(piece, Slice):
            yield _element(piece, locator, index)
        elif piece.resumes_at is None:
            yield _cut_off(piece, locator, index)
        else:
            yield _broken(piece, locator, index)
        index += 1


def _broken(gap: Gap, locator: str, index: int) -> RejectedRecord:
    return RejectedRecord(
        locator=f"{locator}[{index}]",
        reason=f"the record at byte {gap.offset} is broken"
        + (f"; reading goes on at byte {gap.resumes_at}" if gap.resumes_at is not None else ""),
        error="brackets or quotes do not match",
        excerpt=excerpt_of(gap.raw),
    )


def _cut_off(gap: Gap, locator: str, index: int) -> RejectedRecord:
    place = "inside a record that begins there" if gap.raw else "where a bracket is missing"
    return RejectedRecord(
        locator=f"{locator} @ byte {gap.offset}",
        reason=f"the file is cut off after byte {gap.offset}, {place}; {index} records before it were found",
        error="unexpected end of file",
        excerpt=excerpt_of(gap.raw),
        whole_file=True,
    )


def _whole_file(locator: str, reason: str) -> RejectedRecord:
    return RejectedRecord(locator=locator, reason=reason, whole_file=True)
