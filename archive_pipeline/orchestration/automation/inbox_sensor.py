"""The sensor that imports what is put into the inbox (``inbox.py`` decides what is new)."""

# No `from __future__ import annotations` here: Dagster reads the annotations of decorated functions.

import dagster as dg

from archive_pipeline.orchestration.automation.import_job import IMPORT_JOB, IMPORT_OP
from archive_pipeline.orchestration.automation.inbox import ReadyAddress, scan_inbox
from archive_pipeline.remote.storage import Storage
from archive_pipeline.settings import Settings


def inbox_sensors(settings: Settings) -> list[dg.SensorDefinition]:
    """Return the sensor that watches ``ARCHIVE_INBOX``, none where it is not set."""
    if settings.inbox is None:
        return []
    inbox = settings.inbox

    @dg.sensor(
        name="new_objects",
        job_name=IMPORT_JOB,
        minimum_interval_seconds=settings.sensor_seconds,
        default_status=dg.DefaultSensorStatus.RUNNING,
        description=(
            f"Imports what is put below {inbox}, once two listings agree. The same content is imported once; a failed "
            "import is tried again when an object changes or its run is started anew."
        ),
    )
    def new_objects(context: dg.SensorEvaluationContext) -> dg.SensorResult:
        seen = scan_inbox(inbox, Storage(inbox).objects_below(inbox), context.cursor)
        if seen.note is not None:
            context.log.warning(seen.note)
        requests = [inbox_request(ready) for ready in seen.ready]
        waiting = f"{seen.waiting} entries may still be changing" if seen.waiting else "nothing new"
        return dg.SensorResult(
            run_requests=requests, skip_reason=None if requests else f"{inbox}: {waiting}", cursor=seen.cursor
        )

    return [new_objects]


def inbox_request(ready: ReadyAddress) -> dg.RunRequest:
    """Return the run that imports an entry of the inbox; Dagster makes no second one of the same content."""
    return dg.RunRequest(
        job_name=IMPORT_JOB,
        run_key=ready.content,
        run_config={"ops": {IMPORT_OP: {"config": {"paths": [ready.address]}}}},
        tags={"archive/import": ready.name},
    )
