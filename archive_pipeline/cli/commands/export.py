"""``llm-archive export``: the archive as training data, traces, tables or readable files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from archive_pipeline.cli.arguments import TEXT, json_option
from archive_pipeline.cli.search_options import MOMENT
from archive_pipeline.domain.choices import (
    DROPPED_DUPLICATES,
    EXPORT_FORMATS,
    EXPORT_PATHS,
    EXPORT_ROLES,
    EXPORT_SHAPES,
)
from archive_pipeline.errors import ConfigurationError


@click.command(name="export")
@click.argument("format_name", type=click.Choice(EXPORT_FORMATS), metavar="FORMAT")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    required=True,
    metavar="PATH",
    help="A new folder, or of formats that are lines also a new file *.jsonl.",
)
@click.option(
    "--paths", type=click.Choice(EXPORT_PATHS), default="primary", show_default=True, help="Which paths of a dialogue."
)
@click.option(
    "--role", "roles", type=click.Choice(EXPORT_ROLES), multiple=True, help="Only messages of this role (repeatable)."
)
@click.option("--thinking", is_flag=True, help="Also what a model thought.")
@click.option("--shape", type=click.Choice(EXPORT_SHAPES), default="messages", show_default=True, help="Of trl-sft.")
@click.option("--max-tokens", type=click.IntRange(min=1), metavar="N", help="Leave out examples of more tokens.")
@click.option(
    "--drop-duplicates", type=click.Choice(DROPPED_DUPLICATES), help="Leave out examples whose answers are copies."
)
@click.option("--split", type=TEXT, metavar="T,V,T", help="Shares of train, validation and test, such as 0.8,0.1,0.1.")
@click.option("--source", "sources", type=TEXT, multiple=True, metavar="NAME", help="Only this source (repeatable).")
@click.option("--model", "models", type=TEXT, multiple=True, metavar="NAME", help="Only with this model (repeatable).")
@click.option("--tag", "tags", type=TEXT, multiple=True, metavar="TAG", help="Only with this tag (repeatable).")
@click.option("--title", type=TEXT, metavar="TEXT", help="Only where the title has this text.")
@click.option("--since", type=MOMENT, metavar="DATE", help="Only what began then or later (UTC).")
@click.option("--until", type=MOMENT, metavar="DATE", help="Only what began before (UTC).")
@click.option("--dialogue", "names", type=TEXT, multiple=True, metavar="KEY", help="Only this dialogue (repeatable).")
@click.option("--redact/--no-redact", default=None, help="Replace secrets and personal data; the default for traces.")
@click.option("--own-word", "own_words", type=TEXT, multiple=True, metavar="WORD", help="Replace it too (repeatable).")
@click.option("--phone-region", type=TEXT, metavar="CC", help="Replace national phone numbers of this country too.")
@click.option("--presidio", type=TEXT, metavar="LANGUAGE", help="Replace names of people and places in it too (en).")
@json_option
def export_(
    format_name: str,
    out: Path,
    names: tuple[str, ...],
    roles: tuple[str, ...],
    split: str | None,
    *,
    redact: bool | None,
    as_json: bool,
    **values: Any,
) -> None:
    """Write dialogues to PATH in FORMAT, with a manifest and a dataset card; nothing is uploaded.

    FORMAT is openai, trl-sft, trl-dpo, trl-kto, sharegpt, qa, parquet, markdown, traces or atif.
    """
    from archive_pipeline.cli.export import run

    run(format_name, out, names, roles, shares(split or ""), redact=redact, as_json=as_json, values=values)


def shares(text: str) -> tuple[float, ...]:
    """Return three shares from a text such as ``0.8,0.1,0.1``; none from an empty one.

    Raises:
        ConfigurationError: a share is no number.
    """
    try:
        return tuple(float(share) for share in text.split(",")) if text else ()
    except ValueError as error:
        raise ConfigurationError(f"--split {text}: write three numbers, such as 0.8,0.1,0.1") from error
