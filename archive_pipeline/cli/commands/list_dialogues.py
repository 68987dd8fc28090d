"""``llm-archive list``: the dialogues of the archive."""

from __future__ import annotations

from typing import Any

import click

from archive_pipeline.cli.arguments import MOST_LISTED, TEXT, json_option
from archive_pipeline.cli.search_options import MOMENT
from archive_pipeline.domain.choices import DIALOGUE_SORTS


@click.command(name="list")
@click.option("--source", type=TEXT, metavar="NAME", help="Only dialogues of this source (chatgpt, ...).")
@click.option("--model", type=TEXT, metavar="NAME", help="Only dialogues with a message of this model.")
@click.option("--title", type=TEXT, metavar="TEXT", help="Only where the title has this text.")
@click.option("--tag", type=TEXT, metavar="TAG", help="Only dialogues with this tag.")
@click.option("--since", type=MOMENT, metavar="DATE", help="Only what began then or later (UTC).")
@click.option("--until", type=MOMENT, metavar="DATE", help="Only what began before (UTC).")
@click.option("--workspace", type=TEXT, metavar="ID|NAME", help="Only dialogues of this project or custom GPT.")
@click.option(
    "--archived/--no-archived",
    default=None,
    help="Only dialogues that are, or are not, archived in the source, as far as it says so.",
)
@click.option("--starred", is_flag=True, default=None, help="Only dialogues that are starred or pinned in the source.")
@click.option(
    "--sort",
    type=click.Choice(DIALOGUE_SORTS),
    default="date",
    show_default=True,
    help="By last change, beginning, messages, branches, source, or title.",
)
@click.option(
    "--limit",
    type=click.IntRange(1, MOST_LISTED),
    default=50,
    show_default=True,
    metavar="N",
    help="Most dialogues.",
)
@json_option
def list_(sort: Any, limit: int, *, as_json: bool, **filters: Any) -> None:
    """List dialogues: date, title, messages, branches, models, tags, key.

    `llm-archive show` takes the key.
    """
    from archive_pipeline.cli.list_dialogues import run

    run(sort, limit, as_json=as_json, filters=filters)
