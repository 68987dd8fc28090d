"""Runs whose processes are gone: marked as failed, and repeated if a worker ran them."""

from __future__ import annotations

import dagster as dg
import pytest
from dagster._core.definitions.job_base import InMemoryJob
from dagster._core.execution.api import execute_run

from archive_pipeline.orchestration.instance.execution import job_origin
from archive_pipeline.orchestration.instance.orphans import PROCESS_TAG, fail_orphans, process_tag
from archive_pipeline.orchestration.jobs import JOB
from archive_pipeline.orchestration.local_runs import run_derived
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.orchestration.conftest import add_dialogues

pytestmark = [pytest.mark.dagster, pytest.mark.postgres]


def test_runs_of_killed_processes_are_marked_as_failed(
    instance: dg.DagsterInstance, settings: Settings, database: Database
) -> None:
    mine = instance.create_run_for_job(_empty_job(), tags=process_tag())
    host, pid, _ = process_tag()[PROCESS_TAG].rsplit(":", 2)
    killed = instance.create_run_for_job(_empty_job(), tags={PROCESS_TAG: f"{host}:{pid}:1.00"})
    elsewhere = instance.create_run_for_job(_empty_job(), tags={PROCESS_TAG: "another-host:1:1.00"})
    assert run_derived(instance, settings, add_dialogues(database, 1)).success
    statuses = [instance.get_run_by_id(run.run_id).status for run in (mine, killed, elsewhere)]
    assert [status.value for status in statuses] == ["NOT_STARTED", "FAILURE", "NOT_STARTED"]


def test_a_run_says_its_process_before_it_counts_as_started(
    instance: dg.DagsterInstance, settings: Settings, database: Database
) -> None:
    launched = instance.create_run_for_job(_empty_job())  # as by the daemon: whoever creates it does not execute it
    assert PROCESS_TAG not in launched.tags
    execute_run(InMemoryJob(_empty_job()), launched, instance)
    assert instance.get_run_by_id(launched.run_id).tags[PROCESS_TAG] == process_tag()[PROCESS_TAG]


def test_only_started_runs_and_own_ones_are_taken_for_killed(
    instance: dg.DagsterInstance, settings: Settings, database: Database
) -> None:
    host, pid, _ = process_tag()[PROCESS_TAG].rsplit(":", 2)
    gone = {PROCESS_TAG: f"{host}:{pid}:1.0"}
    started = instance.add_run(dg.DagsterRun("a", status=dg.DagsterRunStatus.STARTED, tags=gone))
    queued = instance.add_run(
        dg.DagsterRun("a", status=dg.DagsterRunStatus.QUEUED, tags=gone, remote_job_origin=job_origin(JOB))
    )
    # The run that repeats another one has the other one's tags until it starts.
    again = instance.add_run(dg.DagsterRun("a", tags=gone, parent_run_id=started.run_id, root_run_id=started.run_id))
    assert fail_orphans(instance) == [started.run_id]
    assert instance.get_run_by_id(started.run_id).status == dg.DagsterRunStatus.FAILURE
    assert instance.get_run_by_id(queued.run_id).status == dg.DagsterRunStatus.QUEUED
    instance.delete_run(queued.run_id)
    instance.delete_run(again.run_id)


def test_runs_of_killed_workers_are_repeated_and_those_of_commands_are_not(
    instance: dg.DagsterInstance, settings: Settings, database: Database
) -> None:
    launched = instance.add_run(dg.DagsterRun("a", status=dg.DagsterRunStatus.STARTED))
    instance.report_run_failed(launched, "killed")
    assert instance.get_run_by_id(launched.run_id).tags["dagster/will_retry"] == "true"
    run_id = run_derived(instance, settings, add_dialogues(database, 1)).run_ids[0]
    assert instance.get_run_by_id(run_id).tags["dagster/max_retries"] == "0"
    assert not instance.run_retries_retry_on_asset_or_op_failure


def _empty_job() -> dg.JobDefinition:
    @dg.job(executor_def=dg.in_process_executor)
    def empty() -> None: ...

    return empty
