"""Which lines of a session are handed on if it is larger than what may be held: decided line by line, in one reading.

A session that fits is handed on whole. Of others, what becomes of a line follows from the lines before it alone, so
that it stays the same when the file grows, however it is read. First to be left out are copies of what stands in the
file, then large lines (pictures, mostly); what is left ends where the bound is reached. What is left out is told.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Final, Literal

from archive_pipeline.domain.records import LEFT_OUT_LINE, RejectedRecord
from archive_pipeline.readers.anomalies import RejectedLimit
from archive_pipeline.readers.json.elements import MAX_ELEMENT_MEMORY
from archive_pipeline.readers.json.rejections import excerpt_of
from archive_pipeline.readers.json.scanner import MAX_ELEMENT_BYTES
from archive_pipeline.readers.json.structure import could_take, memory_of
from archive_pipeline.readers.left_out_lines import LEFT_OUT_COPY, stand_in

_MIB: Final = 1024 * 1024
# Around the lines: the end of the object, and the stand-in of all that is behind the last line.
_END_BYTES: Final = 4 * 1024
_SEPARATOR_BYTES: Final = 2
_SEPARATOR_MEMORY: Final = 64
_TOO_LARGE: Final = "the session is too large to be read whole"

IsLine = Callable[[Mapping[str, Any]], bool]
_Kind = Literal["copy", "large", "other"]
_WHY: Final[Mapping[_Kind, str]] = {
    "copy": f"{_TOO_LARGE}, and the line repeats others",
    "large": f"{_TOO_LARGE}, and the line is a large one",
    "other": _TOO_LARGE,
}


@dataclass(frozen=True, slots=True)
class LineLimits:
    """How much of a session may be handed on.

    Attributes:
        session_bytes: all lines together; one that has no more is handed on whole.
        large_bytes: with a large line.
        copy_bytes: with a line that is a copy.
        large_line_bytes: lines above are large.
        memory: of the values of all lines together.
    """

    session_bytes: int = MAX_ELEMENT_BYTES - _END_BYTES
    large_bytes: int = 64 * _MIB
    copy_bytes: int = 32 * _MIB
    large_line_bytes: int = 64 * 1024
    memory: int = MAX_ELEMENT_MEMORY


LIMITS: Final = LineLimits()


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a file.

    Attributes:
        number: from 1.
        offset: of its first byte, from the start of the text.
        size: its bytes.
        raw: these, without white space around them; of a line that is larger than a session may be, its beginning.
        is_whole: whether ``raw`` is all of it.
    """

    number: int
    offset: int
    size: int
    raw: bytes
    is_whole: bool = True

    @property
    def place(self) -> str:
        """Where it stands, for people."""
        return f"line {self.number} at byte {self.offset}"


class LineBudget:
    """What may be handed on of one file, and what is left out of it.

    Args:
        is_copy: tells a line of which other lines say all.
        limits: of the file.
    """

    def __init__(self, is_copy: IsLine, limits: LineLimits = LIMITS) -> None:
        self.limits = limits
        self._is_copy = is_copy
        self._is_within = True
        self._is_measured = False
        self._bytes = self._memory = 0
        self._told: list[RejectedRecord] = []
        self._limit = RejectedLimit()
        self._first_behind: Line | None = None
        self._last_behind: Line | None = None
        self._behind = 0

    @property
    def is_spent(self) -> bool:
        """Whether no line is handed on any more."""
        return self._first_behind is not None

    def begin(self, blocks: Iterator[bytes], frame_bytes: int) -> Iterator[bytes]:
        """Returns the blocks of the file, of which it reads ahead so many as tell whether all of it fits.

        Args:
            blocks: the text.
            frame_bytes: what is handed on before the first line.
        """
        self._bytes = size = frame_bytes
        ahead: deque[bytes] = deque()
        for block in blocks:
            ahead.append(block)
            size += len(block) + block.count(b"\n")  # a separator is larger than the end of a line
            if size > self.limits.session_bytes:
                self._is_within = False
                break
        self._is_measured = could_take(size, self.limits.memory)
        return chain(_taken(ahead), blocks)

    def take(self, line: Line, text: bytes, value: object) -> bytes | None:
        """Returns what is handed on in the place of a line: itself, a stand-in, or nothing.

        Args:
            line: the next one.
            text: its JSON.
            value: what that says, if it is known.
        """
        if self.is_spent:
            self._last_behind = line
            self._behind += 1
            return None
        kind = self._kind(line, value)
        if line.is_whole and self._has_room(text, self._limit_of(kind)):
            return text
        if kind != "other":
            name = LEFT_OUT_COPY if kind == "copy" else LEFT_OUT_LINE
            short = stand_in(value, name, f"{line.place}, {line.size:,} bytes")
            if self._has_room(short, self.limits.session_bytes):
                self._tell(line, kind)
                return short
        self._first_behind = self._last_behind = line
        self._behind = 1
        return stand_in(None, LEFT_OUT_LINE, f"{line.place}, and all that follows")

    def rejected(self, locator: str) -> Iterator[RejectedRecord]:
        """Yields what is left out, when all lines were taken."""
        if self._first_behind is not None and self._last_behind is not None:
            first, last = self._first_behind, self._last_behind
            reason = f"{self._behind:,} lines from byte {first.offset} on, to {last.place}, are not read: {_TOO_LARGE}"
            error = f"more than {self.limits.session_bytes:,} bytes, or {self.limits.memory:,} bytes of memory"
            yield RejectedRecord(f"{locator} @ line {first.number}", reason, error, excerpt_of(first.raw))
        for record in self._told:
            yield replace(record, locator=f"{locator} @ {record.locator}")
        yield from self._limit.beyond(locator)

    def _kind(self, line: Line, value: object) -> _Kind:
        may_be_left_out = self._is_measured or not self._is_within
        if may_be_left_out and isinstance(value, dict) and self._is_copy(value):
            return "copy"
        return "large" if line.size > self.limits.large_line_bytes or not line.is_whole else "other"

    def _limit_of(self, kind: _Kind) -> int:
        if self._is_within or kind == "other":
            return self.limits.session_bytes
        return self.limits.copy_bytes if kind == "copy" else self.limits.large_bytes

    def _has_room(self, text: bytes, limit: int) -> bool:
        """Takes the room for a text, if there is."""
        size = self._bytes + len(text) + _SEPARATOR_BYTES
        memory = self._memory + (memory_of(text) + _SEPARATOR_MEMORY if self._is_measured else 0)
        if size > limit or memory > self.limits.memory:
            return False
        self._bytes, self._memory = size, memory
        return True

    def _tell(self, line: Line, kind: _Kind) -> None:
        why = _WHY[kind] if line.is_whole else "it is larger than a session may be"
        reason = f"the line at byte {line.offset}, of {line.size:,} bytes, is not read: {why}"
        record = RejectedRecord(f"line {line.number}", reason, excerpt=excerpt_of(line.raw))
        if self._limit.passes(record):
            self._told.append(record)


def _taken(blocks: deque[bytes]) -> Iterator[bytes]:
    """Yields blocks, each of which is free then."""
    while blocks:
        yield blocks.popleft()
