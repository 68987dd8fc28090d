"""Reading a stream with a count and a hash of what was read."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import BinaryIO

_CHUNK_BYTES = 1024 * 1024


class TrackedReader:
    """Counts what is read from a stream, and hashes it if that is wanted."""

    def __init__(self, stream: BinaryIO, *, is_hashed: bool = True) -> None:
        self.bytes_read = 0
        self._stream = stream
        self._is_hashed = is_hashed
        self._digest = hashlib.sha256()

    def read(self, size: int = -1, /) -> bytes:
        """Returns up to ``size`` bytes."""
        data = self._stream.read(size)
        self.bytes_read += len(data)
        if self._is_hashed:
            self._digest.update(data)
        return data

    def hexdigest(self) -> str:
        """Returns the SHA-256 of what was read, to the end of the stream, which is read now if it was not before."""
        while self.read(_CHUNK_BYTES):
            pass
        return self._digest.hexdigest()


def sha256_of(path: Path) -> str:
    """Returns the SHA-256 of a file on disk (hex)."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
