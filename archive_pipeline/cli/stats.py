"""``llm-archive stats``: what the archive holds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import psycopg
from rich.table import Table

from archive_pipeline.cli import contents, outdated
from archive_pipeline.cli import look_ups as reuse
from archive_pipeline.cli.archive import open_archive
from archive_pipeline.cli.output import (
    count_table,
    figures_table,
    note,
    one_line,
    print_json,
    print_table,
    print_tables,
    stdout_console,
)
from archive_pipeline.derive.registry import ASSETS, effective_version
from archive_pipeline.domain.counted import counted
from archive_pipeline.readers.registry import reader_versions
from archive_pipeline.retrieval.index.choice import chosen_store, searched_index
from archive_pipeline.retrieval.search.nothing import EMPTY_ARCHIVE
from archive_pipeline.settings import Settings
from archive_pipeline.store.archive_contents import Span, archive_contents
from archive_pipeline.store.archive_stats import ArchiveStats, archive_stats
from archive_pipeline.store.document_chunks import DOCUMENT_CHUNKS
from archive_pipeline.store.home_size import home_sizes
from archive_pipeline.store.look_ups import look_ups
from archive_pipeline.store.outdated_readings import outdated_readings

MOST_TABLES: Final = 8


def run(*, as_json: bool) -> None:
    """Count and print."""
    with open_archive() as archive:
        versions = {name: effective_version(name, archive.settings) for name in ASSETS}
        found = archive_stats(archive.database, versions, effective_version(DOCUMENT_CHUNKS, archive.settings))
        with archive.database.session() as connection:
            spans = archive_contents(connection)
            asked = look_ups(connection)
            old = outdated_readings(connection, reader_versions())
            indexed = _vector_index(connection, archive.settings)
    if as_json:
        print_json(
            _as_dict(found)
            | contents.as_dict(spans)
            | indexed
            | reuse.as_dict(asked)
            | {"home_bytes": home_sizes(archive.settings.home), "outdated_readings": outdated.as_dicts(old)}
        )
    else:
        _print(found, spans)
        if asked:
            print_table(stdout_console(), reuse.table(asked))
            stdout_console().print()
        _print_index(indexed["vector_index"])
        _print_home(home_sizes(archive.settings.home))
        outdated.print_notes(old)
    if not (found.sources or found.rows["raw.documents"]):
        note(EMPTY_ARCHIVE)


def _vector_index(connection: psycopg.Connection[Any], settings: Settings) -> dict[str, Any]:
    """Return which store is searched by vectors, of which model, and what there is to know of that."""
    chosen, index = chosen_store(connection, settings), searched_index(connection, settings)
    model = None if index is None else index.generation.model
    return {"vector_index": {"store": chosen.store.value, "model": model, "note": chosen.note}}


def _print_index(indexed: dict[str, Any]) -> None:
    if indexed["model"] is None:
        said = "none yet (`llm-archive index`)"
    else:
        said = f"in {indexed['store']}, vectors of {one_line(indexed['model'])}"
    stdout_console().print(f"vector index {said}", soft_wrap=True)
    if indexed["note"] is not None:
        note(indexed["note"])


def _as_dict(found: ArchiveStats) -> dict[str, Any]:
    return {
        "sources": found.sources,
        "rows": found.rows,
        "stale": {**found.stale, DOCUMENT_CHUNKS: found.stale_documents},
        "quarantined": found.quarantined,
        "imports": found.imports,
        "attachments": found.attachments._asdict(),
        "unacknowledged": found.unacknowledged.counts,
        "acknowledged_at": found.unacknowledged.acknowledged_at,
        "last_import_at": found.last_import_at,
        "size_bytes": found.size_bytes,
        "table_bytes": found.table_bytes,
    }


def _print(found: ArchiveStats, spans: Sequence[Span]) -> None:
    console = stdout_console()
    left = [_sources_table(found)]
    if spans:
        left.append(contents.dates_table(spans))
    left.append(count_table("Imported files", found.imports, headers=("", "")))
    if any(found.unacknowledged.counts.values()):
        left.append(count_table("Not acknowledged", found.unacknowledged.counts, headers=("", "")))
    left.append(count_table("Dialogues to build", found.stale, headers=("", "")))
    left.append(count_table("Documents to build", {DOCUMENT_CHUNKS: found.stale_documents}, headers=("", "")))
    if found.quarantined:
        left.append(count_table("Quarantined", found.quarantined, headers=("", "")))
    print_tables(left, count_table("Rows", found.rows, headers=("", "")))
    if any(span.model is not None for span in spans):
        console.print()
        print_table(console, contents.models_table(spans))
    last = f"{found.last_import_at:%Y-%m-%d %H:%M} UTC" if found.last_import_at else "never"
    noted = found.unacknowledged.acknowledged_at
    if noted:
        last += f", acknowledged {noted:%Y-%m-%d %H:%M} UTC"
    console.print(f"\nlast import {last}")
    if found.attachments.kept or found.attachments.missing:
        console.print(_attached(found), soft_wrap=True)
    if deleted := found.rows["raw.deleted_dialogues"]:
        console.print(f"deleted for good {counted(deleted, 'dialogue')}, which imports leave out", soft_wrap=True)
    console.print(f"database {found.size_bytes / 1e6:,.1f} MB: {_largest(found.table_bytes)}", soft_wrap=True)


def _attached(found: ArchiveStats) -> str:
    kept, kept_bytes, missing = found.attachments
    return f"attached files {kept:,} kept ({kept_bytes / 1e6:,.1f} MB), {missing:,} missing"


def _largest(sizes: dict[str, int]) -> str:
    """Return what the largest tables take, and all others together."""
    named = [f"{name} {size / 1e6:,.1f}" for name, size in list(sizes.items())[:MOST_TABLES]]
    others = sum(list(sizes.values())[MOST_TABLES:])
    return ", ".join([*named, f"other tables {others / 1e6:,.1f}"])


def _sources_table(found: ArchiveStats) -> Table:
    counted = ["dialogues", "messages"]
    if any(source["copied_messages"] for source in found.sources):
        counted.append("copied_messages")
    rows = [(source["source"], *(f"{source[name]:,}" for name in counted)) for source in found.sources]
    return figures_table("Sources", ("", *(name.replace("_", " ") for name in counted)), rows)


def _print_home(sizes: dict[str, int]) -> None:
    parts = [f"{part.replace('_', ' ')} {size / 1e6:,.1f}" for part, size in sizes.items() if size >= 50_000]
    stdout_console().print(f"home {sum(sizes.values()) / 1e6:,.1f} MB: {', '.join(parts) or 'empty'}", soft_wrap=True)
