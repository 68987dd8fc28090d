"""A file of single messages of many conversations, read as one object for each conversation with its messages.

Data sets are published so: a message a line or an item of an array, each with the id of its conversation, or with that
of the message before it. The messages of one conversation stand together in them, or near each other: a part of the
file is held, and what was not added to for the longest time is handed on first, as ``{"tree": id, "messages": [...]}``.
Items that are no message pass as they are, and text that is no JSON as ``{"unreadable_line": text}``.
"""

from __future__ import annotations

import io
import json
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, Final

from archive_pipeline.readers.decided import Decided, Pieces, until_failure
from archive_pipeline.readers.declaration import Gatherer
from archive_pipeline.readers.json.blocks import ByteSource, blocks_of
from archive_pipeline.readers.json.documents import Place
from archive_pipeline.readers.json.scanner import MAX_ELEMENT_BYTES, ElementScanner
from archive_pipeline.readers.json.slices import BLANK
from archive_pipeline.readers.json_lines import NO_JSON, as_text, value_of

TREE: Final = "tree"
MESSAGES: Final = "messages"
_BLOCK_BYTES: Final = 16 * 1024
# The first item tells.
_HEAD_BYTES: Final = 1024 * 1024
HELD_BYTES: Final = 32 * 1024 * 1024

# The id of the conversation that an object is a message of, by the object and that of the message before; None if the
# object is no message.
TreeOf = Callable[[Mapping[str, Any], str | None], str | None]


def passed_over(raw: bytes, value: object) -> bytes:
    """Returns what is handed on of an item that is not gathered; text that is no JSON as an object with it."""
    return as_text(raw) if value is NO_JSON else raw


def as_conversations(source: ByteSource, gatherers: Sequence[Gatherer]) -> Gathered:
    """Returns what the file is read from: what the first gatherer that takes its first item makes of it, or the file.

    Args:
        source: the open file, at its start.
        gatherers: new ones, for this file.
    """
    return Gathered(source, gatherers)


class Gathered(Decided):
    """A file that is gathered or read as it is: what it is shows when it is read first."""

    def __init__(self, source: ByteSource, gatherers: Sequence[Gatherer]) -> None:
        super().__init__(source)
        self._gatherers = gatherers
        self._chosen: Gatherer | None = None

    @property
    def left_out(self) -> str | None:
        """What of the file is not handed on, when it was read; None if nothing."""
        return None if self._chosen is None else self._chosen.left_out

    def _decide(self) -> bytes:
        """Reads no more in advance than the first item; what stands before damage comes first."""
        source = self._source
        blocks = iter(lambda: source.read(_BLOCK_BYTES), b"")
        failures: list[Exception] = []
        readable = until_failure(blocks, failures)
        head, size = b"", _BLOCK_BYTES
        first: dict[str, Any] | None = None
        while first is None and size <= _HEAD_BYTES:
            while len(head) < size and (block := next(readable, b"")):
                head += block
            is_whole = len(head) < size
            first = _first_of(head + b"\n" if is_whole else head)
            size = size * 4 if not is_whole else _HEAD_BYTES + 1  # so that the work stays linear
        rest = chain([head], _or_raise(blocks, failures))
        self._chosen = next((each for each in self._gatherers if first is not None and each.takes(first)), None)
        if self._chosen is None:
            self._source = Pieces(_or_raise(blocks, failures)) if failures else source
            return head
        text = blocks_of(Pieces(rest), _BLOCK_BYTES)
        self._source = Pieces(_gathered(text, self._chosen))
        return b""


def _or_raise(blocks: Iterator[bytes], failures: list[Exception]) -> Iterator[bytes]:
    if failures:
        raise failures[0]
    yield from blocks


def _first_of(head: bytes) -> dict[str, Any] | None:
    """Returns the object that the first item of a file is; None if it is none, or not whole yet."""
    text = next(blocks_of(io.BytesIO(head), len(head)), b"").lstrip(BLANK)
    if text.startswith(b"["):
        found = ElementScanner().feed(text)
        value = value_of(found[0].raw) if found else None
    else:
        line, end, _ = text.partition(b"\n")
        value = value_of(line) if end and line.startswith(b"{") else None
    return value if isinstance(value, dict) else None


def _gathered(blocks: Iterator[bytes], gatherer: Gatherer) -> Iterator[bytes]:
    """Yields an array with the conversations; it is not closed if the file is cut off or cannot be read on."""
    items = _Items(blocks)
    separator = b"[\n"
    added = (made for raw in items for made in gatherer.add(raw, value_of(raw)))
    for made in chain(added, _lazily(gatherer.all)):
        yield separator + made
        separator = b",\n"
    if items.failures:
        raise items.failures[0]
    if not items.is_cut_off:
        yield b"\n]\n" if separator == b",\n" else b"[]\n"


def _lazily(make: Callable[[], Iterator[bytes]]) -> Iterator[bytes]:
    yield from make()


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


class MessageTrees:
    """Gathers messages that stand alone: conversations that are held, their messages in the order of the file.

    Args:
        tree_of: tells messages, and which conversation they belong to.
        held_bytes: how much of the file is held, so that messages which do not stand together come together.
    """

    left_out: Final = None

    def __init__(self, tree_of: TreeOf, *, held_bytes: int = HELD_BYTES) -> None:
        self._tree_of = tree_of
        self._present: str | None = None
        self._messages: OrderedDict[str, list[bytes]] = OrderedDict()
        self._most = held_bytes
        self._size = 0

    def takes(self, value: Mapping[str, Any]) -> bool:
        """Tells whether the first item of a file is a message."""
        return self._tree_of(value, None) is not None

    def add(self, raw: bytes, value: object) -> Iterator[bytes]:
        """Adds a message; yields the conversations that are no longer held, and what is no message."""
        tree = self._tree_of(value, self._present) if isinstance(value, dict) else None
        if tree is None:
            yield passed_over(raw, value)
            return
        self._present = tree
        self._messages.setdefault(tree, []).append(raw)
        self._messages.move_to_end(tree)
        self._size += len(raw)
        while self._size > self._most:
            yield self._take()

    def all(self) -> Iterator[bytes]:
        """Yields all that are held."""
        while self._messages:
            yield self._take()

    def _take(self) -> bytes:
        """Returns the conversation that was not added to for the longest time."""
        tree, messages = self._messages.popitem(last=False)
        self._size -= sum(map(len, messages))
        return b'{"tree":' + json.dumps(tree).encode() + b',"messages":[\n' + b",\n".join(messages) + b"\n]}"


class _Items:
    """The items of a file, lines or those of an array, in its order.

    Attributes:
        failures: why it cannot be read on.
        is_cut_off: the array does not end.
    """

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self.failures: list[Exception] = []
        self.is_cut_off = False
        self._blocks = until_failure(blocks, self.failures)

    def __iter__(self) -> Iterator[bytes]:
        block = next(filter(bytes.strip, self._blocks), b"")
        blocks = chain([block], self._blocks)
        found = self._of_array(blocks) if block.lstrip(BLANK).startswith(b"[") else _lines(blocks)
        return filter(None, map(bytes.strip, found))

    def _of_array(self, blocks: Iterator[bytes]) -> Iterator[bytes]:
        scanner = ElementScanner()
        for block in blocks:
            yield from (piece.raw for piece in scanner.feed(block))
            if scanner.stray_offset is not None:
                self.is_cut_off = True
                return
        self.is_cut_off = scanner.place is not Place.END or scanner.comma_offset is not None
        yield from (piece.raw for piece in scanner.finish())
