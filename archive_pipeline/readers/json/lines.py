"""Goes on behind a damaged line of a file of JSON lines: one that is cut off would swallow all lines behind it.

Whether a file has a record a line is not decided in advance. A line is a record by itself, though what stands before it
is not at its end, only where that is damaged: no valid JSON has an object right behind another one. So a line that
begins with a brace, or with an array of objects, is held while something before it is not at its end, until it is whole
itself and another such line or the end of the file follows. What is valid is read as if it were not held. Such a line
may end in a comma where one has been behind a document, which is not valid either.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from archive_pipeline.readers.json.kinds import Kinds
from archive_pipeline.readers.json.parsing import parse_json
from archive_pipeline.readers.json.recovery import Gap, RecoveryBudget
from archive_pipeline.readers.json.scanner import ElementScanner
from archive_pipeline.readers.json.slices import BLANK, Slice
from archive_pipeline.readers.json.structure import may_take

_BEGINNING: Final = b"\n{"
_IN_ARRAY: Final = b"," + _BEGINNING
_ARRAY_BEGINNING: Final = b"\n[{"  # of messages
# At the end of a block: whether a line that may be a record begins here is not known.
_LINE_ENDS: Final = (b"\n", b"\n[")
_BEGINNINGS: Final = re.compile(rb"\n(?=\{|\[\{)")
_MAX_HELD_BYTES: Final = 32 * 1024 * 1024  # of a line; a larger one goes on with what stands before it
_MAX_HELD_MEMORY: Final = 256 * 1024 * 1024
_MAX_STRAY_BYTES: Final = 64 * 1024 * 1024  # behind what is no JSON so far is looked for a line that is a record
_SHOWN_BYTES: Final = 1024


class LineReader:
    """Gives a scanner the text of a file, line by line where that makes a difference.

    Args:
        scanner: of the file.
        kinds: what tells a whole record, and an array that is one.
        budget: of the file.
    """

    def __init__(self, scanner: ElementScanner, kinds: Kinds, budget: RecoveryBudget) -> None:
        self._scanner = scanner
        self._kinds = kinds
        self._budget = budget
        self._line_end = b""  # of the last block
        self._held: list[bytes] | None = None
        self._held_bytes = 0
        self._stray = b""  # the beginning of what is no JSON

    @property
    def is_over(self) -> bool:
        """Whether what follows is no JSON, and not worth looking at."""
        return self._scanner.stray_offset is not None and not self._is_searching()

    def feed(self, block: bytes) -> Iterator[Slice | Gap]:
        """Takes the next block, and yields the elements that it completes and what is damaged between them."""
        block, self._line_end = self._line_end + block, b""
        if self._held is None and self._scanner.is_in_plain_array and _has_elements_only(block):
            yield from self._scanner.feed(block)
            return
        self._line_end = next(filter(block.endswith, _LINE_ENDS), b"")
        block = block.removesuffix(self._line_end)
        start = 0
        for line in _BEGINNINGS.finditer(block):
            yield from self._take(block[start : line.end()])
            start = line.end()
            yield from self._begin_line(is_array=block[start : start + 1] == b"[")
        yield from self._take(block[start:])

    def take_back(self) -> bytes:
        """Returns what the scanner was not given yet."""
        held = b"".join([*(self._held or ()), self._line_end])
        self._held, self._line_end = None, b""
        return held

    def finish(self) -> Iterator[Slice | Gap]:
        """Takes what is held at the end of the file."""
        yield from self._take(self._line_end)
        self._line_end = b""
        yield from self._release(is_at_end=True)

    def _take(self, piece: bytes) -> Iterator[Slice | Gap]:
        if self._held is None:
            yield from self._scan(piece)
            return
        self._held.append(piece)
        self._held_bytes += len(piece)
        if self._held_bytes > _MAX_HELD_BYTES:
            yield from self._release(is_at_end=False)

    def _begin_line(self, *, is_array: bool) -> Iterator[Slice | Gap]:
        yield from self._release(is_at_end=True)
        is_inside = self._scanner.is_in_object or (is_array and self._scanner.is_in_first)
        if is_inside or self._is_searching():
            self._held, self._held_bytes = [], 0

    def _release(self, *, is_at_end: bool) -> Iterator[Slice | Gap]:
        """Gives the scanner what is held; a whole record ends what is damaged before it."""
        if self._held is None:
            return
        line, self._held = b"".join(self._held), None
        if is_at_end and self._is_alone(line):
            yield from self._damaged()
        yield from self._scan(line)

    def _scan(self, text: bytes) -> Iterator[Slice]:
        start, was_stray = self._scanner.position, self._scanner.stray_offset is not None
        yield from self._scanner.feed(text)
        offset = self._scanner.stray_offset
        if offset is not None and not was_stray:
            place = max(0, offset - start)
            self._stray = text[place : place + _SHOWN_BYTES]

    def _is_searching(self) -> bool:
        """Tells whether what is no JSON may be a damaged line: one that comes behind others, and not too far back."""
        offset = self._scanner.stray_offset
        return offset is not None and self._scanner.has_documents and self._scanner.position - offset < _MAX_STRAY_BYTES

    def _is_alone(self, line: bytes) -> bool:
        text = line.strip(BLANK)
        return self._is_whole(text if self._scanner.comma_offset is None else _without_comma(text))

    def _is_whole(self, text: bytes) -> bool:
        if not text.endswith((b"}", b"]")) or self._budget.is_spent or may_take(text, _MAX_HELD_MEMORY):
            return False
        try:
            value, _ = parse_json(text)
        except ValueError:
            self._budget.parsed_bytes -= len(text)
            return False
        return self._kinds.is_conversation(value) if isinstance(value, list) else self._kinds.is_record(value)

    def _damaged(self) -> Iterator[Slice | Gap]:
        """Yields what is damaged, line by line; whole records are among them only with commas behind them."""
        broken = self._scanner.abandon(self._stray)
        offset = broken.offset
        for raw in _BEGINNINGS.split(broken.raw):
            text = raw.rstrip(BLANK)
            if self._is_whole(record := _without_comma(text)):
                yield Slice(offset, record)
            elif text.strip(BLANK):
                yield Gap(offset, text, self._scanner.position)
            offset += len(raw) + 1


def _has_elements_only(block: bytes) -> bool:
    """Tells whether each line of a block that may be a record is an element of an array, as a comma before it says."""
    return block.count(_BEGINNING) == block.count(_IN_ARRAY) and _ARRAY_BEGINNING not in block


def _without_comma(text: bytes) -> bytes:
    return text.removesuffix(b",").rstrip(BLANK)
