"""What ``stats`` shows of an archive's contents: models, and from when to when each source goes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any, Final

from rich.table import Table

from archive_pipeline.cli.output import figures_table, one_line
from archive_pipeline.store.archive_contents import Span

_SHOWN_OF_NAME: Final = 100


def as_dict(spans: Sequence[Span]) -> dict[str, Any]:
    """Return the spans for programs."""
    return {
        "dates": {
            span.source: {"first_at": span.first_at, "last_at": span.last_at} for span in spans if span.model is None
        },
        "models": [asdict(span) for span in spans if span.model is not None],
    }


def dates_table(spans: Sequence[Span]) -> Table:
    """Return a table of sources and days."""
    rows = [(span.source, _day(span.first_at), _day(span.last_at)) for span in spans if span.model is None]
    return figures_table("Dates", ("", "first", "last"), rows, left=("first", "last"))


def models_table(spans: Sequence[Span]) -> Table:
    """Return a table of models, as the filter takes them, and their messages."""
    rows = [
        (_shown(span.model), span.source, f"{span.messages:,}", _day(span.first_at), _day(span.last_at))
        for span in spans
        if span.model is not None
    ]
    headers = ("", "source", "messages", "first", "last")
    return figures_table("Models", headers, rows, left=("source", "first", "last"))


def _shown(model: str) -> str:
    name = one_line(model)
    return name if len(name) <= _SHOWN_OF_NAME else f"{name[: _SHOWN_OF_NAME - 1]}…"


def _day(moment: datetime | None) -> str:
    return "" if moment is None else f"{moment:%Y-%m-%d}"
