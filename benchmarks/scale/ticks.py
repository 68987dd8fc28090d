"""How long one tick of the sensor `stale_dialogues` takes to decide, in this process.

Nothing is launched: what a tick asks for is the daemon's to start.
"""

from __future__ import annotations

import time
from typing import Final

import dagster as dg

from archive_pipeline.building.batch_cache import BatchCache
from archive_pipeline.building.executors.local import LocalExecutor
from archive_pipeline.domain.progress import no_progress
from archive_pipeline.orchestration.build import build_defs
from archive_pipeline.orchestration.resources import Archive
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database

TIMES: Final = 3


def first_tick(instance: dg.DagsterInstance, settings: Settings, database: Database) -> tuple[float, str]:
    """Return the shortest time of some ticks that know of no earlier one, and what they came to."""
    ticks = [_tick(instance, settings, database, None) for _ in range(TIMES)]
    return min(seconds for seconds, _result in ticks), _outcome(ticks[-1][1])


def later_tick(instance: dg.DagsterInstance, settings: Settings, database: Database) -> tuple[float, str]:
    """Return the same of ticks that know of a first one; nothing of what that asked for was done."""
    cursor = _tick(instance, settings, database, None)[1].cursor
    ticks = [_tick(instance, settings, database, cursor) for _ in range(TIMES)]
    return min(seconds for seconds, _result in ticks), _outcome(ticks[-1][1])


def _tick(
    instance: dg.DagsterInstance, settings: Settings, database: Database, cursor: str | None
) -> tuple[float, dg.SensorResult]:
    sensor = build_defs(settings=settings).resolve_sensor_def("stale_dialogues")
    archive = Archive(database, settings, BatchCache(), LocalExecutor(database), no_progress)
    with dg.build_sensor_context(instance=instance, cursor=cursor, resources={"archive": archive}) as context:
        started = time.perf_counter()
        result = sensor(context)
        seconds = time.perf_counter() - started
    if not isinstance(result, dg.SensorResult):
        raise TypeError(f"the tick returned {result!r}")
    return seconds, result


def _outcome(result: dg.SensorResult) -> str:
    if result.run_requests:
        return f"{len(result.run_requests)} runs"
    return result.skip_reason.skip_message or "" if isinstance(result.skip_reason, dg.SkipReason) else "nothing"
