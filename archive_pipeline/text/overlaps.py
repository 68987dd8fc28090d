"""Two pieces of one text that follow each other, put together again."""

from __future__ import annotations

from typing import Final

# What is shorter may end one piece and begin the next one by chance.
_SHORTEST: Final = 16


def put_together(first: str, second: str, overlap: int | None) -> str:
    """Return the text of two pieces.

    Args:
        first: one piece.
        second: the next one, which may begin with the end of the first.
        overlap: how many characters it repeats, below zero if something stands between them; None if nobody knows.
    """
    repeated = _overlap(first, second) if overlap is None else overlap
    return f"{first} {second}" if repeated < 0 else first + second[repeated:]


def _overlap(first: str, second: str) -> int:
    """Return the length of the end of a piece with which the next one begins; -1 if there is none."""
    beginning = second[:_SHORTEST]
    place = first.find(beginning, max(len(first) - len(second), 0))
    while place >= 0 and not second.startswith(first[place:]):
        place = first.find(beginning, place + 1)
    return -1 if place < 0 else len(first) - place
