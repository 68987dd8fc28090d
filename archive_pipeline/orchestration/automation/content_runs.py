"""Runs over what is put into the drop folder or the inbox: the run key is the content, which is imported once.

Dagster makes no second run of a key. A file may be renamed, moved or removed while its run waits, and such a run does
not read the content that its key stands for. It gives the key back, so that the sensor may ask again for that content
under another name; meanwhile the sensor has the other name wait.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Final

import dagster as dg

from archive_pipeline.orchestration.automation.import_job import IMPORT_JOB, IMPORT_OP
from archive_pipeline.orchestration.instance.run_keys import is_key_under_way, newest_run_of_key

IMPORT_TAG: Final = "archive/import"


def import_request(path: str, name: str, content: str) -> dg.RunRequest:
    """Return the run that imports an entry; Dagster makes no second one of the same content."""
    return dg.RunRequest(
        job_name=IMPORT_JOB,
        run_key=content,
        run_config={"ops": {IMPORT_OP: {"config": {"paths": [path]}}}},
        tags={IMPORT_TAG: name},
    )


def contents_under_way(instance: dg.DagsterInstance) -> Callable[[str], bool]:
    """Return what tells whether a run over a content is queued or under way; each content is looked up once."""
    return cache(partial(is_key_under_way, instance))


def import_result(
    context: dg.SensorEvaluationContext, place: str, requests: Sequence[dg.RunRequest], waiting: int, cursor: str
) -> dg.SensorResult:
    """Return the result of a look: what was never asked for is asked for, and all else is said."""
    new: list[dg.RunRequest] = []
    known: list[str] = []
    for request in requests:
        run = newest_run_of_key(context.instance, request.run_key or "")
        # Dagster starts a run that was created and never handed over when it is asked for again.
        if run is not None and run.status is not dg.DagsterRunStatus.NOT_STARTED:
            known.append(f"{request.tags[IMPORT_TAG]} has the content of run {run.run_id[:8]}")
        else:
            new.append(request)
    for note in known:
        context.log.info(f"{note} and is not imported again; `llm-archive import` does")
    still = f"{waiting} entries may still be changing, or wait for a run of the same content"
    left = still if waiting else "nothing new"
    return dg.SensorResult(
        run_requests=new, skip_reason=None if new else f"{place}: {'; '.join([left, *known])}", cursor=cursor
    )
