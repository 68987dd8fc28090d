"""How long one tick of the sensor `stale_dialogues` takes to decide, in this process."""

from __future__ import annotations

import time
from typing import Final

import dagster as dg

from archive_pipeline.building import BatchCache
from archive_pipeline.definitions import build_defs
from archive_pipeline.orchestration.resources import Archive
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database

TIMES: Final = 3


def tick_seconds(instance: dg.DagsterInstance, settings: Settings, database: Database) -> tuple[float, str]:
    """Return the shortest time of some first ticks over the archive as it is, and what the tick came to.

    Nothing is launched: what a tick asks for is the daemon's to start.
    """
    sensor = build_defs(settings=settings).resolve_sensor_def("stale_dialogues")
    archive = Archive(database, settings, BatchCache(), lambda _asset, _messages: None)
    seconds: list[float] = []
    outcome = ""
    for _ in range(TIMES):
        with dg.build_sensor_context(instance=instance, resources={"archive": archive}) as context:
            started = time.perf_counter()
            result = sensor(context)
            seconds.append(time.perf_counter() - started)
        if not isinstance(result, dg.SensorResult):
            raise TypeError(f"the tick returned {result!r}")
        outcome = f"{len(result.run_requests or [])} runs" if result.run_requests else str(result.skip_reason)
    return min(seconds), outcome


def idle_tick_seconds(instance: dg.DagsterInstance, settings: Settings, database: Database) -> tuple[float, str]:
    """Return the same of a tick that knows from the one before that nothing has changed."""
    sensor = build_defs(settings=settings).resolve_sensor_def("stale_dialogues")
    archive = Archive(database, settings, BatchCache(), lambda _asset, _messages: None)
    cursor: str | None = None
    seconds: list[float] = []
    result: object = None
    for _ in range(TIMES + 2):
        with dg.build_sensor_context(instance=instance, cursor=cursor, resources={"archive": archive}) as context:
            started = time.perf_counter()
            result = sensor(context)
            seconds.append(time.perf_counter() - started)
        if not isinstance(result, dg.SensorResult):
            raise TypeError(f"the tick returned {result!r}")
        cursor = result.cursor
    return min(seconds), str(result.skip_reason) if isinstance(result, dg.SensorResult) else ""
