"""``llm-archive doctor``: what an import would find."""

from __future__ import annotations

from pathlib import Path

import click

from archive_pipeline.cli.arguments import PLACE, TEXT, json_option
from archive_pipeline.readers.containers import require_paths


@click.command()
@click.argument("paths", nargs=-1, required=True, type=PLACE, metavar="PATH...")
@click.option("--source", type=TEXT, help="Read the files as exports of this source instead of recognising it.")
@json_option
def doctor(paths: tuple[Path | str, ...], source: str | None, *, as_json: bool) -> int:
    """Say what an import of files, zips or folders would find; read only, without a database.

    Exit code 0 if all can be read, 1 if something would be rejected, 2 if nothing could be read.
    """
    require_paths(paths)
    from archive_pipeline.cli.doctor import run

    return run(paths, source, as_json=as_json)
