"""``llm-archive db``: the database itself."""

from __future__ import annotations

import click

from archive_pipeline.cli.arguments import json_option


@click.group()
def db() -> None:
    """The archive's database."""


@db.command()
@click.option("--without-password", is_flag=True, help="Leave out what is secret: a program's arguments are not.")
@json_option
def url(*, without_password: bool, as_json: bool) -> None:
    """Print the database's URL; an embedded server is started and left running until `llm-archive db stop`."""
    from archive_pipeline.cli.db import print_url

    print_url(without_password=without_password, as_json=as_json)


@db.command("partition-tables")
@click.argument("count", type=click.IntRange(0, 256))
@json_option
def partition_tables(count: int, *, as_json: bool) -> None:
    """Split the tables of dialogues into COUNT hash partitions each, or with 0 make them whole again.

    Tables are copied one after another; if it is interrupted, the same command goes on with the next one.
    """
    from archive_pipeline.cli.db import partition

    partition(count, as_json=as_json)


@db.command()
def stop() -> None:
    """Let the embedded server stop as soon as nothing of the project uses it any more."""
    from archive_pipeline.cli.db import stop_server

    stop_server()
