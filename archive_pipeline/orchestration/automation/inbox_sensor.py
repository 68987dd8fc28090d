"""The sensor that imports what is put into the inbox (``inbox.py`` decides what is new)."""

# No `from __future__ import annotations` here: Dagster reads the annotations of decorated functions.

import dagster as dg

from archive_pipeline.orchestration.automation.content_runs import fates_of_contents, import_request, import_result
from archive_pipeline.orchestration.automation.import_job import IMPORT_JOB
from archive_pipeline.orchestration.automation.inbox import scan_inbox
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
            f"Imports what is put below {inbox}, once two listings agree. The same content is imported once, under the "
            "name it has by then. A run that was lost before it read them is asked for again, up to three times; one "
            "that failed is when an object changes or its run is started anew."
        ),
    )
    def new_objects(context: dg.SensorEvaluationContext) -> dg.SensorResult:
        objects = Storage(inbox).objects_below(inbox)
        seen = scan_inbox(inbox, objects, context.cursor, fates_of_contents(context.instance))
        requests = [import_request(ready.address, ready.name, ready.content, ready.content) for ready in seen.ready]
        return import_result(
            context, inbox, requests, seen.waiting, seen.cursor, notes=seen.notes, new_notes=seen.new_notes
        )

    return [new_objects]
