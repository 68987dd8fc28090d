"""Run keys, of which Dagster makes one run each; runs that did not do what theirs stands for give it back."""

from __future__ import annotations

from enum import Enum, auto
from typing import Final

import dagster as dg
from dagster._core.events import RunFailureReason
from dagster._core.storage.dagster_run import RunRecord
from dagster._core.storage.tags import RETRY_NUMBER_TAG, RUN_FAILURE_REASON_TAG, RUN_KEY_TAG, WILL_RETRY_TAG

from archive_pipeline.orchestration.instance.in_flight import AT_WORK

_FAILED: Final = [dg.DagsterRunStatus.FAILURE, dg.DagsterRunStatus.CANCELED]
_GIVEN_BACK: Final = " (not read)"


class Fate(Enum):
    """What became of the runs of a key."""

    UNKNOWN = auto()
    """No run has had it, or none that is still recorded."""
    UNDER_WAY = auto()
    """One is queued, at work, or about to be retried."""
    UNREAD = auto()
    """All have given it back, or the last one was lost and is not retried."""
    OVER = auto()
    """The last one said how it ended, was lost too often, or was cancelled."""


def fate_of_key(instance: dg.DagsterInstance, key: str) -> Fate:
    """Return what became of the runs of a key."""
    newest = _newest(instance, key)
    if newest is None:
        return Fate.UNKNOWN if _newest(instance, key + _GIVEN_BACK) is None else Fate.UNREAD
    run = newest.dagster_run
    if run.is_complete_and_waiting_to_retry or _is_under_way(instance, key):
        return Fate.UNDER_WAY
    # Dagster starts a run that was created and never handed over when it is asked for again.
    is_unread = run.status is dg.DagsterRunStatus.NOT_STARTED or _is_lost(instance, newest)
    return Fate.UNREAD if is_unread else Fate.OVER


def newest_run_of_key(instance: dg.DagsterInstance, key: str) -> dg.DagsterRun | None:
    """Return the run that was last made of a key, whatever became of it."""
    newest = _newest(instance, key)
    return None if newest is None else newest.dagster_run


def key_of_run(run: dg.DagsterRun) -> str | None:
    """Return the key that a run has and has not given back."""
    key = run.tags.get(RUN_KEY_TAG)
    return None if key is None or key.endswith(_GIVEN_BACK) else key


def give_back_run_key(instance: dg.DagsterInstance, run: dg.DagsterRun) -> None:
    """Let Dagster make another run of a run's key, unless one has succeeded or is under way.

    Where this run is the retry of one that was killed, both have the key.
    """
    key = key_of_run(run)
    if key is None:
        return
    instance.add_run_tags(run.run_id, {RUN_KEY_TAG: key + _GIVEN_BACK})
    free_run_key(instance, key)


def free_run_key(instance: dg.DagsterInstance, key: str) -> None:
    """Let Dagster make another run of a key whose runs were lost."""
    for run in instance.get_runs(dg.RunsFilter(tags={RUN_KEY_TAG: key}, statuses=_FAILED)):
        instance.add_run_tags(run.run_id, {RUN_KEY_TAG: key + _GIVEN_BACK})


def _newest(instance: dg.DagsterInstance, key: str) -> RunRecord | None:
    records = instance.get_run_records(dg.RunsFilter(tags={RUN_KEY_TAG: key}), limit=1)
    return records[0] if records else None


def _is_under_way(instance: dg.DagsterInstance, key: str) -> bool:
    return bool(instance.get_run_records(dg.RunsFilter(tags={RUN_KEY_TAG: key}, statuses=AT_WORK), limit=1))


def _is_lost(instance: dg.DagsterInstance, record: RunRecord) -> bool:
    """Tell whether a run failed without a word of its own, and Dagster has not retried it as often as it may."""
    run = record.dagster_run
    is_final = run.status is dg.DagsterRunStatus.FAILURE and run.tags.get(WILL_RETRY_TAG) == "false"
    has_said_why = run.tags.get(RUN_FAILURE_REASON_TAG) == RunFailureReason.STEP_FAILURE.value
    retries = int(run.tags.get(RETRY_NUMBER_TAG, 0))
    has_retries_left = record.start_time is None or retries < instance.run_retries_max_retries
    return is_final and not has_said_why and has_retries_left
