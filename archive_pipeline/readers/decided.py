"""Files of which the beginning tells what the rest is read as, and bytes that come in pieces, read as from a file."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator

from archive_pipeline.readers.json.blocks import ByteSource


class Decided(ABC):
    """A file that is read as it is, or as something else: which of them shows when it is read first."""

    def __init__(self, source: ByteSource) -> None:
        self._source = source
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

    @abstractmethod
    def _decide(self) -> bytes:
        """Decides what ``_source`` is from now on; returns what was read for that and is to be given first."""


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


def until_failure(blocks: Iterator[bytes], failures: list[Exception]) -> Iterator[bytes]:
    """Yields blocks until one cannot be read, and notes why."""
    try:
        yield from blocks
    except Exception as error:  # noqa: BLE001 - raised again where it stands
        failures.append(error)
