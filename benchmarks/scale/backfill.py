"""A backfill of all derived assets over all partitions, asked for as the UI does and carried out by the daemon."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from archive_pipeline.derive.registry import ASSETS
from archive_pipeline.store.database import Database
from benchmarks.scale.dagster_up import Up

POLL_SECONDS: Final = 5.0
LAUNCH: Final = """
mutation ($params: LaunchBackfillParams!) {
  launchPartitionBackfill(backfillParams: $params) {
    __typename
    ... on LaunchBackfillSuccess { backfillId }
    ... on PythonError { message }
  }
}
"""
STATUS: Final = """
query ($id: String!) {
  partitionBackfillOrError(backfillId: $id) {
    ... on PartitionBackfill { status numPartitions runs(limit: 1000) { status } error { message } }
  }
}
"""
CANCEL: Final = "mutation ($id: String!) { cancelPartitionBackfill(backfillId: $id) { __typename } }"
ENDED: Final = frozenset({"COMPLETED_SUCCESS", "COMPLETED_FAILED", "FAILED", "CANCELED"})
RUN_TIMES: Final = """
SELECT extract(EPOCH FROM run.create_timestamp), run.start_time, run.end_time
FROM dagster.runs AS run
INNER JOIN dagster.run_tags AS tag ON tag.run_id = run.run_id AND tag.key = 'dagster/backfill'
WHERE tag.value = %s AND run.start_time IS NOT NULL AND run.end_time IS NOT NULL
ORDER BY run.start_time
"""


@dataclass(frozen=True)
class Backfill:
    """How a backfill went.

    Attributes:
        id, status: of Dagster.
        seconds: from the request to the status.
        runs: how many were started.
        run_seconds: median time of a run, from its start to its end.
        busy: part of the time from the first run's start to the last one's end in which a run was under way.
        to_first_run: seconds from the request to the start of the first run.
        after_last_run: seconds from the end of the last run to the status.
    """

    id: str
    status: str
    seconds: float
    runs: int
    run_seconds: float
    busy: float
    to_first_run: float
    after_last_run: float


def launch(up: Up) -> str:
    """Ask for the backfill; return its id."""
    selection = [{"path": [name]} for name in ASSETS]
    answer = up.ask(LAUNCH, params={"assetSelection": selection, "allPartitions": True})["launchPartitionBackfill"]
    if "backfillId" not in answer:
        raise RuntimeError(f"the backfill was not taken: {answer}")
    return str(answer["backfillId"])


def cancel(up: Up, backfill_id: str) -> None:
    """Ask Dagster to end the backfill and its runs."""
    up.ask(CANCEL, id=backfill_id)


def wait(
    up: Up,
    database: Database,
    backfill_id: str,
    *,
    requested_at: float,
    until: Callable[[Any], bool] = lambda state: state["status"] in ENDED,
    say: Callable[[str], None] = lambda _line: None,
) -> Backfill:
    """Wait until the backfill is in the wanted state, sampling memory; say what is done from time to time."""
    said = time.time()
    while True:
        state = up.ask(STATUS, id=backfill_id)["partitionBackfillOrError"]
        up.sample_memory()
        if until(state):
            return _summary(database, backfill_id, state, requested_at, time.time())
        if time.time() - said > 60:
            done = sum(run["status"] == "SUCCESS" for run in state["runs"])
            say(f"  {time.time() - requested_at:,.0f} s: {state['status']}, {done} of {len(state['runs'])} runs done")
            said = time.time()
        time.sleep(POLL_SECONDS)


def _summary(database: Database, backfill_id: str, state: Any, requested_at: float, now: float) -> Backfill:
    with database.session() as connection:
        rows: list[tuple[Any, ...]] = connection.execute(RUN_TIMES, [backfill_id]).fetchall()
    times = [(float(start), float(end)) for _created, start, end in rows]
    lengths = sorted(end - start for start, end in times)
    first, last = (times[0][0], max(end for _start, end in times)) if times else (now, now)
    return Backfill(
        backfill_id,
        state["status"],
        now - requested_at,
        len(state["runs"]),
        lengths[len(lengths) // 2] if lengths else 0.0,
        covered(times) / (last - first) if times else 0.0,
        first - requested_at,
        now - last,
    )


def covered(times: list[tuple[float, float]]) -> float:
    """Return the length of the union of intervals, which are sorted by their beginnings."""
    total, reached = 0.0, float("-inf")
    for start, end in times:
        total += max(0.0, end - max(start, reached))
        reached = max(reached, end)
    return total
