"""What JSON text holds, told from its bytes alone: keys, containers and how deep they stand in each other.

Nothing here builds values, so that text can be judged before it is parsed. Escapes are made harmless first (a stand-in
of the same length), after which a quote is a quote.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any

from archive_pipeline.readers.json.brackets import without_escapes
from archive_pipeline.text.sanitize import pair_surrogates

_CHUNK_BYTES = 64 * 1024
_TOKEN = re.compile(rb'"[^"]*"|[\[{]|[\]}]')
_LONG_INTEGER = re.compile(rb"(?<![0-9.])[0-9]{18}[0-9]+(?![0-9.eE])")
_MANY_DIGITS = b"0" * 19
_DIGITS_AS_ZERO = bytes(ord("0") if byte in b"0123456789" else ord(".") for byte in range(256))
_BLANK_BEFORE_COLON = re.compile(rb'"[ \t\r\n]++:')
_NOT_CUT = frozenset(b"\\0123456789")  # escapes and numbers
_OPENING = frozenset({b"[", b"{"})
# What a bracket stands in that is no object of a tree.
_ARRAY_OF_TREE, _OTHER = -1, -2
_NAME_BYTES = 256
# What CPython allocates, about: a container of one element, and the place of a further one with a small value.
_OBJECT_BYTES, _ARRAY_BYTES, _VALUE_BYTES = 240, 64, 64


@dataclass(frozen=True, slots=True)
class Extent:
    """How much a value holds.

    Attributes:
        keys: of all objects in it.
        depth: how many containers stand in each other.
    """

    keys: int
    depth: int


def extent_of(value: object) -> Extent:
    """Returns how many keys a value holds and how deep it is."""
    keys = depth = 0
    # JSON's own types and no others: this is asked of every value, and asking for subclasses takes three times as long.
    objects: list[dict[str, Any]] = [value] if type(value) is dict else []
    arrays: list[list[Any]] = [value] if type(value) is list else []
    while objects or arrays:
        depth += 1
        keys += sum(map(len, objects))
        below = [*chain.from_iterable(map(dict.values, objects)), *chain.from_iterable(arrays)]
        objects = [item for item in below if type(item) is dict]
        arrays = [item for item in below if type(item) is list]
    return Extent(keys, depth)


def has_all_of(raw: bytes, keys: int) -> bool:
    """Tells whether a value with so many keys has all of its JSON text: no key twice, no integer cut to a float."""
    if raw.count(b'":') == keys and not _BLANK_BEFORE_COLON.search(raw) and not _has_many_digits(raw):
        return True  # there are at most so many keys: some of these may stand in strings
    for outside in _outside_strings(raw):
        keys -= outside.count(b":")
        if _LONG_INTEGER.search(outside):
            return False
    return keys == 0


def _has_many_digits(raw: bytes) -> bool:
    return _MANY_DIGITS in raw.translate(_DIGITS_AS_ZERO)


def may_take(raw: bytes, most: int) -> bool:
    """Tells whether the value of JSON text may take more than so many bytes; small texts are not looked at."""
    return could_take(len(raw), most) and memory_of(raw) > most


def could_take(size: int, most: int) -> bool:
    """Tells whether there is JSON text of a size whose value takes more than so many bytes."""
    return size * (1 + _OBJECT_BYTES // 2) > most


def memory_of(raw: bytes) -> int:
    """Returns about how many bytes the value of JSON text takes, at most."""
    held = len(raw)
    for outside in _outside_strings(raw):
        held += _OBJECT_BYTES * outside.count(b"{") + _ARRAY_BYTES * outside.count(b"[")
        held += _VALUE_BYTES * outside.count(b",")
    return held


def fold_deep(raw: bytes, depth: int) -> bytes:
    """Returns the text with every container below ``depth`` others as a string that holds its JSON text."""
    clean = without_escapes(raw)
    pieces: list[bytes] = []
    level = done = start = 0
    for token in _TOKEN.finditer(clean):
        if token.group() in _OPENING:
            level += 1
            if level == depth + 1:
                start = token.start()
        elif token.group()[:1] != b'"' and level:
            level -= 1
            if level == depth:
                pieces += (raw[done:start], _as_string(raw[start : token.end()]))
                done = token.end()
    return b"".join((*pieces, raw[done:])) if pieces else raw


class _Cuts:
    """Objects that are cut out of each other."""

    def __init__(self, raw: bytes) -> None:
        self._raw = raw
        self._done: list[int] = []
        self.pieces: list[list[bytes]] = []
        self.above: list[int | None] = []

    def open(self, start: int, above: int | None) -> int:
        """Begins the next object; ``null`` takes its place in the one above."""
        if above is not None:
            self.pieces[above] += (self._raw[self._done[above] : start], b"null")
        self._done.append(start)
        self.pieces.append([])
        self.above.append(above)
        return len(self._done) - 1

    def close(self, own: int, end: int) -> None:
        """Ends an object; the one above goes on behind it."""
        self.pieces[own].append(self._raw[self._done[own] : end])
        above = self.above[own]
        if above is not None:
            self._done[above] = end


def cut_apart(raw: bytes, name: str) -> list[tuple[bytes, int | None]]:
    """Returns the objects of a tree, each without those below it, and with the place of the one above it.

    In time that grows with the text alone, however deep the tree is. What is left of an array of objects below has
    ``null`` for each of them.

    Args:
        raw: JSON text of an object.
        name: of the arrays that hold the objects below one, without anything to escape.
    """
    clean = without_escapes(raw)
    is_named = re.compile(rb'"%s"[ \t\r\n]{0,32}:[ \t\r\n]{0,32}\Z' % name.encode())
    cuts = _Cuts(raw)
    around: list[int] = []  # an object's place, or one of the two below
    for token in _TOKEN.finditer(clean):
        start, last = token.start(), around[-1] if around else _ARRAY_OF_TREE
        if token.group() == b"{" and last == _ARRAY_OF_TREE:
            around.append(cuts.open(start, around[-2] if around else None))
        elif token.group() in _OPENING:
            is_array = last >= 0 and is_named.search(clean, max(0, start - _NAME_BYTES), start) is not None
            around.append(_ARRAY_OF_TREE if is_array and token.group() == b"[" else _OTHER)
        elif token.group()[:1] != b'"' and around:
            own = around.pop()
            if own >= 0:
                cuts.close(own, token.end())
    return [(b"".join(pieces), above) for pieces, above in zip(cuts.pieces, cuts.above, strict=True)]


def _as_string(raw: bytes) -> bytes:
    text = pair_surrogates(raw.decode("utf-8", "surrogatepass"))
    # Halves of characters as JSON escapes, which every column takes; inside strings, the only place for them, they mean
    # the same.
    return json.dumps(text.encode("utf-8", "backslashreplace").decode()).encode()


def _outside_strings(raw: bytes) -> Iterator[bytes]:
    """Yields what stands outside strings, in chunks, since a large text split at each quote is a larger list."""
    start, in_string = 0, False
    while start < len(raw):
        end = start + _CHUNK_BYTES
        while end < len(raw) and raw[end - 1] in _NOT_CUT:
            end += 1
        pieces = without_escapes(raw[start:end]).split(b'"')
        yield b"".join(pieces[in_string::2])
        in_string ^= len(pieces) % 2 == 0
        start = end
