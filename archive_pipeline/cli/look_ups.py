"""Look-ups of messages arrays in ``llm-archive stats``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Final

from rich.table import Table

from archive_pipeline.store.look_ups import LookUps

_COUNTS: Final = ("asked", "found", "generated_equal", "generated_new", "missed")


def as_dict(by_door: Sequence[LookUps]) -> dict[str, Any]:
    """Return the figures of each entry point for programs."""
    figures = {each.door: {**asdict(each), "hit_rate": each.hit_rate} for each in by_door}
    return {"look_ups": {door: {name: own[name] for name in (*_COUNTS, "hit_rate")} for door, own in figures.items()}}


def table(by_door: Sequence[LookUps]) -> Table:
    """Return the figures of each entry point for people."""
    shown = Table(
        title="Look-ups by messages",
        title_justify="left",
        title_style="bold",
        show_edge=False,
        pad_edge=False,
        box=None,
    )
    shown.add_column("")
    for name in (*_COUNTS, "hit rate"):
        shown.add_column(name.replace("_", " "), justify="right")
    for each in by_door:
        counts = asdict(each)
        shown.add_row(each.door, *(f"{counts[name]:,}" for name in _COUNTS), f"{each.hit_rate:.1%}")
    return shown
