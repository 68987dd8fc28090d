"""The bytes of a file in blocks of UTF-8."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator
from typing import Protocol


class ByteSource(Protocol):
    """What is read from."""

    def read(self, size: int = -1, /) -> bytes:
        """Returns up to ``size`` bytes, none at the end."""
        ...


def blocks_of(source: ByteSource, size: int) -> Iterator[bytes]:
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
