"""Look-ups of messages arrays in ``llm-archive stats``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Final

from rich.table import Table

from archive_pipeline.cli.output import figures_table
from archive_pipeline.store.look_ups import LookUps

_COUNTS: Final = ("asked", "found", "generated_equal", "generated_new", "missed")


def as_dict(by_door: Sequence[LookUps]) -> dict[str, Any]:
    """Return the figures of each entry point for programs."""
    figures = {each.door: {**asdict(each), "hit_rate": each.hit_rate} for each in by_door}
    return {"look_ups": {door: {name: own[name] for name in (*_COUNTS, "hit_rate")} for door, own in figures.items()}}


def table(by_door: Sequence[LookUps]) -> Table:
    """Return the figures of each entry point for people."""
    headers = ("", *(name.replace("_", " ") for name in (*_COUNTS, "hit rate")))
    rows = [(each.door, *(f"{asdict(each)[name]:,}" for name in _COUNTS), f"{each.hit_rate:.1%}") for each in by_door]
    return figures_table("Look-ups by messages", headers, rows)
