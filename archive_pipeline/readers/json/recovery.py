"""Finds the way back into an array after a record whose brackets or quotes do not match.

Such a record swallows everything behind it, up to the end of the file. Here what was swallowed is searched for the
next place where a whole record begins, so that the damage costs one record and not the rest of the archive. Deciding
what a record looks like is the caller's part.

Where a bracket closes depends only on what follows it and on whether it stands inside a string, so one walk with a
stack finds the ends of all objects, and a second one those that an unmatched quote has turned inside out.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from archive_pipeline.readers.json.brackets import without_escapes
from archive_pipeline.readers.json.parsing import parse_json
from archive_pipeline.readers.json.scanner import ElementScanner
from archive_pipeline.readers.json.slices import Slice

# Also without a comma between two of them.
_RECORD_MAY_BEGIN = re.compile(rb"(?:\A|[,}\[])\s*+(?=\{)")
_RECORD_MAY_END = re.compile(rb"\s*+(?:[,\]{]|\Z)")
_TOKEN = re.compile(rb'[\[\]{}"]')
_PARTNER = {ord("}"): ord("{"), ord("]"): ord("[")}
_BETWEEN_RECORDS = b" \t\r\n,"
_CONTAINERS = re.compile(rb'(?:[\s,\[\]{}]++|"[^"\\]*+"\s*+:)*')  # without a value
_MAX_CONTAINERS_BYTES = 1024
_QUOTE = ord('"')
_TOKENS = 20_000_000  # in a file; enough for a gigabyte of text
_PARSED_BYTES = 64_000_000  # of what turns out to be no JSON; what is valid is parsed once


@dataclass(frozen=True, slots=True)
class Gap:
    """Bytes that no record could be read from.

    Attributes:
        offset: of the first byte, from the start of the file.
        raw: the bytes.
        resumes_at: offset of the record behind the gap; None if there is none, so that the file is cut off.
        is_unsearched: True if the work allowed for the file was used up before all of it was searched for records.
    """

    offset: int
    raw: bytes
    resumes_at: int | None
    is_unsearched: bool = False

    @property
    def is_blank(self) -> bool:
        """True if nothing but commas and closing brackets stands here."""
        return not self.raw.strip(_BETWEEN_RECORDS + b"]}")

    @property
    def begins_container(self) -> bool:
        """True if nothing but brackets and keys stands before a record: it is in another container than the last."""
        is_short = self.resumes_at is not None and len(self.raw) <= _MAX_CONTAINERS_BYTES
        return is_short and _CONTAINERS.fullmatch(self.raw) is not None

    @property
    def opened(self) -> int:
        """How many more brackets are opened here than closed, where no value stands here."""
        return sum(map(self.raw.count, (b"[", b"{"))) - sum(map(self.raw.count, (b"]", b"}")))

    def closes_array(self, inside: int) -> bool:
        """Tells whether this is the regular end of an array, behind records in so many containers in it."""
        return self.is_blank and b"]" in self.raw and -self.opened > inside


@dataclass(slots=True)
class RecoveryBudget:
    """What may be spent on the broken records of one file, all of them together.

    Attributes:
        tokens: brackets and quotes that may be walked over.
        parsed_bytes: bytes that may be parsed in vain.
    """

    tokens: int = _TOKENS
    parsed_bytes: int = _PARSED_BYTES

    @property
    def is_spent(self) -> bool:
        """True if nothing more may be done."""
        return self.tokens < 0 or self.parsed_bytes < 0


def resume(rest: Slice, is_record: Callable[[object], bool], budget: RecoveryBudget) -> Iterator[Slice | Gap]:
    """Yields the records inside an unfinished element, the gaps before and between them, and what is behind the last.

    Args:
        rest: what the scanner was left with at the end of the file, or an element that is not JSON.
        is_record: tells whether a value is a whole record of the kind the file holds.
        budget: of the file.
    """
    raw, done = rest.raw, 0
    for start, end in _records(raw, is_record, budget):
        if raw[done:start].strip(_BETWEEN_RECORDS):
            yield Gap(rest.offset + done, raw[done:start], rest.offset + start)
        yield Slice(rest.offset + start, raw[start:end])
        done = end
    yield Gap(rest.offset + done, raw[done:], None, is_unsearched=budget.is_spent)


def members_of(rest: Slice) -> tuple[Slice, Slice]:
    """Returns an object or array that is cut off with its whole members alone, and the member in which it ends."""
    scanner = ElementScanner(max_element_bytes=len(rest.raw))
    scanner.feed(b"[" + rest.raw[1:])
    (last,) = scanner.finish()
    closing = b"]" if rest.raw.startswith(b"[") else b"}"
    whole = rest.raw[: last.offset].rstrip(_BETWEEN_RECORDS) + closing
    return Slice(rest.offset, whole, is_frame=True), Slice(rest.offset + last.offset, last.raw)


def _records(raw: bytes, is_record: Callable[[object], bool], budget: RecoveryBudget) -> Iterator[tuple[int, int]]:
    done = 0
    for start, end in _objects(raw, budget):
        if start < done or end - start == len(raw) or not _RECORD_MAY_END.match(raw, end):
            continue  # all of it is known to be no JSON
        if budget.is_spent:
            return
        try:
            value, _ = parse_json(raw[start:end])
        except ValueError:
            budget.parsed_bytes -= end - start
            continue
        if is_record(value):
            yield start, end
        done = end  # what stands in a valid object is a part of it


def _objects(raw: bytes, budget: RecoveryBudget) -> Iterator[tuple[int, int]]:
    """Yields begin and end of the objects that a record may be, of those whose brackets match."""
    clean = without_escapes(raw)
    starts = array("q", (candidate.end() for candidate in _RECORD_MAY_BEGIN.finditer(clean)))
    ends = array("q", bytes(starts.itemsize * len(starts)))
    if starts:
        for inside in (False, True):
            _find_ends(clean, starts, ends, budget, inside=inside)
    return ((start, end) for start, end in zip(starts, ends, strict=True) if end)


def _find_ends(clean: bytes, starts: array[int], ends: array[int], budget: RecoveryBudget, *, inside: bool) -> None:
    """Finds the ends of objects outside strings; ``inside`` tells whether the text is taken to begin inside one."""
    stack = array("q")
    for token in _TOKEN.finditer(clean):
        budget.tokens -= 1
        if budget.tokens < 0:
            return
        position = token.start()
        byte = clean[position]
        if byte == _QUOTE:
            inside = not inside
        elif inside:
            continue
        elif byte not in _PARTNER:
            stack.append(position)
        elif stack and clean[stack[-1]] == _PARTNER[byte]:
            _close(stack.pop(), position + 1, starts, ends)
        else:
            del stack[:]  # nothing that is open here can be valid any more


def _close(start: int, end: int, starts: array[int], ends: array[int]) -> None:
    place = bisect_right(starts, start) - 1
    if place >= 0 and starts[place] == start:
        ends[place] = end
