"""``llm-archive doctor``: what an import would find."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from rich.table import Table

from archive_pipeline.cli.copying import copied_places
from archive_pipeline.cli.left_out import print_left_out, print_rejected
from archive_pipeline.cli.output import (
    EXIT_FAILED,
    EXIT_REJECTED,
    cell,
    count_table,
    encodable,
    fail,
    note,
    print_json,
    stdout_console,
)
from archive_pipeline.cli.progress import progress_bars
from archive_pipeline.domain.counted import counted
from archive_pipeline.ingest.doctor import Findings, examine
from archive_pipeline.readers.drift import KINDS
from archive_pipeline.readers.reading import ArchiveReading, read_paths
from archive_pipeline.readers.registry import readers
from archive_pipeline.remote.copies import Wanted

_SHOWN_DRIFT = 20


def run(paths: tuple[Path | str, ...], source: str | None, *, as_json: bool) -> int:
    """Read the paths and addresses and print what was found; return the exit code."""
    with copied_places(paths, Wanted.SIZES, show_progress=not as_json) as places:
        return _examine(read_paths(places, source=source), as_json=as_json)


def _examine(reading: ArchiveReading, *, as_json: bool) -> int:
    with progress_bars(enabled=not as_json, are_bytes=True) as bars:
        findings = examine(reading, progress=bars)
    if as_json:
        print_json(_as_dict(findings))
    else:
        print_rejected(findings.rejected, findings.rejected_count, all_of_them="--json")
        print_left_out(findings.skipped, findings.missing)
        _print(findings)
    if not reading.files and not reading.companions:
        fail("no file to import was found; give files, zips or folders of exports")
        return EXIT_FAILED
    if findings.rejected_count:
        return EXIT_REJECTED if findings.dialogues else EXIT_FAILED
    return 0


def _as_dict(findings: Findings) -> dict[str, Any]:
    expected = findings.estimate()
    return {
        "files": [
            {"locator": encodable(locator), "source": source, "bytes": size, "dialogues": dialogues}
            for locator, source, size, dialogues in findings.files
        ],
        "containers": [
            {"path": encodable(path), "files": number} for path, number in sorted(findings.containers.items())
        ],
        "sources": [
            {
                "source": name,
                "reader_version": readers()[name].version,
                "files": found.files,
                "dialogues": found.dialogues,
                "messages": found.messages,
                "vintages": dict(found.vintages),
                "first_at": found.first_at,
                "last_at": found.last_at,
            }
            for name, found in sorted(findings.sources.items())
        ],
        "dialogues": findings.dialogues,
        "messages": findings.messages,
        "bytes": findings.size_bytes,
        "orphans": findings.anomalies["missing_parent"],
        "cycles": findings.anomalies["cycle"],
        "duplicates": {kind: findings.duplicates[kind] for kind in ("identical", "different", "states")},
        "unknown_types": findings.unknown_types,
        "surprises": dict(sorted(findings.anomalies.items())),
        "attachments": {
            **{kind: findings.attachments[kind] for kind in ("present", "missing")},
            "bytes": findings.attachment_bytes,
        },
        "format_drift": _drift_rows(findings),
        "rejected": [
            {"locator": encodable(record.locator), "reason": encodable(record.reason), "error": encodable(record.error)}
            for record in findings.rejected
        ],
        "skipped": [
            {"locator": encodable(file.locator), "reason": encodable(file.reason)} for file in findings.skipped
        ],
        "missing": [encodable(line) for line in findings.missing],
        "estimate": {
            "seconds": expected.seconds,
            "database_bytes": expected.database_bytes,
            "partitioning": expected.partitioning,
            "advice": expected.advice,
        },
    }


def _drift_rows(findings: Findings) -> list[dict[str, Any]]:
    return [
        {
            "source": unknown.source,
            "kind": unknown.kind,
            "path": encodable(unknown.path),
            "value": encodable(unknown.value),
            "occurrences": sightings.count,
            "locator": encodable(sightings.first_locator),
        }
        for unknown, sightings in findings.drift.found.items()
    ]


def _print(findings: Findings) -> None:
    console = stdout_console()
    if findings.sources:
        console.print(_sources_table(findings))
        console.print()
    left, right = Table.grid(), Table.grid()
    left.add_row(count_table("Found", _found_counts(findings), headers=("", "")))
    anomalies = {name: count for name, count in sorted(findings.anomalies.items()) if count}
    if anomalies:
        right.add_row(count_table("Surprises", anomalies, headers=("", "")))
    layout = Table.grid(padding=(0, 6))
    layout.add_row(left, right)
    console.print(layout)
    if findings.drift.found:
        console.print()
        console.print(_drift_table(findings))
        rest = len(findings.drift.found) - _SHOWN_DRIFT
        if rest > 0:
            note(f"unknown   {rest:,} more, see --json")
    if findings.dialogues:
        expected = findings.estimate()
        files = f", {findings.attachment_bytes / 1e6:,.1f} MB of attached files" if findings.attachment_bytes else ""
        seconds = counted(expected.seconds, "second")
        console.print(
            f"\nabout {seconds} and {expected.database_bytes / 1e6:,.0f} MB of database{files}",
            soft_wrap=True,
        )
        console.print(expected.advice, soft_wrap=True)


def _found_counts(findings: Findings) -> dict[str, int]:
    kinds = Counter(unknown.kind for unknown in findings.drift.found)
    return {
        "containers": len(findings.containers),
        "dialogues": findings.dialogues,
        "messages": findings.messages,
        "rejected": findings.rejected_count,
        "orphans": findings.anomalies["missing_parent"],
        "cycles": findings.anomalies["cycle"],
        **{f"duplicates, {kind}": findings.duplicates[kind] for kind in ("identical", "different", "states")},
        **{f"attachments, {kind}": findings.attachments[kind] for kind in ("present", "missing")},
        "types that are unknown": len(findings.unknown_types),
        **{f"format drift, {kind.replace('_', ' ')}": kinds[kind] for kind in KINDS},
    }


def _sources_table(findings: Findings) -> Table:
    table = Table(title="Sources", title_justify="left", title_style="bold", show_edge=False, pad_edge=False, box=None)
    for header in ("", "vintage", "files", "dialogues", "messages", "from", "to"):
        table.add_column(header, justify="right" if header in {"files", "dialogues", "messages"} else "left")
    for name, found in sorted(findings.sources.items()):
        vintages = ", ".join(f"{vintage} {count:,}" for vintage, count in sorted(found.vintages.items()))
        span = [f"{moment:%Y-%m-%d}" if moment else "" for moment in (found.first_at, found.last_at)]
        counts = [f"{number:,}" for number in (found.files, found.dialogues, found.messages)]
        table.add_row(cell(name), cell(vintages), *counts, *span)
    return table


def _drift_table(findings: Findings) -> Table:
    table = Table(
        title="Unknown to this version",
        title_justify="left",
        title_style="bold",
        show_edge=False,
        pad_edge=False,
        box=None,
    )
    for header in ("", "kind", "place", "value", "times"):
        table.add_column(header, justify="right" if header == "times" else "left")
    for row in _drift_rows(findings)[:_SHOWN_DRIFT]:
        texts = [cell(str(row[name])) for name in ("source", "kind", "path", "value")]
        table.add_row(*texts, f"{row['occurrences']:,}")
    return table
