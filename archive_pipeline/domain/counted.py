"""Numbers of things in words."""

from __future__ import annotations


def counted(number: int, one: str, many: str | None = None) -> str:
    """Return a number and what it counts: ``1 file``, ``2,000 files``; ``many`` is ``one`` and an s."""
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"
