"""Running the derived assets in the caller's own process."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import dagster as dg
from more_itertools import chunked

from archive_pipeline.building.executors.opening import executors_ahead
from archive_pipeline.derive.registry import ASSETS
from archive_pipeline.domain.choices import Partitioning
from archive_pipeline.domain.progress import Progress
from archive_pipeline.errors import DatabaseUnavailableError
from archive_pipeline.orchestration.build import build_defs
from archive_pipeline.orchestration.checks.quarantine import QUARANTINE_CHECK
from archive_pipeline.orchestration.instance.execution import RunResult, execute_here
from archive_pipeline.orchestration.instance.in_flight import RANGE_END, RANGE_START, wait_for_runs
from archive_pipeline.orchestration.instance.orphans import fail_orphans
from archive_pipeline.orchestration.jobs import JOB
from archive_pipeline.orchestration.partitions.keys import NAMES, contiguous_ranges, in_order, register_keys
from archive_pipeline.settings import Settings
from archive_pipeline.store.later_indexes import Written, no_tables

# More keys in one run would be more to lose when it is interrupted, and nothing to win.
KEYS_PER_OWN_RUN: Final = {Partitioning.PER_DIALOGUE: 5_000, Partitioning.SHARDED: 128}
# So many keys are mostly several chunks, which workers are started for.
MANY_KEYS: Final = {Partitioning.PER_DIALOGUE: 500, Partitioning.SHARDED: 16}


@dataclass(frozen=True)
class RunOutcome:
    """What `run_derived` did.

    Attributes:
        run_ids: the Dagster runs, in order.
        success: all of them succeeded.
        rows: table -> rows written.
        failed_checks: ``asset: check: what it found`` of every check that did not pass, but for those that tell of
            quarantined dialogues, which are in the archive.
        errors: ``asset: error`` of every asset that failed.
        lost_database: what the database or its driver said when it went away in an asset or check, also in all retries;
            None if it did not.
    """

    run_ids: tuple[str, ...]
    success: bool
    rows: dict[str, int]
    failed_checks: tuple[str, ...]
    errors: tuple[str, ...]
    lost_database: str | None


def run_derived(
    instance: dg.DagsterInstance,
    settings: Settings,
    keys: Sequence[str],
    *,
    assets: Sequence[str] | None = None,
    full: bool = False,
    retry: bool = False,
    progress: Progress | None = None,
    on_wait: Callable[[str], None] = lambda _message: None,
    on_written: Written = no_tables,
) -> RunOutcome:
    """Build derived tables of the dialogues with the given partition keys, as Dagster runs in this process.

    Keys are registered, made one range, and run in one go; more than ``KEYS_PER_OWN_RUN`` are several runs, and so are
    keys that runs in flight cover. A failed run does not stop the next one. A run of another process over some of the
    dialogues is waited for, as far as `wait_for_runs` does.

    Args:
        instance: the archive's.
        settings: of the archive.
        keys: partition keys in the granularity of the settings, in the order to build them; none means nothing to do.
        assets: names of the assets to build; all by default.
        full: build what is up to date as well, and what is quarantined.
        retry: build what is quarantined as well.
        progress: told of messages by the name of the asset that is built.
        on_wait: called with a message before waiting for another process.
        on_written: told of the tables of each asset when all of the keys are built.

    Raises:
        KeyboardInterrupt: the user interrupted a run, which is marked as failed; what it had built is kept.
    """
    with executors_ahead(settings, is_much=len(keys) >= MANY_KEYS[settings.partitioning]):
        fail_orphans(instance)
        register_keys(instance, settings, keys)
        job = build_defs(progress=progress, settings=settings).resolve_job_def(JOB)
        names = list(ASSETS if assets is None else assets)
        config = {"full": full, "retry": retry}
        results: list[RunResult] = []
        chunks = list(chunked(in_order(settings, keys), KEYS_PER_OWN_RUN[settings.partitioning]))
        for chunk in chunks:
            wait_for_runs(instance, instance.get_dynamic_partitions(NAMES[settings.partitioning]), chunk, on_wait)
            ranges = contiguous_ranges(instance, settings, chunk)
            for each in ranges:
                is_last = chunk is chunks[-1] and each is ranges[-1]
                told = on_written if is_last else no_tables
                results.append(_execute(job, instance, names, config=config, keys=each, on_written=told))
    return RunOutcome(
        run_ids=tuple(result.run_id for result in results),
        success=all(result.success for result in results),
        rows=_total(results),
        failed_checks=tuple(line for result in results for line in _failed_checks(result)),
        errors=tuple(line for result in results for line in errors_of(result)),
        lost_database=next(filter(None, map(lost_database_of, results)), None),
    )


def _execute(
    job: dg.JobDefinition,
    instance: dg.DagsterInstance,
    names: Sequence[str],
    *,
    config: Mapping[str, bool],
    keys: dg.PartitionKeyRange,
    on_written: Written,
) -> RunResult:
    return execute_here(
        job,
        instance,
        names,
        run_config={"ops": {name: {"config": dict(config)} for name in names}},
        tags={RANGE_START: keys.start, RANGE_END: keys.end},
        on_materialized=lambda asset: on_written(ASSETS[asset].tables),
    )


def _total(results: Sequence[RunResult]) -> dict[str, int]:
    rows: Counter[str] = Counter()
    for result in results:
        rows.update(rows_written(result))  # unlike the sum of counters this keeps tables without rows
    return dict(rows)


def rows_written(result: RunResult) -> Counter[str]:
    """Return the rows that a run wrote, per table.

    Every partition's event of an asset carries the numbers of the whole range, and the result has one of each asset.
    """
    rows: Counter[str] = Counter()
    for event in result.events:
        if event.is_step_materialization:
            materialization = event.step_materialization_data.materialization
            for table in ASSETS[materialization.asset_key.to_user_string()].tables:
                rows[table] += int(str(materialization.metadata[f"rows_{table}"].value))
    return rows


def _failed_checks(result: RunResult) -> Iterator[str]:
    for event in result.events:
        if event.event_type is not dg.DagsterEventType.ASSET_CHECK_EVALUATION:
            continue
        evaluation = event.asset_check_evaluation_data
        if not evaluation.passed and evaluation.check_name != QUARANTINE_CHECK:
            yield f"{evaluation.asset_key.to_user_string()}: {evaluation.check_name}: {evaluation.description}"


def errors_of(result: RunResult) -> Iterator[str]:
    """Yield ``asset: error`` of every asset that failed."""
    for event in result.events:
        if not event.is_step_failure:
            continue
        error = event.step_failure_data.error
        cause = error.cause or error if error else None
        yield f"{event.step_key}: {cause.message.strip() if cause else 'failed'}"


def lost_database_of(result: RunResult) -> str | None:
    """Return what was said where the database went away (``transient_errors_retried``), None if it did not."""
    for event in result.events:
        error = event.step_failure_data.error if event.is_step_failure else None
        while error is not None:
            if error.cls_name == DatabaseUnavailableError.__name__:
                return error.message.strip().partition(": ")[2]
            error = error.cause
    return None
