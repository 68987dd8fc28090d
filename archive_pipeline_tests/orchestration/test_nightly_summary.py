"""The summary of the night counts what the build of the night has built, not what it is about to build."""

from __future__ import annotations

from dataclasses import replace

import dagster as dg
import pytest
from dagster._core.remote_origin import RemoteInstigatorOrigin
from dagster._core.scheduler.instigation import (
    InstigatorState,
    InstigatorStatus,
    InstigatorType,
    ScheduleInstigatorData,
)

from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.orchestration.assets.summary import SUMMARY_JOB
from archive_pipeline.orchestration.automation.stale_runs import format_cursor, parse_cursor
from archive_pipeline.orchestration.build import build_defs
from archive_pipeline.orchestration.instance.execution import job_origin
from archive_pipeline.orchestration.jobs import JOB
from archive_pipeline.orchestration.partitions import stale_keys
from archive_pipeline.orchestration.resources import Archive
from archive_pipeline.store.database import Database
from archive_pipeline_tests.orchestration.conftest import add_dialogues

pytestmark = [pytest.mark.dagster, pytest.mark.postgres]

# The server counts changes when it finds the time, which a sensor has and a test has not.
COUNT_AT_ONCE = "SELECT pg_stat_force_next_flush()"


def tick(instance: dg.DagsterInstance, archive: Archive, cursor: str | None = None) -> dg.SensorResult:
    sensor = build_defs(settings=archive.settings).resolve_sensor_def("stale_dialogues")
    with dg.build_sensor_context(instance=instance, cursor=cursor, resources={"archive": archive}) as context:
        return sensor(context)


def instigator_state(name: str, status: InstigatorStatus) -> InstigatorState:
    origin = RemoteInstigatorOrigin(job_origin(JOB).repository_origin, name)
    if name.startswith("nightly"):
        return InstigatorState(origin, InstigatorType.SCHEDULE, status, ScheduleInstigatorData("0 3 * * *"))
    return InstigatorState(origin, InstigatorType.SENSOR, status)


def test_the_summary_of_the_night_follows_the_build_of_the_night(
    instance: dg.DagsterInstance, archive: Archive, empty_archive: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARCHIVE_HOME", str(archive.settings.home))
    schedule = build_defs(settings=archive.settings).resolve_schedule_def("nightly_summary")

    def at_night() -> list[str | None]:
        with dg.build_schedule_context(instance=instance, resources={"archive": archive}) as context:
            return [SUMMARY_JOB for _ in schedule.evaluate_tick(context).run_requests or []]

    assert at_night() == [SUMMARY_JOB]
    add_dialogues(empty_archive, 2)
    assert at_night() == []
    for name in ("nightly_incremental", "stale_dialogues"):  # nobody would build, or have the summary made after it
        state = instigator_state(name, InstigatorStatus.STOPPED)
        instance.add_instigator_state(state)
        assert at_night() == [SUMMARY_JOB]
        instance.delete_instigator_state(state.instigator_origin_id, state.selector_id)
    assert at_night() == []
    build_stale(empty_archive, archive.settings)
    assert at_night() == [SUMMARY_JOB]


def test_a_build_between_two_ticks_of_what_was_given_up_has_the_summary_made(
    instance: dg.DagsterInstance, archive: Archive, empty_archive: Database
) -> None:
    add_dialogues(empty_archive, 1)
    first = tick(instance, archive)
    assert [request.job_name for request in first.run_requests] == [JOB]
    with empty_archive.session() as connection:
        newly_exhausted = {key.digest: 3 for key in stale_keys.stale_keys(connection, archive.settings)}
    cursor = format_cursor(replace(parse_cursor(first.cursor), attempts=newly_exhausted, is_summary_due=False))
    build_stale(empty_archive, archive.settings)
    with empty_archive.session() as connection:
        connection.execute(COUNT_AT_ONCE)
    after = tick(instance, archive, cursor)
    assert [request.job_name for request in after.run_requests] == [SUMMARY_JOB]
