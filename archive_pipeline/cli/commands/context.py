"""``llm-archive context``: cited sources for a prompt, within a budget of tokens."""

from __future__ import annotations

from typing import Any

import click

from archive_pipeline.cli.arguments import TEXT, json_option
from archive_pipeline.cli.search_options import budget_options, filter_options, mode_option, time_words_option


@click.command()
@click.argument("text", type=TEXT, metavar="TEXT")
@budget_options
@mode_option
@time_words_option
@filter_options
@json_option
def context(
    text: str, max_tokens: int, max_sources: int, mode: str, *, time_words: bool, as_json: bool, **filters: Any
) -> None:
    """Print sources on TEXT, numbered for citing, to be given to an LLM.

    The context is all that standard output gets; what its numbers stand for is said on standard error. Words are found
    at once, meaning after `llm-archive index`.
    """
    from archive_pipeline.cli.context import run

    run(text, max_tokens, max_sources, mode, time_words=time_words, as_json=as_json, filters=filters)
