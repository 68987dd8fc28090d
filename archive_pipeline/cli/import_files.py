"""``llm-archive import``: files into ``raw``, then every derived table of what is new or changed."""

from __future__ import annotations

import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from archive_pipeline.cli import attachments
from archive_pipeline.cli.archive import OpenArchive, open_for_writing
from archive_pipeline.cli.copying import copied_places
from archive_pipeline.cli.derived import check_assets, failures_of, plan_stale, run_plan
from archive_pipeline.cli.forgetting import left_in_vector_store, say_left
from archive_pipeline.cli.import_summary import print_summary
from archive_pipeline.cli.left_out import print_reasons
from archive_pipeline.cli.output import (
    EXIT_FAILED,
    EXIT_REJECTED,
    encodable,
    fail,
    note,
    print_json,
)
from archive_pipeline.cli.progress import progress_bars
from archive_pipeline.cli.unindexed import count_unindexed
from archive_pipeline.cli.upkeep import tidy
from archive_pipeline.derive.registry import ASSETS
from archive_pipeline.domain.counted import counted
from archive_pipeline.ingest.attachments import KeptAttachments, attachments_of_import
from archive_pipeline.ingest.importer import import_archive
from archive_pipeline.ingest.left_out import left_out
from archive_pipeline.ingest.mirror import Mirrored
from archive_pipeline.ingest.mirror import mirror as remove_absent
from archive_pipeline.ingest.summary import DELETED_FOR_GOOD, METADATA_ONLY, REPEATED, ImportSummary
from archive_pipeline.readers.drift import KINDS
from archive_pipeline.readers.found import SkippedFile
from archive_pipeline.readers.reading import ArchiveReading, read_paths
from archive_pipeline.remote.copies import wanted_by_import
from archive_pipeline.settings import Settings
from archive_pipeline.store.later_indexes import indexes_made_after_import

if TYPE_CHECKING:
    from archive_pipeline.orchestration.local_runs import RunOutcome

OUTCOMES = ("new", "changed", "unchanged", "reread", "older", "rejected")
RAW_TABLES = ("dialogues", "messages", "content_parts", "attachments")


def run(
    paths: tuple[Path | str, ...],
    source: str | None,
    *,
    partial: bool,
    mirror: bool,
    mirror_limit: int,
    keeps_attachments: bool,
    as_json: bool,
) -> int:
    """Import the paths and addresses and build what became stale; return the exit code."""
    started = time.perf_counter()
    wanted = wanted_by_import(Settings.from_environment(), keeps_attachments=keeps_attachments)
    with copied_places(paths, wanted, show_progress=not as_json) as places:
        reading = read_paths(places, source=source)
        with open_for_writing() as archive:
            code = _import(
                archive,
                reading,
                started,
                partial=partial,
                mirror=mirror,
                mirror_limit=mirror_limit,
                keeps_attachments=keeps_attachments,
                as_json=as_json,
            )
            tidy(archive)
            return code


def _import(
    archive: OpenArchive,
    reading: ArchiveReading,
    started: float,
    *,
    partial: bool,
    mirror: bool,
    mirror_limit: int,
    keeps_attachments: bool,
    as_json: bool,
) -> int:
    with (
        indexes_made_after_import(archive.database, on_wait=note),
        progress_bars(enabled=not as_json, are_bytes=True) as bars,
    ):
        summary = import_archive(
            archive.database, reading, is_partial=partial, workers=archive.settings.workers, progress=bars
        )
        bars.finish()
    useless = _why_useless(summary, reading)
    mirrored = _mirror(archive, summary, limit=mirror_limit, show_progress=not as_json) if mirror else None
    kept = _attachments(archive, reading, summary, is_wanted=keeps_attachments, show_progress=not as_json)
    if kept.stored or kept.unchanged:
        useless = None
    # Also if this import removed nothing: an earlier one may have been killed behind its removals.
    left = None if mirrored is None else left_in_vector_store(archive)
    outcome, failures = (None, []) if useless else _build(archive, summary, mirrored, show_progress=not as_json)
    failures += attachments.build_texts(archive, kept, show_progress=not as_json)
    skipped = left_out(reading, kept)
    result = _result(summary, skipped, outcome, failures, time.perf_counter() - started)
    result["attachments"] = attachments.as_dict(kept)
    result["mirror"] = None if mirrored is None else asdict(mirrored)
    result["texts_not_indexed"] = count_unindexed(archive)
    if as_json:
        print_json(result)
    else:
        print_reasons(summary, skipped)
        attachments.print_reasons(kept)
    if useless:
        fail(useless)
        return EXIT_FAILED
    refused = [mirrored.refused] if mirrored and mirrored.refused else []
    for failure in [*failures, *refused]:
        fail(failure)
    if not as_json:
        print_summary(summary, result)
    if mirrored and mirrored.kept:
        staying = counted(len(mirrored.kept), "dialogue stays", "dialogues stay")
        note(
            f"{staying} though not in the export, the first is {mirrored.kept[0]}: programs stored messages there, or "
            "it came without an id"
        )
    is_left = say_left(left, "removed dialogues")
    has_failed = summary.dialogues["rejected"] or failures or refused or is_left or kept.unreadable
    return EXIT_REJECTED if has_failed else 0


