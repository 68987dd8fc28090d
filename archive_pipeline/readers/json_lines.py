"""A file of JSON lines that is one conversation as a whole, read as one object with its lines.

Agents write a session line by line, each line an event, and several of them may be one message. So the file is handed
on as ``{"file": name, "lines": [...]}``, which is recognised, read and kept as any other conversation. A line that is
no JSON is handed on as its text; of a file that is too large, some lines are left out (``line_budget``). Other files,
such as conversations one per line, pass as they are.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any, Final

from archive_pipeline.domain.records import RejectedRecord
from archive_pipeline.readers.decided import Decided, Pieces, until_failure
from archive_pipeline.readers.json.blocks import ByteSource, blocks_of
from archive_pipeline.readers.json.parsing import parse_json
from archive_pipeline.readers.json.slices import BLANK
from archive_pipeline.readers.json.structure import may_take
from archive_pipeline.readers.line_budget import LIMITS, IsLine, Line, LineBudget, LineLimits

FILE: Final = "file"
LINES: Final = "lines"
# Of a line that is no JSON: its text, by this name, in an object without any other.
UNREADABLE_LINE: Final = "unreadable_line"
_BLOCK_BYTES: Final = 16 * 1024
# The first lines tell; the first of all may have all instructions to the model in it, or a picture.
_HEAD_BYTES: Final = 1024 * 1024
_FIRST_LINE_BYTES: Final = 32 * 1024 * 1024
_UTF16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_MAX_LINE_MEMORY: Final = 256 * 1024 * 1024
# Of a line that is larger than a session may be, so much is kept to find it by.
_BEGINNING_BYTES: Final = 1024
NO_JSON: Final = object()


def objects_of(value: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """Returns the lines of a session that are objects; None if the value is no session."""
    lines = value.get(LINES)
    return [line for line in lines if isinstance(line, dict)] if isinstance(lines, list) else None


def without_lines(locator: str) -> RejectedRecord:
    """Returns why a value without lines is no session."""
    return RejectedRecord(locator, "the session has no 'lines', so no messages", "missing lines")


def is_unreadable(line: object) -> bool:
    """Tells whether a line of a session is no object, or no JSON at all."""
    return not isinstance(line, dict) or line.keys() == {UNREADABLE_LINE}


def as_one_object(
    source: ByteSource, name: str, is_line: IsLine, is_copy: IsLine, *, limits: LineLimits = LIMITS
) -> SessionOrText:
    """Returns what the file is read from: one object with its lines if the first of them are lines of a session.

    Args:
        source: the open file, at its start.
        name: of the file, without folders.
        is_line: tells a line of a session from a whole conversation and from anything else.
        is_copy: tells a line of a session that says nothing but what other lines say.
        limits: of what is handed on of a session.
    """
    return SessionOrText(source, name, is_line, LineBudget(is_copy, limits))


class SessionOrText(Decided):
    """A file that is read as lines or as it is: what it is shows when it is read first."""

    def __init__(self, source: ByteSource, name: str, is_line: IsLine, budget: LineBudget) -> None:
        super().__init__(source)
        self._name = name
        self._is_line = is_line
        self._budget = budget

    def rejected(self, locator: str) -> Iterator[RejectedRecord]:
        """Yields what is left out of a session, when it was read."""
        yield from self._budget.rejected(locator)

    def _decide(self) -> bytes:
        """Reads no more in advance than tells what the file is; what stands before damage comes first."""
        blocks = _blocks(self._source)
        head = bytearray()
        failure: Exception | None = None
        is_session = False
        try:
            is_session = _is_session(blocks, head, self._is_line)
        except Exception as error:  # noqa: BLE001 - raised again where it stands
            failure = error
            is_session = any(map(self._is_line, _objects(head, is_whole=False)))
        rest = _or_raise(blocks, failure)
        if is_session:
            text = blocks_of(Pieces(chain([bytes(head)], rest)), _BLOCK_BYTES)
            self._source = Pieces(_as_object(text, self._name, self._budget))
            return b""
        if failure is not None:
            self._source = Pieces(rest)
        return bytes(head)


def _or_raise(blocks: Iterator[bytes], failure: Exception | None) -> Iterator[bytes]:
    if failure is not None:
        raise failure
    yield from blocks


def _is_session(blocks: Iterator[bytes], head: bytearray, is_line: IsLine) -> bool:
    """Reads into ``head`` until a whole line of it is one of a session, or nothing says that one will come."""
    size, is_whole = _BLOCK_BYTES, False
    while not is_whole:
        while len(head) < size and not is_whole:
            block = next(blocks, b"")
            head += block
            is_whole = not block
        if not _may_begin_lines(head):
            return False
        if any(map(is_line, _objects(head, is_whole=is_whole))):
            return True
        if size >= (_HEAD_BYTES if b"\n" in head else _FIRST_LINE_BYTES):
            return False
        size *= 4  # so that the work stays linear
    return False


def _may_begin_lines(head: bytearray) -> bool:
    text = head[2:].replace(b"\0", b"") if head.startswith(_UTF16) else head.removeprefix(codecs.BOM_UTF8)
    return text.lstrip(BLANK + b"\0").startswith(b"{")


def _objects(head: bytearray, *, is_whole: bool) -> Iterator[dict[str, Any]]:
    """Yields the objects that lines at the beginning of a file are; the last line counts if the file ends with it."""
    text = bytes(head)
    if head.startswith(_UTF16):
        text = text.decode("utf-16", "ignore").encode("utf-8", "surrogatepass")
    lines = text.removeprefix(codecs.BOM_UTF8).split(b"\n")
    for line in map(bytes.strip, lines if is_whole else lines[:-1]):
        if not (line.startswith(b"{") and line.endswith(b"}")):
            continue  # parsing a line that is none takes long
        try:
            value, _ = parse_json(line)
        except ValueError:
            continue
        if isinstance(value, dict):
            yield value


def _blocks(source: ByteSource) -> Iterator[bytes]:
    while block := source.read(_BLOCK_BYTES):
        yield block


def _lines(blocks: Iterator[bytes], most: int) -> Iterator[Line]:
    """Yields the lines that are not blank; of those with more than so many bytes the beginning."""
    held: list[bytes] = []
    number, offset, size = 1, 0, 0
    for block in chain(blocks, [b"\n"]):
        first, *others = block.split(b"\n")
        held.append(first)
        size += len(first)
        for following in others:
            if line := _line(held, number, offset, size, most):
                yield line
            number, offset = number + 1, offset + size + 1
            held, size = [following], len(following)
        if size > most:
            held = [b"".join(held)[:_BEGINNING_BYTES]]


def _line(held: list[bytes], number: int, offset: int, size: int, most: int) -> Line | None:
    raw = b"".join(held).strip()
    return Line(number, offset, size, raw, is_whole=size <= most) if raw else None


def _as_object(blocks: Iterator[bytes], name: str, budget: LineBudget) -> Iterator[bytes]:
    """Yields the object; if the file cannot be read on, it is that of the lines before, and the error comes behind."""
    separator = b'{"file":' + json.dumps(name).encode() + b',"lines":[\n'
    failures: list[Exception] = []
    held = budget.begin(until_failure(blocks, failures), len(separator))
    for line in _lines(held, budget.limits.session_bytes):
        text = _handed_on(line, budget)
        if text is not None:
            yield separator + text
            separator = b",\n"
    yield b"\n]}\n"
    if failures:
        raise failures[0]


def _handed_on(line: Line, budget: LineBudget) -> bytes | None:
    """Returns what is handed on in the place of a line, if anything is."""
    if not line.is_whole or budget.is_spent:
        return budget.take(line, line.raw, None)
    value = value_of(line.raw)
    return budget.take(line, as_text(line.raw) if value is NO_JSON else line.raw, value)


def value_of(line: bytes) -> object:
    """Returns what a line says; ``NO_JSON`` if it is none, or more than any line says."""
    if may_take(line, _MAX_LINE_MEMORY):
        return NO_JSON
    try:
        return parse_json(line)[0]
    except ValueError:
        return NO_JSON


def as_text(line: bytes) -> bytes:
    """Returns the object that stands for a line that is no JSON."""
    return json.dumps({UNREADABLE_LINE: line.decode("utf-8", "replace")}).encode()
