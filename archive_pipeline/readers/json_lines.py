"""A file of JSON lines that is one conversation as a whole, read as one object with its lines.

Agents write a session line by line, each line an event, and several of them may be one message. So the file is handed
on as ``{"file": name, "lines": [...]}``, which is recognised, read and kept as any other conversation. A line that is
no JSON is handed on as its text. Other files, such as conversations one per line, pass as they are.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from typing import Any, Final

from archive_pipeline.domain.records import RejectedRecord
from archive_pipeline.readers.json.blocks import ByteSource, blocks_of
from archive_pipeline.readers.json.parsing import parse_json
from archive_pipeline.readers.json.scanner import MAX_ELEMENT_BYTES
from archive_pipeline.readers.json.slices import BLANK
from archive_pipeline.readers.json.structure import may_take

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

IsLine = Callable[[Mapping[str, Any]], bool]


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


def as_one_object(source: ByteSource, name: str, is_line: IsLine) -> ByteSource:
    """Returns what the file is read from: one object with its lines if the first of them are lines of a session.

    Args:
        source: the open file, at its start.
        name: of the file, without folders.
        is_line: tells a line of a session from a whole conversation and from anything else.
    """
    return _Decided(source, name, is_line)


class _Decided:
    """A file that is read as lines or as it is: what it is shows when it is read first."""

    def __init__(self, source: ByteSource, name: str, is_line: IsLine) -> None:
        self._source = source
        self._name = name
        self._is_line = is_line
        self._head: bytes | None = None  # read to decide, and not given yet

    def read(self, size: int = -1, /) -> bytes:
        """Returns up to ``size`` bytes, none only at the end; all that are left if ``size`` is negative."""
        if self._head is None:
            self._head = self._decide()
        if not self._head:
            return self._source.read(size)
        end = len(self._head) if size < 0 else size
        taken, self._head = self._head[:end], self._head[end:]
        return taken if size >= 0 else taken + self._source.read()

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
            self._source = Pieces(_as_object(text, self._name))
            return b""
        if failure is not None:
            self._source = Pieces(rest)
        return bytes(head)


class Pieces:
    """Bytes that come in pieces, read as from a file."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._held = bytearray()

    def read(self, size: int = -1, /) -> bytes:
        """Returns up to ``size`` bytes, none only at the end; all that are left if ``size`` is negative."""
        while size < 0 or not self._held:
            piece = next(self._pieces, None)
            if piece is None:
                break
            self._held += piece
        end = len(self._held) if size < 0 else size
        taken = bytes(self._held[:end])
        del self._held[:end]
        return taken


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


def _lines(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """Yields the lines; one that is larger than any conversation may be comes in pieces, which are no JSON."""
    held: list[bytes] = []
    size = 0
    for block in blocks:
        first, *others = block.split(b"\n")
        held.append(first)
        size += len(first)
        for line in others:
            yield b"".join(held)
            held, size = [line], len(line)
        if size > MAX_ELEMENT_BYTES:
            yield b"".join(held)
            held, size = [], 0
    yield b"".join(held)


def _as_object(blocks: Iterator[bytes], name: str) -> Iterator[bytes]:
    """Yields the object; if the file cannot be read on, it is that of the lines before, and the error comes behind."""
    separator = b'{"file":' + json.dumps(name).encode() + b',"lines":[\n'
    failures: list[Exception] = []
    for line in map(bytes.strip, _lines(_until_failure(blocks, failures))):
        if line:
            yield separator + (line if _is_json(line) else _as_text(line))
            separator = b",\n"
    yield b"\n]}\n"
    if failures:
        raise failures[0]


def _until_failure(blocks: Iterator[bytes], failures: list[Exception]) -> Iterator[bytes]:
    try:
        yield from blocks
    except Exception as error:  # noqa: BLE001 - raised again where it stands
        failures.append(error)


def _is_json(line: bytes) -> bool:
    if may_take(line, _MAX_LINE_MEMORY):
        return False
    try:
        parse_json(line)
    except ValueError:
        return False
    return True


def _as_text(line: bytes) -> bytes:
    return json.dumps({UNREADABLE_LINE: line.decode("utf-8", "replace")}).encode()
