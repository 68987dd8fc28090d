"""``llm-archive search``: pages of dialogues and documents by meaning and by words."""

from __future__ import annotations

from typing import Any

import click

from archive_pipeline.cli.arguments import TEXT, json_option
from archive_pipeline.cli.search_options import filter_options, mode_option, time_words_option
from archive_pipeline.text.user_input import MOST_RESULTS


@click.command()
@click.argument("text", type=TEXT, metavar="TEXT")
@click.option(
    "--limit",
    type=click.IntRange(1, MOST_RESULTS),
    default=10,
    show_default=True,
    metavar="N",
    help="Most results.",
)
@mode_option
@time_words_option
@filter_options
@json_option
def search(text: str, limit: int, mode: str, *, time_words: bool, as_json: bool, **filters: Any) -> None:
    """Find pages of dialogues and documents; TEXT may have required "phrases", prefix* and -exclusions.

    Words are found at once, meaning after `llm-archive index`.
    """
    from archive_pipeline.cli.search import run

    run(text, limit, mode, time_words=time_words, as_json=as_json, filters=filters)
