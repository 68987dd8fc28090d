"""``llm-archive import``: files into ``raw``, then every derived table of what is new or changed."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.table import Table

from archive_pipeline.cli.archive import OpenArchive, open_for_writing
from archive_pipeline.cli.derived import check_assets, plan_stale, run_plan
from archive_pipeline.cli.output import (
    EXIT_FAILED,
    EXIT_REJECTED,
    count_table,
    fail,
    json_option,
    note,
    print_json,
    stdout_console,
)
from archive_pipeline.cli.progress import reading_progress
from archive_pipeline.derive.registry import ASSETS
from archive_pipeline.importing.importer import ImportSummary, import_archive
from archive_pipeline.readers.reading import ArchiveReading, read_paths

if TYPE_CHECKING:
    from archive_pipeline.orchestration.jobs import RunOutcome

OUTCOMES = ("new", "changed", "unchanged", "older", "rejected")
RAW_TABLES = ("dialogues", "messages", "content_parts", "attachments")
_SHOWN_REJECTED = 20


@click.command(name="import")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="PATH...")
@click.option("--source", help="Read the files as exports of this source instead of recognising it.")
@click.option("--partial", is_flag=True, help="The export is a part: messages it does not have are kept.")
@json_option
def import_(paths: tuple[Path, ...], source: str | None, *, partial: bool, as_json: bool) -> int:
    """Import exports (files, zips or folders) and build every derived table of what is new or changed.

    Exit code 0 if all was read, 1 if something was rejected (all else is loaded), 2 if nothing could be read.
    """
    started = time.perf_counter()
    reading = read_paths(paths, source=source)
    with open_for_writing() as archive:
        with reading_progress(reading, enabled=not as_json) as show:
            summary = import_archive(archive.database, reading, is_partial=partial, progress=show)
        _report_to_dagster(archive, summary)
        outcome = run_plan(archive, plan_stale(archive, check_assets(())), show_progress=not as_json)
    result = _result(summary, reading, outcome, time.perf_counter() - started)
    if as_json:
        print_json(result)
    else:
        _print_summary(result, summary, reading)
    return _exit_code(summary, reading, outcome)


def _report_to_dagster(archive: OpenArchive, summary: ImportSummary) -> None:
    if summary.rows.total():
        from archive_pipeline.orchestration.instance import instance_for  # noqa: PLC0415 (slow to import)
        from archive_pipeline.orchestration.raw_assets import report_import  # noqa: PLC0415

        with instance_for(archive.settings) as instance:
            report_import(instance, summary.rows)


def _result(
    summary: ImportSummary, reading: ArchiveReading, outcome: RunOutcome | None, seconds: float
) -> dict[str, Any]:
    derived = {table: 0 for asset in ASSETS.values() for table in asset.tables}
    return {
        "dialogues": {name: summary.dialogues[name] for name in OUTCOMES},
        "rows": {name: summary.rows[name] for name in RAW_TABLES} | derived | (outcome.rows if outcome else {}),
        "seconds": round(seconds, 3),
        "files": {"read": summary.files_read, "failed": summary.files_failed, "skipped": len(reading.skipped)},
        "surprises": {name: count for name, count in sorted(summary.surprises.items()) if count},
        "rejected": [{"locator": record.locator, "reason": record.reason} for record in summary.rejected],
        "skipped": [{"locator": file.locator, "reason": file.reason} for file in reading.skipped],
        "runs": list(outcome.run_ids) if outcome else [],
        "failures": [*outcome.errors, *outcome.failed_checks] if outcome else [],
    }


def _print_summary(result: dict[str, Any], summary: ImportSummary, reading: ArchiveReading) -> None:
    for record in summary.rejected[:_SHOWN_REJECTED]:
        note(f"rejected  {record.locator}: {record.reason}")
    if len(summary.rejected) > _SHOWN_REJECTED:
        note(f"rejected  {summary.dialogues['rejected'] - _SHOWN_REJECTED:,} more, see raw.rejected_records")
    for file in reading.skipped:
        note(f"skipped   {file.locator}: {file.reason}")
    for failure in result["failures"]:
        fail(failure)
    console = stdout_console()
    layout = Table.grid(padding=(0, 6))
    left = Table.grid()
    shown = {name: count for name, count in result["dialogues"].items() if count or name != "older"}
    left.add_row(count_table("Dialogues", shown, headers=("", "")))
    if result["surprises"]:
        left.add_row("")
        left.add_row(count_table("Surprises", result["surprises"], headers=("", "")))
    layout.add_row(left, count_table("Rows written", result["rows"], headers=("", "")))
    console.print()
    console.print(layout)
    console.print(f"\n{result['seconds']:.1f} seconds")


def _exit_code(summary: ImportSummary, reading: ArchiveReading, outcome: RunOutcome | None) -> int:
    if not reading.files or (summary.files_read == 0 and summary.loaded == 0):
        if not reading.files:
            fail("no file to import was found; give files, zips or folders of exports")
        return EXIT_FAILED
    failed = outcome is not None and not outcome.success
    return EXIT_REJECTED if summary.dialogues["rejected"] or failed else 0
