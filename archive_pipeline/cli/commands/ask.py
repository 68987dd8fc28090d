"""``llm-archive ask``: an answer from the archive, with citations."""

from __future__ import annotations

from typing import Any

import click

from archive_pipeline.cli.arguments import TEXT, json_option
from archive_pipeline.cli.search_options import budget_options, filter_options, mode_option, time_words_option


@click.command()
@click.argument("question", type=TEXT, metavar="QUESTION")
@budget_options
@mode_option
@time_words_option
@filter_options
@json_option
def ask(
    question: str, max_tokens: int, max_sources: int, mode: str, *, time_words: bool, as_json: bool, **filters: Any
) -> int:
    """Answer QUESTION from the archive by the configured model, with citations.

    The question and the sources that `llm-archive context` would print are sent to the endpoint ARCHIVE_ANSWER_URL, or
    to the model ARCHIVE_ANSWER_MODEL of the package llm. Citations are checked before they are shown. The exit code is
    1 if the answer is not complete.
    """
    from archive_pipeline.cli.ask import run

    return run(question, max_tokens, max_sources, mode, time_words=time_words, as_json=as_json, filters=filters)
