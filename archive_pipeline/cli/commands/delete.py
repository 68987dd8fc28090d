"""``llm-archive delete``: removes a dialogue from every table, the vector store and Dagster's partitions."""

from __future__ import annotations

import click

from archive_pipeline.cli.arguments import TEXT, json_option


@click.command()
@click.argument("key", type=TEXT)
@click.option("--forever", is_flag=True, help="Later imports leave the dialogue out.")
@click.option("--readmit", is_flag=True, help="Delete nothing: later imports bring back what --forever left out.")
@json_option
def delete(key: str, *, forever: bool, readmit: bool, as_json: bool) -> int:
    """Remove the dialogue KEY (its partition key or id) from the archive.

    Documents that only came with its messages go too. A later import of an export that still has it brings it back,
    unless it is deleted with --forever. Of that one only its source and its id there are kept.

    With --readmit KEY may be the id in the source, too.
    """
    if forever and readmit:
        raise click.UsageError("--forever leaves a dialogue out of later imports, --readmit brings it back")
    from archive_pipeline.cli.delete import readmit as run_readmit
    from archive_pipeline.cli.delete import run

    return run_readmit(key, as_json=as_json) if readmit else run(key, is_forever=forever, as_json=as_json)
