"""``llm-archive documents``: files with pages."""

from __future__ import annotations

from pathlib import Path

import click

from archive_pipeline.cli.arguments import MOST_LISTED, PLACE, TEXT, json_option


@click.group()
def documents() -> None:
    """Documents: PDF, DOCX, PPTX, HTML, Markdown, text and pictures."""


@documents.command()
@click.argument("paths", nargs=-1, type=PLACE, metavar="PATH...")
@click.option(
    "--from-export",
    "exports",
    multiple=True,
    type=PLACE,
    help="Also the files in this export (zip or folder) that imported messages point to, and the texts of its "
    "projects and memories. Repeatable.",
)
@click.option("--attachments", is_flag=True, help="Also the texts that came with imported messages as attachments.")
@json_option
def add(paths: tuple[Path | str, ...], exports: tuple[Path | str, ...], *, attachments: bool, as_json: bool) -> int:
    """Add documents (files or folders, also s3:// and gs://); the same content is added once.

    Exit code 0 if all was read, 1 if something was rejected (all else is added), 2 if nothing could be read.
    """
    if not (paths or exports or attachments):
        raise click.UsageError("Give PATH..., --from-export or --attachments.")
    from archive_pipeline.cli.documents import add_files

    return add_files(paths, exports, has_texts=attachments, as_json=as_json)


@documents.command(name="list")
@click.option("--failed", is_flag=True, help="Only documents that could not be read, each with the reason.")
@click.option(
    "--limit", type=click.IntRange(1, MOST_LISTED), metavar="N", help="Most documents.  [default: 50; with --json all]"
)
@json_option
def list_(limit: int | None, *, failed: bool, as_json: bool) -> None:
    """List the documents of the archive, the latest first."""
    from archive_pipeline.cli.documents_list import run

    run(limit, is_failed=failed, as_json=as_json)


@documents.command()
@click.argument("identifier", type=TEXT, metavar="ID")
@json_option
def remove(identifier: str, *, as_json: bool) -> int:
    """Remove the document ID with its pages and images; the file it came from is left alone.

    The beginning of an id will do (at least 4 digits) if no other one begins so.
    """
    from archive_pipeline.cli.documents import remove_one

    return remove_one(identifier, as_json=as_json)


@documents.command()
@json_option
def encode(*, as_json: bool) -> None:
    """Encode page images that have no vectors of ARCHIVE_VISUAL_MODEL yet, for visual search."""
    from archive_pipeline.cli.documents import encode_images

    encode_images(as_json=as_json)
