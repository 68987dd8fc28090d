"""``llm-archive annotate``: tags, notes, choices among answers, and what is never exported."""

from __future__ import annotations

from collections.abc import Sequence

import click

from archive_pipeline.cli.arguments import TEXT, json_option


@click.command(name="annotate")
@click.argument("key", type=TEXT, metavar="KEY")
@click.option("--tag", "tags", type=TEXT, multiple=True, metavar="TAG", help="Tag it (repeatable).")
@click.option("--note", "notes", type=TEXT, multiple=True, metavar="TEXT", help="Add a note (repeatable).")
@click.option("--chosen", type=TEXT, multiple=True, metavar="MESSAGE", help="Prefer this answer (repeatable).")
@click.option("--rejected", type=TEXT, multiple=True, metavar="MESSAGE", help="Prefer others to it (repeatable).")
@click.option("--never-export", is_flag=True, help="Leave the dialogue out of every export.")
@click.option("--message", type=TEXT, metavar="MESSAGE", help="Say tags and notes of this message.")
@click.option("--remove", is_flag=True, help="Take back what the other options say.")
@json_option
def annotate_(
    key: str,
    tags: Sequence[str],
    notes: Sequence[str],
    chosen: Sequence[str],
    rejected: Sequence[str],
    message: str | None,
    *,
    never_export: bool,
    remove: bool,
    as_json: bool,
) -> None:
    """Say something about the dialogue KEY, or show what is said.

    KEY is what `show` takes; MESSAGE is the id of a message, the beginning of one, or the name of a branch: its last
    message, and for --chosen and --rejected the first answer that is its own. No import and no build changes what is
    said; `delete` takes it along.
    """
    if remove and not (tags or notes or chosen or rejected or never_export):
        raise click.UsageError("--remove needs what it is to take back: --tag, --note, ...")
    if message is not None and not (tags or notes):
        raise click.UsageError("--message says which message --tag and --note are about")
    from archive_pipeline.cli.annotate import run

    run(
        *(key, tags, notes, chosen, rejected, message),
        never_export=never_export,
        remove=remove,
        as_json=as_json,
    )
