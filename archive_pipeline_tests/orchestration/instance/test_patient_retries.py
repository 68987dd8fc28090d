"""A lost run is repeated when the code is there, and is not given up while it is not."""

from __future__ import annotations

import logging
import os
from typing import Any

import dagster as dg
import pytest
from dagster._core.errors import DagsterUserCodeUnreachableError
from dagster._core.storage.tags import WILL_RETRY_TAG
from dagster._daemon.controller import create_daemon_of_type

from archive_pipeline.orchestration.automation.housekeeping import HOUSEKEEPING_JOB, housekeeping
from archive_pipeline.orchestration.instance import patient_retries
from archive_pipeline.orchestration.instance.execution import job_origin

pytestmark = [pytest.mark.dagster, pytest.mark.postgres]


class Away:
    """A workspace whose code location is started anew for some looks, and then has no jobs at all."""

    def __init__(self, instance: dg.DagsterInstance, looks: int) -> None:
        self.instance = instance
        self.looks_left = looks

    def create_request_context(self) -> Away:
        return self

    def get_code_location(self, _name: str) -> Any:
        self.looks_left -= 1
        if self.looks_left >= 0:
            raise DagsterUserCodeUnreachableError("started anew")
        return object()


def test_a_lost_run_waits_for_the_code_to_be_there(
    instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patient_retries, "SECONDS_BETWEEN_LOOKS", 0)
    run = instance.create_run_for_job(housekeeping, remote_job_origin=job_origin(HOUSEKEEPING_JOB))
    instance.report_run_failed(run)
    [record] = instance.get_run_records(dg.RunsFilter([run.run_id]))

    def will_retry() -> str:
        [now] = instance.get_runs(dg.RunsFilter([run.run_id]))
        return now.tags[WILL_RETRY_TAG]

    away = Away(instance, looks=3)
    seen = [will_retry() for _ in patient_retries.retried_when_code_is_there(away, [record], logging.getLogger())]
    assert (seen, away.looks_left) == (["true"] * 4, -2)
    assert will_retry() == "false"  # it was tried, and the location had no such job


def test_the_daemon_uses_it_and_keeps_backfills_while_the_code_is_not_there(
    instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(patient_retries.controller, "EventLogConsumerDaemon", None)
    patient_retries.install()
    daemon = create_daemon_of_type("EVENT_LOG_CONSUMER", instance)
    assert isinstance(daemon, patient_retries.PatientRetries)
    with caplog.at_level(logging.WARNING):
        list(daemon.run_iteration(Away(instance, looks=0)))
    assert caplog.text == ""  # that there is nothing yet to go on from is no warning
    assert instance.run_storage is not None
    assert os.environ["DAGSTER_BACKFILL_RETRY_DEFINITION_CHANGED_ERROR"] == "1"
