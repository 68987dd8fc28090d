"""The bytes of a file in blocks of UTF-8."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator, Mapping
from typing import Final, Protocol

# By which of its first bytes are NUL: the first two characters of JSON are ASCII.
_BY_NULS: Final[Mapping[tuple[bool, ...], str]] = {
    (False, True, True, True): "UTF-32",
    (True, True, True, False): "UTF-32",
    (False, True, False, True): "UTF-16 without a byte order mark",
    (True, False, True, False): "UTF-16 without a byte order mark",
}


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


def unread_encoding(beginning: bytes) -> str | None:
    """Returns the encoding of JSON that ``blocks_of`` cannot decode, by its first bytes; None if it is none."""
    if beginning.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return "UTF-32"
    if not beginning.lstrip(b"\0").startswith((b"[", b"{")):
        return None
    return _BY_NULS.get(tuple(byte == 0 for byte in beginning[:4]))


def _decoder(first: bytes) -> Callable[[bytes], bytes] | None:
    if not first.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return None
    decoder = codecs.getincrementaldecoder("utf-16")(errors="replace")
    return lambda block: decoder.decode(block).encode("utf-8", "surrogatepass")
