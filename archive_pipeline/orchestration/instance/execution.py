"""Executing a job of the code location in this process, as a run that the UI links to it."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import dagster as dg
from dagster._core.definitions.job_base import InMemoryJob
from dagster._core.definitions.repository_definition import SINGLETON_REPOSITORY_NAME
from dagster._core.execution.api import execute_run_iterator
from dagster._core.remote_origin import (
    ManagedGrpcPythonEnvCodeLocationOrigin,
    RemoteJobOrigin,
    RemoteRepositoryOrigin,
)
from dagster._core.types.loadable_target_origin import LoadableTargetOrigin

from archive_pipeline.ingest.collection import seldom_collected
from archive_pipeline.orchestration.instance.keys_of_run import keys_read_once
from archive_pipeline.orchestration.instance.orphans import process_tag
from archive_pipeline.orchestration.instance.partition_set import PartitionSet, of_partition

# Whoever starts runs of this job sees to it that what they left is built: a command's user, or the sensor, which counts
# attempts. A second run by Dagster's own retries would be at work on the same dialogues at the same time.
NOT_RETRIED: Final = {"dagster/max_retries": "0"}
INTERRUPTS: Final = frozenset({KeyboardInterrupt.__name__, dg.DagsterExecutionInterruptedError.__name__})
_TOLD_OF_RUN: Final = frozenset(
    {dg.DagsterEventType.ASSET_CHECK_EVALUATION, dg.DagsterEventType.STEP_FAILURE, dg.DagsterEventType.RUN_FAILURE}
)
CODE_LOCATION: Final = "archive_pipeline"
REPOSITORY: Final = SINGLETON_REPOSITORY_NAME


@dataclass(frozen=True)
class RunResult:
    """A run that has ended.

    Attributes:
        run_id: of the run.
        success: it succeeded.
        events: its failures, its evaluations of asset checks, and of each asset the first materialisation only. All
            others, two of each asset and partition, are in the event log alone: memory must not grow with partitions.
    """

    run_id: str
    success: bool
    events: Sequence[dg.DagsterEvent]


def execute_here(
    job: dg.JobDefinition,
    instance: dg.DagsterInstance,
    names: Sequence[str],
    *,
    run_config: Mapping[str, Any] | None = None,
    tags: Mapping[str, str] | None = None,
    on_materialized: Callable[[str], None] = lambda _asset: None,
) -> RunResult:
    """Run a job in this process, as a run that the UI links to it.

    Args:
        job: a job of the code location.
        instance: the archive's.
        names: the assets to materialise.
        run_config: of the run.
        tags: of the run.
        on_materialized: called with the name of each asset when its first materialisation is recorded.

    Raises:
        KeyboardInterrupt: the user interrupted the run, which is marked as failed.
    """
    with keys_read_once():
        run, events = _executed(
            job, instance, names, run_config=run_config or {}, tags=tags or {}, on_materialized=on_materialized
        )
    if _was_interrupted(events):
        raise KeyboardInterrupt
    ended = instance.get_run_by_id(run.run_id)
    return RunResult(run.run_id, ended is not None and ended.is_success, events)


def _executed(
    job: dg.JobDefinition,
    instance: dg.DagsterInstance,
    names: Sequence[str],
    *,
    run_config: Mapping[str, Any],
    tags: Mapping[str, str],
    on_materialized: Callable[[str], None],
) -> tuple[dg.DagsterRun, list[dg.DagsterEvent]]:
    # `execute_in_process` would run a copy of the job that no code location has: the UI could neither link the run to
    # its job nor start it again.
    run = instance.create_run_for_job(
        job,
        run_config=run_config,
        tags={**tags, **process_tag(), **NOT_RETRIED},
        asset_selection=frozenset(map(dg.AssetKey, names)),
        remote_job_origin=job_origin(job.name),
    )
    collections = _collections()
    with seldom_collected():  # a run over many partitions makes millions of objects, hardly any of them in a cycle
        events = list(_kept(execute_run_iterator(InMemoryJob(job), run, instance), on_materialized))
        # What Dagster had of the run, before the next one begins: its contexts know each other. Here and not below,
        # where all that the process has imported would be looked through, too: a tenth of a small run. What so small a
        # run has left that nobody looked for garbage in it can wait.
        if _collections() > collections:
            gc.collect()
    return run, events


def _collections() -> int:
    return sum(generation["collections"] for generation in gc.get_stats())


def _kept(events: Iterable[dg.DagsterEvent], on_materialized: Callable[[str], None]) -> Iterator[dg.DagsterEvent]:
    """Yield the events that a `RunResult` has; take all."""
    seen: set[dg.AssetKey] = set()
    for event in events:
        if event.is_step_materialization:
            key = event.step_materialization_data.materialization.asset_key
            if key not in seen:
                seen.add(key)
                on_materialized(key.to_user_string())
                yield _of_first_partition(event)
        elif event.event_type in _TOLD_OF_RUN:
            yield event


def _of_first_partition(event: dg.DagsterEvent) -> dg.DagsterEvent:
    partition = event.partition
    return of_partition(event, partition.keys[0], {}) if isinstance(partition, PartitionSet) else event


def _was_interrupted(events: Iterable[dg.DagsterEvent]) -> bool:
    # Dagster records an interrupt as a failure like any other, after which the next run would start.
    errors = [event.job_failure_data.error for event in events if event.is_run_failure]
    return any(error is not None and error.cls_name in INTERRUPTS for error in errors)


def job_origin(job: str) -> RemoteJobOrigin:
    """Return where `workspace.yaml` finds a job."""
    target = LoadableTargetOrigin(module_name="archive_pipeline.definitions", attribute="defs")
    location = ManagedGrpcPythonEnvCodeLocationOrigin(loadable_target_origin=target, location_name=CODE_LOCATION)
    return RemoteJobOrigin(RemoteRepositoryOrigin(location, SINGLETON_REPOSITORY_NAME), job)
