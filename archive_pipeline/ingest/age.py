"""Which of two states of a dialogue is of a later time."""

from __future__ import annotations

from datetime import datetime


def is_newer(updated_at: datetime | None, than: datetime | None) -> bool:
    """Tell whether a state is of a later time than another; any time is later than an unknown one."""
    return updated_at is not None and (than is None or updated_at > than)


def is_older(updated_at: datetime | None, than: datetime | None) -> bool:
    """Tell whether a state is of an earlier time than another; an unknown time is not."""
    return updated_at is not None and than is not None and updated_at < than
