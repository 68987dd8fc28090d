"""``llm-archive import``: files into ``raw``, then every derived table of what is new or changed."""

from __future__ import annotations

from pathlib import Path

import click

from archive_pipeline.cli.arguments import PLACE, TEXT, json_option
from archive_pipeline.ingest.limits import MIRROR_LIMIT_PERCENT
from archive_pipeline.readers.containers import require_paths


@click.command(name="import")
@click.argument("paths", nargs=-1, required=True, type=PLACE, metavar="PATH...")
@click.option("--source", type=TEXT, help="Read the files as exports of this source instead of recognising it.")
@click.option("--partial", is_flag=True, help="The export is a part: messages it does not have are kept.")
@click.option(
    "--mirror", is_flag=True, help="The export is everything its account has: remove dialogues it does not have."
)
@click.option(
    "--mirror-limit",
    type=click.IntRange(1, 100),
    default=MIRROR_LIMIT_PERCENT,
    show_default=True,
    metavar="PERCENT",
    help="Remove nothing if it were more than this share of a source's dialogues.",
)
@click.option("--no-attachments", is_flag=True, help="Leave the files that messages came with in the export.")
@json_option
def import_(
    paths: tuple[Path | str, ...],
    source: str | None,
    *,
    partial: bool,
    mirror: bool,
    mirror_limit: int,
    no_attachments: bool,
    as_json: bool,
) -> int:
    """Import exports (files, zips or folders) and build every derived table of what is new or changed.

    PATH may be an address in object storage, too: s3://BUCKET/KEY or gs://BUCKET/KEY, of an object or a prefix.

    Exit code 0 if all was read and built, 1 if something was rejected or could not be built (all else is loaded) or
    mirroring was refused, 2 if nothing could be read.
    """
    if mirror and partial:
        raise click.UsageError("--mirror is for exports that have everything, --partial for those that do not")
    require_paths(paths)
    from archive_pipeline.cli.import_files import run

    return run(
        paths,
        source,
        partial=partial,
        mirror=mirror,
        mirror_limit=mirror_limit,
        keeps_attachments=not no_attachments,
        as_json=as_json,
    )