def _mirror(archive: OpenArchive, summary: ImportSummary, *, limit: int, show_progress: bool) -> Mirrored:
    with progress_bars(enabled=show_progress) as bars:
        return remove_absent(archive.database, archive.settings, summary, limit=limit, progress=bars)


def _attachments(
    archive: OpenArchive, reading: ArchiveReading, summary: ImportSummary, *, is_wanted: bool, show_progress: bool
) -> KeptAttachments:
    with progress_bars(enabled=show_progress) as bars:
        return attachments_of_import(
            archive.database, archive.settings, reading, summary, is_wanted=is_wanted, progress=bars
        )


def _why_useless(summary: ImportSummary, reading: ArchiveReading) -> str | None:
    """Return why the import came to nothing, None if it did not."""
    if not reading.files and not reading.companions:
        return "no file to import was found; give files, zips or folders of exports"
    if summary.dialogues["rejected"] and not summary.loaded and not summary.deleted_for_good:
        return "nothing could be read; what was rejected says why"
    return None


def _build(
    archive: OpenArchive, summary: ImportSummary, mirrored: Mirrored | None, *, show_progress: bool
) -> tuple[RunOutcome | None, list[str]]:
    _report_to_dagster(archive, summary, mirrored)
    plan = plan_stale(archive, check_assets(()))
    outcome = run_plan(archive, plan, show_progress=show_progress)
    return outcome, failures_of(archive, plan, outcome)


def _report_to_dagster(archive: OpenArchive, summary: ImportSummary, mirrored: Mirrored | None) -> None:
    removed = mirrored.keys if mirrored else []
    if summary.rows.total() or mirrored:
        from archive_pipeline.orchestration.assets.raw import report_import  # noqa: PLC0415 (slow to import)
        from archive_pipeline.orchestration.partitions.key_sweep import keys_of_deleted  # noqa: PLC0415
        from archive_pipeline.orchestration.partitions.keys import remove_dialogues  # noqa: PLC0415

        # Those of the dialogues that this import removed, and of those that a killed command did.
        gone = keys_of_deleted(archive.instance, archive.database)
        remove_dialogues(archive.instance, archive.settings, {*removed, *gone})
        report_import(archive.instance, summary.rows, removed)


def _result(
    summary: ImportSummary,
    skipped: list[SkippedFile],
    outcome: RunOutcome | None,
    failures: list[str],
    seconds: float,
) -> dict[str, Any]:
    derived = {table: 0 for asset in ASSETS.values() for table in asset.tables}
    return {
        "dialogues": {
            **{name: summary.dialogues[name] for name in (*OUTCOMES, METADATA_ONLY)},
            REPEATED: summary.repeated,
            DELETED_FOR_GOOD: len(summary.deleted_for_good),
        },
        "rows": {name: summary.rows[name] for name in RAW_TABLES} | derived | (outcome.rows if outcome else {}),
        "seconds": round(seconds, 3),
        "files": {"read": summary.files_read, "failed": summary.files_failed, "skipped": len(skipped)},
        "surprises": {name: count for name, count in sorted(summary.anomalies.items()) if count},
        "rejected": [
            {"locator": encodable(record.locator), "reason": encodable(record.reason), "error": encodable(record.error)}
            for record in summary.rejected
        ],
        "format_drift": {kind: summary.drift[kind] for kind in KINDS},
        "missing": [encodable(line) for line in summary.missing],
        "skipped": [{"locator": encodable(file.locator), "reason": encodable(file.reason)} for file in skipped],
        "runs": list(outcome.run_ids) if outcome else [],
        "failures": failures,
    }
