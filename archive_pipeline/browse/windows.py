"""Windows of what is too long for a page; an address says how many come before its window."""

from __future__ import annotations


def window_with(index: int, shown: int) -> int:
    """Return how many come before the window with an item, of windows of so many."""
    return index - index % shown


def last_start(count: int, shown: int) -> int:
    """Return how many come before the last window: an address may be older than what it shows."""
    return window_with(max(count - 1, 0), shown)


def start_before(start: int, shown: int) -> int | None:
    """Return where the window before begins; None at the beginning."""
    return max(0, start - shown) if start else None


def start_after(start: int, shown: int, count: int) -> int | None:
    """Return where the window after so many begins; None at the end."""
    end = start + shown
    return end if end < count else None
