"""``llm-archive match``: where a messages array is in the archive."""

from __future__ import annotations

from typing import IO

import click

from archive_pipeline.cli.arguments import TEXT, json_option


@click.command()
@click.argument("file", type=click.File("rb"), metavar="FILE.json")
@click.option("--model", type=TEXT, help="Show responses of this model first.")
@click.option("--dialogue", type=TEXT, metavar="KEY", help="Look in this dialogue only, by its key or id.")
@json_option
def match(file: IO[bytes], model: str | None, dialogue: str | None, *, as_json: bool) -> int:
    """Say where the messages of FILE.json are in the archive (- reads standard input).

    The file holds a messages array, or a request with `messages` (and `system`, `model`, `temperature`, ...) as OpenAI
    and Anthropic take it. Exit code 0 for a hit, 1 if the array or an answer to it is not known.
    """
    from archive_pipeline.cli.match import run

    return run(file, model, dialogue, as_json=as_json)
