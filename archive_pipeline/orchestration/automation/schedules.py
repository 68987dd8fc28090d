"""Schedules: at night what is left over is built, duplicates and summary are made anew, Dagster's tables tidied up."""

# No `from __future__ import annotations` here: Dagster reads the annotations of decorated functions.

from typing import Any, Final

import dagster as dg

from archive_pipeline.orchestration.assets.duplicates import DUPLICATES_JOB
from archive_pipeline.orchestration.assets.summary import SUMMARY_JOB
from archive_pipeline.orchestration.automation.activity import is_being_built
from archive_pipeline.orchestration.automation.housekeeping import HOUSEKEEPING_JOB
from archive_pipeline.orchestration.automation.sensors import STALE_DIALOGUES, range_requests
from archive_pipeline.orchestration.automation.stale_runs import KEYS_PER_TICK, plan
from archive_pipeline.orchestration.instance.cron import cron_schedule
from archive_pipeline.orchestration.instance.stopped import is_stopped
from archive_pipeline.orchestration.jobs import JOB
from archive_pipeline.orchestration.partitions import stale_keys
from archive_pipeline.orchestration.partitions.keys import KEYS_PER_RUN
from archive_pipeline.orchestration.resources import Archive
from archive_pipeline.settings import Settings

INCREMENTAL: Final = "nightly_incremental"
SUMMARY: Final = "nightly_summary"
DUPLICATES: Final = "nightly_duplicates"
HOUSEKEEPING: Final = "nightly_housekeeping"


def schedules(settings: Settings) -> list[dg.ScheduleDefinition]:
    """Return all schedules; they run by default, at the time of the settings.

    Raises:
        ConfigurationError: the settings' time is no cron expression.
    """
    return [
        _incremental(settings),
        _summary(settings),
        _plain(DUPLICATES, settings, DUPLICATES_JOB, "Finds the duplicates of the whole archive anew."),
        _plain(HOUSEKEEPING, settings, HOUSEKEEPING_JOB, "Tidies up Dagster's own tables and refreshes statistics."),
    ]


def _when(settings: Settings) -> dict[str, Any]:
    """Return what all schedules have: the time, and that they run."""
    return {
        "cron_schedule": cron_schedule(settings),
        "execution_timezone": settings.timezone,
        "default_status": dg.DefaultScheduleStatus.RUNNING,
    }


def _incremental(settings: Settings) -> dg.ScheduleDefinition:
    @dg.schedule(
        name=INCREMENTAL,
        job_name=JOB,
        **_when(settings),
        description=(
            "Builds what is stale. The sensor stale_dialogues does so all day; this does when the sensor is stopped, "
            "and tries once a night what the sensor has given up."
        ),
    )
    def nightly_incremental(
        context: dg.ScheduleEvaluationContext, archive: dg.ResourceParam[Archive]
    ) -> list[dg.RunRequest] | dg.SkipReason:
        with stale_keys.only_writer_or_none(archive.database) as is_writer:
            if not is_writer or is_being_built(context.instance):
                return dg.SkipReason("an import or a build is under way")
            with archive.database.session() as connection:
                stale = stale_keys.stale_keys(connection, archive.settings, limit=KEYS_PER_TICK)
            if not stale:
                return dg.SkipReason("all is built")
            return range_requests(
                context.instance, archive.settings, plan(stale, KEYS_PER_RUN[archive.settings.partitioning])
            )

    return nightly_incremental


def _summary(settings: Settings) -> dg.ScheduleDefinition:
    @dg.schedule(
        name=SUMMARY,
        job_name=SUMMARY_JOB,
        **_when(settings),
        description=(
            "Makes the overall figures and their checks anew. If something is to be built first, the sensor "
            "stale_dialogues has the summary made when that has ended."
        ),
    )
    def nightly_summary(
        context: dg.ScheduleEvaluationContext, archive: dg.ResourceParam[Archive]
    ) -> dg.RunRequest | dg.SkipReason:
        # All schedules have the same minute: a summary that started now would count what the build is about to build.
        if is_stopped(context.instance, {INCREMENTAL, STALE_DIALOGUES}) or not _is_build_due(context, archive):
            return dg.RunRequest()
        return dg.SkipReason(f"something is to be built; the sensor {STALE_DIALOGUES} has the summary made after it")

    return nightly_summary


def _is_build_due(context: dg.ScheduleEvaluationContext, archive: Archive) -> bool:
    if is_being_built(context.instance):
        return True
    with archive.database.session() as connection:
        return bool(stale_keys.stale_keys(connection, archive.settings, limit=1))


def _plain(name: str, settings: Settings, job: str, description: str) -> dg.ScheduleDefinition:
    return dg.ScheduleDefinition(
        name=name,
        job_name=job,
        **_when(settings),
        description=description,
    )
