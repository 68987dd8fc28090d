"""``llm-archive report``: the archive in charts."""

from __future__ import annotations

from pathlib import Path

import click

from archive_pipeline.cli.arguments import json_option


@click.command()
@click.option(
    "--out", "path", required=True, metavar="FILE", type=click.Path(dir_okay=False, path_type=Path),
    help="A new file, or a report to replace.",
)  # fmt: skip
@json_option
def report(*, path: Path, as_json: bool) -> None:
    """Write charts of the archive to FILE, one HTML page that needs no network.

    Activity, sources, models, lengths, branches, regenerated answers, continuations, tools and their errors, tokens,
    duplicates, quality of imports, format drift. The page holds counts and names of models and tools, no text.
    """
    from archive_pipeline.cli.report import run

    run(path, as_json=as_json)
