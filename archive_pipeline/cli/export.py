"""``llm-archive export``: the archive as training data, traces, tables or readable files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from archive_pipeline.cli.archive import open_archive
from archive_pipeline.cli.output import note, one_line, print_json
from archive_pipeline.domain.choices import EXPORT_ROLES
from archive_pipeline.domain.counted import counted
from archive_pipeline.export.choices import Choices
from archive_pipeline.export.formats.registry import FORMATS
from archive_pipeline.export.run import Exported, export
from archive_pipeline.retrieval.search.nothing import no_dialogue
from archive_pipeline.store.database import Database
from archive_pipeline.store.dialogue_list import resolve_dialogue, sources_of_dialogues


def run(
    format_name: str,
    out: Path,
    names: Sequence[str],
    roles: Sequence[str],
    splits: tuple[float, ...],
    *,
    redact: bool | None,
    as_json: bool,
    values: Mapping[str, Any],
) -> None:
    """Export and print what was written; ``values`` are further fields of ``Choices``."""
    is_redacted = FORMATS[format_name].is_redacted if redact is None else redact
    if not is_redacted and any(values[name] for name in ("own_words", "phone_region", "presidio")):
        raise click.UsageError("--own-word, --phone-region and --presidio need --redact")
    with open_archive() as archive:
        with archive.database.session() as connection:
            keys = tuple(resolve_dialogue(connection, name) for name in names)
        choices = Choices(
            **values, dialogue_ids=keys, roles=tuple(roles) or EXPORT_ROLES, splits=splits, redact=is_redacted
        )
        exported = export(archive.database, archive.settings, format_name, out, choices)
        reasons = [] if exported.manifest["read"].get("dialogues") else _why_nothing(archive.database, values)
    if exported.remains:
        note(f"removed what {counted(exported.remains, 'killed export')} to this path had left")
    if as_json:
        print_json({"path": str(exported.path), **exported.manifest})
    else:
        _print(exported)
    for reason in reasons:
        note(reason)


def _why_nothing(database: Database, values: Mapping[str, Any]) -> list[str]:
    with database.session() as connection:
        return no_dialogue(values, is_empty=not sources_of_dialogues(connection))


def _print(exported: Exported) -> None:
    told = exported.manifest
    for title in ("read", "written", "left_out", "redacted"):
        for name, count in (told[title] or {}).items():
            click.echo(one_line(f"{title.replace('_', ' '):9} {count:>9,}  {name}"))
    size = sum(file.size_bytes for file in exported.files)
    click.echo(one_line(f"{size:,} bytes in {counted(len(exported.files), 'file')}: {exported.path}"))
    if told["redacted"] is None:
        note("nothing was redacted; read it before you share it (--redact)")
