"""Running the derived assets for a command: what is stale, as one Dagster run with progress bars."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from archive_pipeline.building.documents import build_document_chunks
from archive_pipeline.building.engine import BuildResult
from archive_pipeline.cli.archive import OpenArchive, lost_while_building, translate_lost_database
from archive_pipeline.cli.output import note, one_line
from archive_pipeline.cli.progress import progress_bars
from archive_pipeline.derive.registry import ASSETS, effective_version
from archive_pipeline.domain.identity import source_of_key
from archive_pipeline.errors import ConfigurationError, UnknownDialogueError
from archive_pipeline.store.document_chunks import DOCUMENT_CHUNKS
from archive_pipeline.store.later_indexes import indexes_made_later
from archive_pipeline.store.staleness import (
    DialogueRef,
    find_dialogue,
    key_of,
    quarantined_dialogues,
    stale_in_batches,
)

if TYPE_CHECKING:
    from archive_pipeline.orchestration.local_runs import RunOutcome

SHOWN_QUARANTINED: Final = 5
# Of the dialogues of an archive only keys are held, which are a fifth of all that is known of them.
DIALOGUES_AT_ONCE: Final = 10_000


@dataclass(frozen=True, slots=True)
class BuildPlan:
    """What to build.

    Attributes:
        keys: partition keys, in the order to build them.
        assets: names of assets.
        messages: per asset, the messages of the dialogues to build (for progress).
        full: build what is up to date as well.
        named: the dialogues were named, not just found stale: what is quarantined is tried again.
    """

    keys: Sequence[str]
    assets: Sequence[str]
    messages: dict[str, int]
    full: bool
    named: bool = False


def plan_stale(archive: OpenArchive, assets: Sequence[str]) -> BuildPlan:
    """Plan to build whatever is stale in the archive, from this command or left over from an interrupted one."""
    versions = {name: effective_version(name, archive.settings) for name in assets}
    return _plan(archive, {name: _stale(archive, name, version) for name, version in versions.items()}, full=False)


def plan_all(archive: OpenArchive, assets: Sequence[str]) -> BuildPlan:
    """Plan to build everything."""
    if not assets:
        return _plan(archive, {}, full=True)
    plan = _plan(archive, {"": _stale(archive, "", "")}, full=True)
    return replace(plan, assets=list(assets), messages=dict.fromkeys(assets, plan.messages[""]))


def plan_dialogues(archive: OpenArchive, assets: Sequence[str], names: Sequence[str], *, full: bool) -> BuildPlan:
    """Plan to build the named dialogues; a name is a partition key or a dialogue id."""
    with archive.database.session() as connection:
        found = [(name, find_dialogue(connection, name)) for name in names]
    for name, dialogue in found:
        if dialogue is None:
            raise UnknownDialogueError(
                f"no dialogue has the key or id {name!r}; `llm-archive list` shows what there is"
            )
    dialogues = [dialogue for _, dialogue in found if dialogue is not None]
    return replace(_plan(archive, dict.fromkeys(assets, dialogues), full=full), named=True)


def check_assets(names: Sequence[str]) -> list[str]:
    """Return the names of derived assets of dialogues in build order, all for none; raise for an unknown one.

    ``document_chunks`` is a known name and not among those returned.
    """
    known = [*ASSETS, DOCUMENT_CHUNKS]
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ConfigurationError(f"no derived asset is called {unknown[0]!r}; there are {', '.join(known)}")
    return [name for name in ASSETS if not names or name in names]


def build_documents(archive: OpenArchive, *, full: bool, show_progress: bool) -> BuildResult:
    """Cut documents whose chunks are stale, or all of them, and let Dagster's UI show it."""
    with progress_bars(enabled=show_progress) as bars:
        built = build_document_chunks(archive.database, archive.settings, full=full, progress=bars)
    if built.built:
        from archive_pipeline.orchestration.assets.documents import report_document_chunks  # noqa: PLC0415

        report_document_chunks(archive.instance, built)
    return built


def run_plan(archive: OpenArchive, plan: BuildPlan, *, show_progress: bool) -> RunOutcome | None:
    """Build as planned, in a Dagster run that the UI shows; None if there is nothing to do."""
    if not plan.keys:
        return None
    # Dagster takes seconds to import; commands that do not run it do not wait for it.
    from archive_pipeline.orchestration.local_runs import run_derived  # noqa: PLC0415

    with (
        translate_lost_database(),
        indexes_made_later(archive.database, on_wait=note) as on_written,
        progress_bars(plan.messages, enabled=show_progress) as bars,
    ):
        outcome = run_derived(
            archive.instance,
            archive.settings,
            plan.keys,
            assets=plan.assets,
            full=plan.full,
            retry=plan.named,
            progress=bars,
            on_wait=note,
            on_written=on_written,
        )
        if outcome.lost_database is not None:
            raise lost_while_building(outcome.lost_database)
        if outcome.success:
            bars.finish()
        return outcome


def failures_of(archive: OpenArchive, plan: BuildPlan, outcome: RunOutcome | None) -> list[str]:
    """Return what is not built, a line each; empty only if all that was asked for is.

    Quarantined dialogues are among it each time, not only when they failed: without names, all of the archive is asked
    for.
    """
    return [*(_failures_of_runs(outcome) if outcome else ()), *_quarantined(archive, plan)]


def _failures_of_runs(outcome: RunOutcome) -> list[str]:
    failures = [one_line(failure) for failure in (*outcome.errors, *outcome.failed_checks)]
    if not failures and not outcome.success:
        failures = [f"the Dagster run {run_id} failed; `llm-archive up` shows why" for run_id in outcome.run_ids]
    return failures


def _quarantined(archive: OpenArchive, plan: BuildPlan) -> list[str]:
    versions = {name: effective_version(name, archive.settings) for name in plan.assets}
    with archive.database.session() as connection:
        failed = quarantined_dialogues(connection, versions)
    assets: dict[tuple[str, str], list[str]] = {}
    for dialogue in failed:
        if not plan.named or key_of(dialogue, archive.settings.partitioning) in plan.keys:
            assets.setdefault((dialogue.partition_key, dialogue.error), []).append(dialogue.asset)
    lines = [
        one_line(f"{key} cannot be built and is quarantined: {error} ({', '.join(sorted(names))})")
        for (key, error), names in assets.items()
    ]
    more = len(lines) - SHOWN_QUARANTINED
    return [
        *lines[:SHOWN_QUARANTINED],
        *([f"{more:,} more are quarantined, see derived.build_errors"] if more > 0 else []),
    ]


def _stale(archive: OpenArchive, name: str, version: str) -> Iterator[DialogueRef]:
    for batch in stale_in_batches(archive.database, name, version, DIALOGUES_AT_ONCE):
        yield from batch


def _plan(archive: OpenArchive, dialogues: Mapping[str, Iterable[DialogueRef]], *, full: bool) -> BuildPlan:
    keys: dict[str, None] = {}  # a set in the order of ids, in which dialogues of each asset come
    messages = dict.fromkeys(dialogues, 0)
    for name, refs in dialogues.items():
        for dialogue in refs:
            keys[key_of(dialogue, archive.settings.partitioning)] = None
            messages[name] += dialogue.message_count
    return BuildPlan(keys=sorted(keys, key=source_of_key), assets=list(dialogues), messages=messages, full=full)
