"""What an archive can be asked for: its models, and from when to when its sources go."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

import psycopg

from archive_pipeline.store.rows import fetch_rows


@dataclass(frozen=True, slots=True)
class Span:
    """From when to when.

    Attributes:
        source: such as ``chatgpt``; ``document`` for files.
        model: that wrote the messages; None for all of the source.
        messages: how many, copies in other dialogues not counted again; of documents, their number.
        first_at, last_at: when the first and the last was written, or added; None if no time is known.
    """

    source: str
    model: str | None
    messages: int
    first_at: datetime | None
    last_at: datetime | None


def archive_contents(connection: psycopg.Connection[Any]) -> list[Span]:
    """Return each source's span, and behind it those of its models."""
    return fetch_rows(connection, "summary/stats_contents", Span)
