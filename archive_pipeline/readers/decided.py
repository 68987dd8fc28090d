"""Files of which the beginning tells what the rest is read as, and bytes that come in pieces, read as from a file."""

from __future__ import annotations

import io
from abc import ABC, abstractmethod
from collections.abc import Iterator

from archive_pipeline.readers.json.blocks import ByteSource


class Decided(ABC):
    """A file that is read as it is, or as something else: which of them shows when it is read first."""

    def __init__(self, source: ByteSource) -> None:
        self._source = source
        self._is_decided = False
        self._head: io.BytesIO | None = None  # read to decide, and not all given yet

    def read(self, size: int = -1, /) -> bytes:
        """Returns up to ``size`` bytes, none only at the end; all that are left if ``size`` is negative."""
        if not self._is_decided:
            self._head = io.BytesIO(self._decide())
            self._is_decided = True
        if self._head is not None:
            taken = self._head.read(size)
            if size < 0:
                self._head = None
                return taken + self._source.read()
            if taken or size == 0:
                return taken
            self._head = None  # it may be a hundred megabytes
        return self._source.read(size)

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
