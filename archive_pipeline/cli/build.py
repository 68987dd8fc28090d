"""``llm-archive build`` and ``build_prompt_responses``: derived tables again."""

from __future__ import annotations

import time

import click

from archive_pipeline.building.documents import failed_documents
from archive_pipeline.building.engine import BuildResult
from archive_pipeline.cli.archive import OpenArchive, open_for_writing
from archive_pipeline.cli.derived import (
    BuildPlan,
    build_documents,
    check_assets,
    failures_of,
    plan_all,
    plan_dialogues,
    plan_stale,
    run_plan,
)
from archive_pipeline.cli.output import EXIT_REJECTED, count_table, fail, print_json, stdout_console
from archive_pipeline.cli.upkeep import tidy
from archive_pipeline.derive.registry import ASSETS
from archive_pipeline.store.document_chunks import DOCUMENT_CHUNKS


def run(dialogues: tuple[str, ...], assets: tuple[str, ...], *, full: bool, as_json: bool) -> int:
    """Build what the options name; return the exit code."""
    names = check_assets(assets)
    with open_for_writing() as archive:
        if dialogues:
            plan = plan_dialogues(archive, names, dialogues, full=full)
        else:
            plan = plan_all(archive, names) if full else plan_stale(archive, names)
        has_documents = DOCUMENT_CHUNKS in assets or not (assets or dialogues)
        documents = build_documents(archive, full=full, show_progress=not as_json) if has_documents else None
        code = _run(archive, plan, documents, as_json=as_json)
        tidy(archive)
        return code


def run_prompt_responses(dialogue_id: str | None, *, as_json: bool) -> int:
    """Rebuild the prompt-response pairs; return the exit code."""
    names = ["prompt_responses"]
    with open_for_writing() as archive:
        chosen = [] if dialogue_id is None else [dialogue_id]
        plan = plan_dialogues(archive, names, chosen, full=True) if chosen else plan_all(archive, names)
        return _run(archive, plan, None, as_json=as_json)


def _run(archive: OpenArchive, plan: BuildPlan, documents: BuildResult | None, *, as_json: bool) -> int:
    started = time.perf_counter()
    outcome = run_plan(archive, plan, show_progress=not as_json)
    rows = {table: 0 for name in plan.assets for table in ASSETS[name].tables} | (outcome.rows if outcome else {})
    if documents is not None:
        rows |= documents.rows
    seconds = time.perf_counter() - started + (documents.seconds if documents else 0)
    failures = [*failures_of(archive, plan, outcome), *(failed_documents(documents) if documents else ())]
    for failure in failures:
        fail(failure)
    if as_json:
        runs = list(outcome.run_ids) if outcome else []
        print_json({"rows": rows, "seconds": round(seconds, 3), "runs": runs, "failures": failures})
    elif outcome is None and not (documents and documents.built):
        click.echo("Everything else is up to date." if failures else "Everything is up to date.")
    else:
        _print(rows, seconds)
    return EXIT_REJECTED if failures else 0


def _print(rows: dict[str, int], seconds: float) -> None:
    console = stdout_console()
    console.print(count_table("Rows written", rows, headers=("", "")))
    console.print(f"\n{seconds:.1f} seconds")
