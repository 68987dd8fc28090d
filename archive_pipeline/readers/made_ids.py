"""Ids that a reader makes, each once in a dialogue."""

from __future__ import annotations

from collections import Counter


class MadeIds:
    """The ids of one dialogue's messages, in the order in which they are made.

    Args:
        second: number of an id that was there once before; those that follow count on.
    """

    def __init__(self, second: int = 2) -> None:
        self._second = second
        self._used: set[str] = set()
        self._again: Counter[str] = Counter()

    def own(self, made: str) -> str:
        """Returns an id, numbered where it was there before."""
        own = made
        while own in self._used:
            own = f"{made}-again-{self._again[made] + self._second}"
            self._again[made] += 1
        self._used.add(own)
        return own
