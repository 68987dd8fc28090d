"""How much a database may give: a hostile one costs no more than a zip of its size."""

from __future__ import annotations

from typing import Final

from archive_pipeline.domain.zip_limits import MAX_RATIO, RATIO_MATTERS_FROM_BYTES, is_bomb

# Steps of SQLite's machine: a row takes some dozen, and has some dozen bytes.
_STEPS_PER_BYTE: Final = 200
_STEPS_AT_LEAST: Final = 50_000_000


class TooMuchError(Exception):
    """A database gives more than a file of its size can hold."""


class Allowance:
    """What is left of what may be read of one database, whose rows may be in several conversations.

    Attributes:
        longest: bytes of the longest text or BLOB that it can hold.
    """

    def __init__(self, size: int) -> None:
        self.longest = size
        self._size = size
        self._taken = 0
        self._steps = _STEPS_AT_LEAST + _STEPS_PER_BYTE * size

    def take(self, count: int) -> None:
        """Counts bytes that were read.

        Raises:
            TooMuchError: that is too much.
        """
        self._taken += count
        if is_bomb(self._taken, self._size):
            msg = f"its rows say more than {MAX_RATIO} times its size, and more than {RATIO_MATTERS_FROM_BYTES:,} bytes"
            raise TooMuchError(msg)

    def take_steps(self, count: int) -> bool:
        """Counts steps of SQLite's machine; tells whether that is too many."""
        self._steps -= count
        return self._steps < 0
