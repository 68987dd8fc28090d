"""``llm-archive duplicates``: messages and exchanges that say the same or nearly, and runs of one task."""

from __future__ import annotations

import math
from typing import Final

import click

from archive_pipeline.cli.arguments import json_option
from archive_pipeline.domain.choices import DUPLICATE_METHODS, DUPLICATE_TYPES

_PLURALS: Final = {f"{kind}s": kind for kind in DUPLICATE_TYPES}
_MOST_SHOWN: Final = 1_000_000


def _number(_context: click.Context, _parameter: click.Parameter, value: float) -> float:
    """Refuse what a range of numbers lets through, though it is in none."""
    if math.isnan(value):
        raise click.BadParameter("nan is no number.")
    return value


@click.command()
@click.option(
    "--entity", type=click.Choice(list(_PLURALS)), help="Only messages, exchanges, or dialogues: runs of one task."
)
@click.option(
    "--method",
    type=click.Choice(DUPLICATE_METHODS),
    help="Only clusters found by it; by default each text is shown with the widest of its clusters.",
)
@click.option(
    "--min-similarity",
    type=click.FloatRange(0, 1),
    default=0.0,
    callback=_number,
    metavar="X",
    help="Only clusters all of whose members are at least so similar to the kept one (1: exact copies).",
)
@click.option(
    "--limit",
    type=click.IntRange(1, _MOST_SHOWN),
    default=20,
    show_default=True,
    metavar="N",
    help="Show so many clusters.",
)
@click.option("--refresh", is_flag=True, help="Find the duplicates of the whole archive anew first.")
@json_option
def duplicates(
    entity: str | None, method: str | None, min_similarity: float, limit: int, *, refresh: bool, as_json: bool
) -> int:
    """Show messages and exchanges that say the same or nearly, and which of them to keep.

    Dialogues in which tools were mostly asked and answered the same are runs of one task. Copies that came with forks
    and resumed chats are counted apart. The duplicates are found every night while `up` runs, and with --refresh.
    """
    from archive_pipeline.cli.duplicates import run

    return run(_PLURALS[entity] if entity else None, method, min_similarity, limit, refresh=refresh, as_json=as_json)
