"""Run keys, of which Dagster makes one run each, given back by runs that did not do what their key stands for."""

from __future__ import annotations

from typing import Final

import dagster as dg
from dagster._core.storage.tags import RUN_KEY_TAG

_FAILED: Final = [dg.DagsterRunStatus.FAILURE, dg.DagsterRunStatus.CANCELED]


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
