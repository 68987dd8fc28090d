"""Runs over what is put into the drop folder or the inbox: the run key is the content, which is imported once.

Dagster makes no second run of a key. A file may be renamed, moved, removed or replaced while its run waits, and such a
run does not read the content that its key stands for. It gives the key back, so that the sensor may ask again for that
content; a key whose run was lost before it read anything is freed by the sensor. While a run may still come, the sensor
has other entries of the same content wait.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from typing import Final

import dagster as dg

from archive_pipeline.orchestration.automation.asked_content import SIGNATURE_TAG
from archive_pipeline.orchestration.automation.entry_states import FateOf
from archive_pipeline.orchestration.automation.import_job import IMPORT_JOB, IMPORT_OP
from archive_pipeline.orchestration.instance.run_keys import Fate, fate_of_key, free_run_key, newest_run_of_key

IMPORT_TAG: Final = "archive/import"
_SHOWN: Final = 3


def import_request(path: str, name: str, content: str, signature: str) -> dg.RunRequest:
    """Return the run that imports an entry; Dagster makes no second one of the same content."""
    return dg.RunRequest(
        job_name=IMPORT_JOB,
        run_key=content,
        run_config={"ops": {IMPORT_OP: {"config": {"paths": [path]}}}},
        tags={IMPORT_TAG: name, SIGNATURE_TAG: signature},
    )


def fates_of_contents(instance: dg.DagsterInstance) -> FateOf:
    """Return what tells what became of the runs over a content; each content is looked up once."""
    return cache(partial(fate_of_key, instance))


def import_result(
    context: dg.SensorEvaluationContext,
    place: str,
    requests: Sequence[dg.RunRequest],
    waiting: int,
    cursor: str,
    *,
    notes: Sequence[str],
    new_notes: Sequence[str],
) -> dg.SensorResult:
    """Return the result of a look: what was never read is asked for, and all else is said.

    What is new is logged, which makes a file of the tick; what was said before stands in the reason of a skipped tick.
    """
    new: list[dg.RunRequest] = []
    known: list[str] = []
    for request in requests:
        key = request.run_key or ""
        if fate_of_key(context.instance, key) is not Fate.OVER:
            free_run_key(context.instance, key)
            new.append(request)
        elif (run := newest_run_of_key(context.instance, key)) is not None:
            known.append(f"{request.tags[IMPORT_TAG]} has the content of run {run.run_id[:8]}")
    for note in known:
        context.log.info(f"{note} and is not imported again; `llm-archive import` does")
    for note in new_notes:
        context.log.warning(note)
    still = f"{waiting} entries may still be changing, or wait for a run of the same content"
    left = still if waiting else "nothing new"
    more = [f"{len(notes) - _SHOWN:,} more notes"] if len(notes) > _SHOWN else []
    said = "; ".join([left, *known, *notes[:_SHOWN], *more])
    return dg.SensorResult(run_requests=new, skip_reason=None if new else f"{place}: {said}", cursor=cursor)
