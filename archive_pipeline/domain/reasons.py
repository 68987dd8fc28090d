"""What an exception of another library says, for a message of our own."""

from __future__ import annotations


def first_line(error: BaseException) -> str:
    """Return the first line of what an exception says; the name of its class if it says nothing."""
    return (str(error).strip() or type(error).__name__).splitlines()[0]
