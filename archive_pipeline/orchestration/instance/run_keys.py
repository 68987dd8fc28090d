"""Run keys, of which Dagster makes one run each; runs that did not do what theirs stands for give it back."""

from __future__ import annotations

from typing import Final

import dagster as dg
from dagster._core.storage.tags import RUN_KEY_TAG

from archive_pipeline.orchestration.instance.in_flight import AT_WORK

_FAILED: Final = [dg.DagsterRunStatus.FAILURE, dg.DagsterRunStatus.CANCELED]


def is_key_under_way(instance: dg.DagsterInstance, key: str) -> bool:
    """Tell whether a run of a key is queued or under way."""
    return bool(instance.get_run_records(dg.RunsFilter(tags={RUN_KEY_TAG: key}, statuses=AT_WORK), limit=1))


def newest_run_of_key(instance: dg.DagsterInstance, key: str) -> dg.DagsterRun | None:
    """Return the run that was last made of a key, whatever became of it."""
    records = instance.get_run_records(dg.RunsFilter(tags={RUN_KEY_TAG: key}), limit=1)
    return records[0].dagster_run if records else None


def give_back_run_key(instance: dg.DagsterInstance, run: dg.DagsterRun) -> None:
    """Let Dagster make another run of a run's key, unless one has succeeded or is under way.

    Where this run is the retry of one that was killed, both have the key.
    """
    key = run.tags.get(RUN_KEY_TAG)
    if key is None:
        return
    failed = instance.get_runs(dg.RunsFilter(tags={RUN_KEY_TAG: key}, statuses=_FAILED))
    for run_id in {run.run_id, *(each.run_id for each in failed)}:
        instance.add_run_tags(run_id, {RUN_KEY_TAG: f"{key} (not read)"})
