"""``llm-archive verify``: is every derived row what a build from scratch would give?"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Final

from rich.table import Table

from archive_pipeline.building.verify import Verification, verify_archive
from archive_pipeline.cli.archive import open_archive
from archive_pipeline.cli.outdated import container_of, folder_of
from archive_pipeline.cli.output import cell, fail, note, print_json, stdout_console
from archive_pipeline.cli.progress import progress_bars
from archive_pipeline.domain.counted import counted
from archive_pipeline.ingest.attachment_check import ContentCheck, check_contents
from archive_pipeline.store.compare import KINDS
from archive_pipeline.store.document_chunks import DOCUMENT_CHUNKS

EXIT_DRIFT: Final = 1
_SHOWN: Final = 3


def run(*, as_json: bool) -> int:
    """Verify the archive; return the exit code."""
    with open_archive() as archive, progress_bars(enabled=not as_json) as bars:
        found = verify_archive(archive.database, archive.settings, progress=bars)
        contents = check_contents(archive.database, archive.settings, progress=bars)
    for name, drift in found.drift.items():
        counts = ", ".join(f"{drift.counts[kind]:,} {kind}" for kind in KINDS if drift.counts[kind])
        fail(f"derived.{name}: {counts}; `llm-archive build --full` builds it again, if it returns, it is a defect")
    _say(contents)
    if as_json:
        print_json(_as_dict(found) | {"attachments": asdict(contents)})
    else:
        _print(found)
    return EXIT_DRIFT if found.drift or not contents.is_good else 0


def _say(contents: ContentCheck) -> None:
    how = "; ".join(_commands(contents.found_at)[:_SHOWN])
    for wrong, hashes in (("lost", contents.lost), ("damaged", contents.damaged)):
        if hashes:
            files = counted(len(hashes), "file is", "files are")
            fail(
                f"raw.attachment_contents: {files} {wrong}, the first is {hashes[0]}; importing an "
                f"export that has them makes them anew: {how}{folder_of(contents.found_at)} (--json has all)"
            )
    if contents.strays:
        place = "in the folder of attachments"
        strays = counted(contents.strays, f"file {place} is", f"files {place} are")
        note(f"{strays} of no content of this archive; those that it wrote itself go with the next import")


def _commands(places: Sequence[str]) -> list[str]:
    """Return the commands that import the zips and folders around some files again, each once."""
    found = ((place, container_of(place)) for place in places)
    around = (inner if inner != place else place.rpartition("/")[0] or "." for place, inner in found)
    return [f"llm-archive import {shlex.quote(path)}" for path in dict.fromkeys(around)]


def _as_dict(found: Verification) -> dict[str, Any]:
    return {
        **found.counts,
        "rows": found.rows,
        "seconds": round(found.seconds, 3),
        "stale": found.stale,
        "tables": {
            name: {
                "rows": drift.rows,
                **{kind: drift.counts[kind] for kind in KINDS},
                "examples": [
                    {"kind": row.kind, "key": row.key, "columns": list(row.columns)} for row in drift.examples
                ],
            }
            for name, drift in found.tables.items()
        },
    }


def _print(found: Verification) -> None:
    console = stdout_console()
    tables = Table(title="Rows", title_justify="left", title_style="bold", show_edge=False, pad_edge=False, box=None)
    for header in ("", "computed", *KINDS):
        tables.add_column(header, justify="right" if header else "left")
    for name, drift in found.tables.items():
        tables.add_row(name, f"{drift.rows:,}", *(f"{drift.counts[kind]:,}" for kind in KINDS))
    console.print(tables)
    for name, drift in found.drift.items():
        console.print(f"\n[bold]{name}[/bold]")
        for row in drift.examples:
            console.print("  ", cell(f"{row.kind:<9}  {row.key}  {', '.join(row.columns)}"), sep="", soft_wrap=True)
    stale = [
        f"{asset} of {counted(count, 'document' if asset == DOCUMENT_CHUNKS else 'dialogue')}"
        for asset, count in found.stale.items()
        if count
    ]
    if stale:
        console.print(f"\nto be built, so not compared: {', '.join(stale)}", soft_wrap=True)
    rate = (found.counts["messages"] + found.counts["pages"]) / found.seconds if found.seconds else 0
    pages = f" and {counted(found.counts['pages'], 'page')} of documents" if found.counts["pages"] else ""
    messages = counted(found.counts["messages"], "message")
    console.print(f"\n{messages}{pages} in {found.seconds:.1f} seconds, {rate:,.0f} a second")
