"""What ``stats`` shows of an archive's contents: models, and from when to when each source goes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any, Final

from rich.table import Table
from rich.text import Text

from archive_pipeline.cli.output import cell, one_line
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
    table = _table("Dates", "", "first", "last")
    for span in spans:
        if span.model is None:
            table.add_row(cell(span.source), _day(span.first_at), _day(span.last_at))
    return table


def models_table(spans: Sequence[Span]) -> Table:
    """Return a table of models, as the filter takes them, and their messages."""
    table = _table("Models", "", "source", "messages", "first", "last")
    for span in spans:
        if span.model is not None:
            row = (f"{span.messages:,}", _day(span.first_at), _day(span.last_at))
            name = one_line(span.model)
            shown = name if len(name) <= _SHOWN_OF_NAME else f"{name[: _SHOWN_OF_NAME - 1]}…"
            table.add_row(Text(shown), cell(span.source), *row)
    return table


def _table(title: str, *headers: str) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold", show_edge=False, pad_edge=False, box=None)
    for header in headers:
        # Names may be long, and make room for the other columns by taking several lines.
        table.add_column(header, justify="right" if header == "messages" else "left", no_wrap=header != "")
    return table


def _day(moment: datetime | None) -> str:
    return "" if moment is None else f"{moment:%Y-%m-%d}"
