"""``llm-archive duplicates``: messages and exchanges that say the same or nearly, and runs of one task."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from rich.table import Table
from rich.text import Text

from archive_pipeline.building.duplicates import duplicates_version
from archive_pipeline.cli.archive import (
    OpenArchive,
    lost_while_building,
    open_archive,
    open_for_writing,
    translate_lost_database,
)
from archive_pipeline.cli.output import EXIT_REJECTED, fail, note, one_line, print_json, stdout_console
from archive_pipeline.cli.progress import progress_bars
from archive_pipeline.domain.choices import DUPLICATE_TYPES
from archive_pipeline.domain.counted import counted
from archive_pipeline.store.counts import count_all_messages
from archive_pipeline.store.duplicates import DUPLICATES, Choice, DuplicatesState, duplicates_state, listed, totals
from archive_pipeline.text.citation_marks import without_marks
from archive_pipeline.text.dialogue_names import title_or_prompt

# Characters that the numbers in front of the last column take.
_OTHER_COLUMNS: Final = 49
_NARROWEST: Final = 30
NEVER: Final = "duplicates were never looked for in this archive; `llm-archive duplicates --refresh` does"
NO_DIALOGUES: Final = "no duplicates: the archive has no dialogues"


def run(
    entity: str | None, method: str | None, min_similarity: float, limit: int, *, refresh: bool, as_json: bool
) -> int:
    """Show the clusters, after finding them anew if asked to; return the exit code."""
    choice = Choice([entity] if entity else DUPLICATE_TYPES, method, min_similarity)
    if refresh:
        with open_for_writing() as archive:
            failures = _refresh(archive, show_progress=not as_json)
            for failure in failures:
                fail(failure)
            if failures:
                return EXIT_REJECTED
            _show(archive, choice, limit, never=NO_DIALOGUES, as_json=as_json)
    else:
        with open_archive() as archive:
            _show(archive, choice, limit, never=NEVER, as_json=as_json)
    return 0


def _refresh(archive: OpenArchive, *, show_progress: bool) -> list[str]:
    """Find the duplicates in a Dagster run that the UI shows; return what went wrong, a line each."""
    # Dagster takes seconds to import; commands that do not run it do not wait for it.
    from archive_pipeline.orchestration.assets.duplicates import DUPLICATES_JOB  # noqa: PLC0415
    from archive_pipeline.orchestration.build import build_defs  # noqa: PLC0415
    from archive_pipeline.orchestration.instance.execution import execute_here  # noqa: PLC0415
    from archive_pipeline.orchestration.local_runs import errors_of, lost_database_of  # noqa: PLC0415

    with archive.database.session() as connection:
        messages = count_all_messages(connection)
    with (
        translate_lost_database(),
        progress_bars({DUPLICATES: messages}, enabled=show_progress) as bars,
    ):
        job = build_defs(progress=bars, settings=archive.settings).resolve_job_def(DUPLICATES_JOB)
        result = execute_here(job, archive.instance, [DUPLICATES])
        if result.success:
            return []
        if (lost := lost_database_of(result)) is not None:
            raise lost_while_building(lost)
    return [one_line(error) for error in errors_of(result)] or ["the Dagster run failed; `llm-archive up` shows why"]


def _show(archive: OpenArchive, choice: Choice, limit: int, *, never: str, as_json: bool) -> None:
    """Print the clusters, or ``never`` where no dialogue was looked at."""
    with archive.database.session() as connection:
        state = duplicates_state(connection, duplicates_version(archive.settings))
        sums = totals(connection, choice)
        clusters = listed(connection, choice, limit)
    if as_json:
        print_json(
            {
                "computed_at": state.computed_at,
                "changed_dialogues": state.changed_dialogues,
                "totals": sums,
                "clusters": clusters,
            }
        )
    elif state.computed_at is None:
        note(never)
    else:
        _print(state, sums, clusters)


def _print(state: DuplicatesState, sums: Sequence[dict[str, Any]], clusters: Sequence[dict[str, Any]]) -> None:
    console = stdout_console()
    if clusters:
        console.print(_cluster_table(clusters, console.width))
        console.print()
    console.print(_totals_table(sums) if sums else "no duplicates")
    number = state.changed_dialogues
    changed = f"; {counted(number, 'dialogue')} changed since: use --refresh" if number else ""
    console.print(f"\ncomputed {state.computed_at:%Y-%m-%d %H:%M} UTC{changed}")


def _cluster_table(clusters: Sequence[dict[str, Any]], width: int) -> Table:
    table = _table("Clusters", "copies", "prefix", "dialogues", "similar")
    table.add_column("found by", no_wrap=True)
    table.add_column("kept in, because; its text")
    shown = max(width - _OTHER_COLUMNS, _NARROWEST)
    for cluster in clusters:
        reason = cluster["keep_reason"].replace("_", " ")
        where = _short(title_or_prompt(cluster["title"], None) or cluster["partition_key"], shown - len(reason) - 2)
        text = _short(without_marks(cluster["beginning"] or "(changed since)"), shown)
        table.add_row(
            f"{cluster['content_copies']:,}",
            f"{cluster['prefix_copies']:,}",
            f"{cluster['dialogue_count']:,}",
            f"{cluster['lowest_similarity']:.2f}",
            f"{cluster['method']}\n{cluster['entity_type']}",
            Text.assemble((where, "bold"), f", {reason}\n{text}"),
        )
    return table


def _totals_table(sums: Sequence[dict[str, Any]]) -> Table:
    table = _table("All", "clusters", "copies", "prefix copies", "clusters of prefix copies only")
    table.add_column("")
    for row in sums:
        counts = ("content_clusters", "content_copies", "prefix_copies", "prefix_clusters")
        table.add_row(*(f"{row[name]:,}" for name in counts), f"{row['entity_type']}s")
    return table


def _table(title: str, *numbers: str) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold", show_edge=False, pad_edge=False, box=None)
    for header in numbers:
        table.add_column(header, justify="right", no_wrap=True)
    return table


def _short(text: str, length: int) -> str:
    line = " ".join(one_line(text).split())
    return line if len(line) <= length else f"{line[: max(length - 1, 1)]}…"
