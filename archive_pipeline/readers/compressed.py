"""JSON that is compressed, read as it is unpacked: sessions of Codex with zstd, traces and data sets with gzip."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Final

from archive_pipeline.domain.zip_limits import is_bomb
from archive_pipeline.errors import UnreadableInputError
from archive_pipeline.readers.json.blocks import ByteSource

if TYPE_CHECKING:
    import pyarrow as pa

# By the end of a file's name, what Arrow names that which compressed it.
_CODECS: Final = {"gz": "gzip", "zst": "zstd"}
_NAME: Final = re.compile(rf"(.+\.jsonl?)\.({'|'.join(_CODECS)})", re.IGNORECASE | re.DOTALL)
_BLOCK_BYTES: Final = 1024 * 1024
# What is asked for at once is lost if there is damage in it.
_PIECE_BYTES: Final = 4 * 1024


def unpacked_name(name: str) -> str:
    """Returns the name that a file has when it is unpacked; the same one if it is not compressed by its name."""
    compressed = _NAME.fullmatch(name)
    return name if compressed is None else compressed[1]


def is_compressed(name: str) -> bool:
    """Tells by its name whether a file is compressed JSON."""
    return unpacked_name(name) != name


def unpacked(source: ByteSource, name: str) -> ByteSource:
    """Returns what a file unpacks to if it is compressed by its name, and else the file.

    Args:
        source: the open file, at its start.
        name: of the file, for people.
    """
    compressed = _NAME.fullmatch(name)
    return source if compressed is None else _Unpacked(source, name, _CODECS[compressed[2].lower()])


def unpacked_pieces(data: bytes, name: str) -> Iterator[bytes]:
    """Yields what bytes unpack to that zstd has compressed.

    Args:
        data: the bytes.
        name: what they are, for people.

    Raises:
        UnreadableInputError: they are damaged, or unpack to more than anything real does.
    """
    stream = _Unpacked(io.BytesIO(data), name, _CODECS["zst"])
    return iter(partial(stream.read, _BLOCK_BYTES), b"")


class _Compressed:
    """A file as Arrow asks for it, and how many bytes it has given."""

    closed = False

    def __init__(self, source: ByteSource) -> None:
        self.bytes_read = 0
        self._source = source

    def read(self, size: int) -> bytes:
        data = self._source.read(size)
        self.bytes_read += len(data)
        return data

    def close(self) -> None:
        """Leaves the file to whoever opened it."""


class _Unpacked:
    """What a file unpacks to, up to damage if there is any; more than anything real unpacks to is an error."""

    def __init__(self, source: ByteSource, name: str, codec: str) -> None:
        self._compressed = _Compressed(source)
        self._name = name
        self._codec = codec
        self._stream: pa.CompressedInputStream | None = None
        self._bytes_given = 0
        self._failure: Exception | None = None

    def read(self, size: int = -1, /) -> bytes:
        """Returns up to ``size`` bytes, none only at the end; all that are left if ``size`` is negative."""
        if size < 0:
            return b"".join(iter(partial(self.read, _BLOCK_BYTES), b""))
        pieces: list[bytes] = []
        while size > 0 and self._failure is None:
            piece = self._piece(min(size, _PIECE_BYTES))
            if not piece:
                break
            pieces.append(piece)
            size -= len(piece)
        if not pieces and self._failure is not None:
            raise self._failure
        return b"".join(pieces)

    def _piece(self, size: int) -> bytes:
        """Returns the next bytes, none at the end and before a failure."""
        try:
            if self._stream is None:
                self._stream = _decompressed(self._compressed, self._codec)
            data = bytes(self._stream.read(size))
        except OSError as error:
            # One of the disk has a number.
            is_damage = error.errno is None
            self._failure = UnreadableInputError(f"{self._name} is damaged: {error}") if is_damage else error
            return b""
        self._bytes_given += len(data)
        if is_bomb(self._bytes_given, self._compressed.bytes_read):
            ratio = self._bytes_given / self._compressed.bytes_read
            msg = f"{self._name} unpacks to {ratio:,.0f} times its size, as no export does, and is not read"
            self._failure = UnreadableInputError(msg)
            return b""
        return data


def _decompressed(compressed: _Compressed, codec: str) -> pa.CompressedInputStream:
    # Few files need it, and it takes as long to import as a small one to read.
    import pyarrow as pa  # noqa: PLC0415

    return pa.CompressedInputStream(pa.PythonFile(compressed, mode="r"), codec)
