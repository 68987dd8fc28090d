"""The job over all derived assets, and running it in the caller's own process."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

import dagster as dg
from dagster._core.storage.tags import REPOSITORY_LABEL_TAG

from archive_pipeline.building import Progress
from archive_pipeline.derive.registry import ASSETS
from archive_pipeline.orchestration.assets.factory import GROUP
from archive_pipeline.orchestration.partitions import contiguous, register_keys
from archive_pipeline.settings import Settings

JOB: Final = "build_derived"
# More keys in one run would be more to lose when it is interrupted, and nothing to win.
KEYS_PER_OWN_RUN: Final = 10_000
# The code location of workspace.yaml; runs with this label are listed under its job in the UI.
REPOSITORY_LABEL: Final = "__repository__@archive_pipeline"


@dataclass(frozen=True)
class RunOutcome:
    """What `run_derived` did.

    Attributes:
        run_ids: the Dagster runs, in order.
        success: all of them succeeded.
        rows: table -> rows written.
        failed_checks: ``asset: check: what it found`` of every check that did not pass.
        errors: ``asset: error`` of every asset that failed.
    """

    run_ids: tuple[str, ...]
    success: bool
    rows: dict[str, int]
    failed_checks: tuple[str, ...]
    errors: tuple[str, ...]


def build_derived_job() -> Any:
    """Return the job over all derived assets and their checks."""
    return dg.define_asset_job(
        JOB,
        selection=dg.AssetSelection.groups(GROUP),
        description="Builds what is stale of the derived tables of the chosen dialogues; full=true builds all of it.",
        executor_def=dg.in_process_executor,
    )


def run_derived(
    instance: dg.DagsterInstance,
    settings: Settings,
    keys: Collection[str],
    *,
    assets: Sequence[str] | None = None,
    full: bool = False,
    progress: Progress | None = None,
) -> RunOutcome:
    """Build derived tables of the dialogues with the given partition keys, as Dagster runs in this process.

    Keys are registered, made one range, and run in one go; more than ``KEYS_PER_OWN_RUN`` are several runs. A failed
    run does not stop the next one.

    Args:
        instance: the archive's.
        settings: of the archive.
        keys: partition keys in the granularity of the settings; none means nothing to do.
        assets: names of the assets to build; all by default.
        full: build what is up to date as well.
        progress: called with an asset's name and a number of messages as they are built.
    """
    from archive_pipeline.definitions import build_defs  # noqa: PLC0415 (definitions are assembled from this module)

    register_keys(instance, settings, keys)
    job = build_defs(progress=progress, settings=settings).resolve_job_def(JOB)
    names = list(ASSETS if assets is None else assets)
    results = [
        job.execute_in_process(
            instance=instance,
            asset_selection=[dg.AssetKey(name) for name in names],
            run_config={"ops": {name: {"config": {"full": full}} for name in names}},
            tags=run_tags(contiguous(instance, settings, chunk)),
            raise_on_error=False,
        )
        for chunk in _chunks(sorted(set(keys)))
    ]
    return RunOutcome(
        run_ids=tuple(result.run_id for result in results),
        success=all(result.success for result in results),
        rows=_total(results),
        failed_checks=tuple(line for result in results for line in _failed_checks(result)),
        errors=tuple(line for result in results for line in _errors(result)),
    )


def run_tags(keys: dg.PartitionKeyRange) -> dict[str, str]:
    """Return the tags of a run over the range."""
    return {
        "dagster/asset_partition_range_start": keys.start,
        "dagster/asset_partition_range_end": keys.end,
        REPOSITORY_LABEL_TAG: REPOSITORY_LABEL,
    }


def _total(results: Sequence[dg.ExecuteInProcessResult]) -> dict[str, int]:
    rows: Counter[str] = Counter()
    for result in results:
        rows.update(rows_written(result))  # unlike the sum of counters this keeps tables without rows
    return dict(rows)


def rows_written(result: dg.ExecuteInProcessResult) -> Counter[str]:
    """Return the rows that a run wrote, per table.

    Every partition's event of an asset carries the numbers of the whole range, so one per asset is counted.
    """
    rows: Counter[str] = Counter()
    counted: set[dg.AssetKey] = set()
    for event in result.get_asset_materialization_events():
        materialization = event.step_materialization_data.materialization
        if materialization.asset_key not in counted:
            counted.add(materialization.asset_key)
            for table in ASSETS[materialization.asset_key.to_user_string()].tables:
                rows[table] += int(str(materialization.metadata[f"rows_{table}"].value))
    return rows


def _failed_checks(result: dg.ExecuteInProcessResult) -> Iterator[str]:
    for evaluation in result.get_asset_check_evaluations():
        if not evaluation.passed:
            yield f"{evaluation.asset_key.to_user_string()}: {evaluation.check_name}: {evaluation.description}"


def _errors(result: dg.ExecuteInProcessResult) -> Iterator[str]:
    for event in result.filter_events(lambda event: event.is_step_failure):
        error = event.step_failure_data.error
        cause = error.cause or error if error else None
        yield f"{event.step_key}: {cause.message.strip() if cause else 'failed'}"


def _chunks(keys: Sequence[str]) -> Iterator[list[str]]:
    rest = iter(keys)
    while chunk := list(islice(rest, KEYS_PER_OWN_RUN)):
        yield chunk
