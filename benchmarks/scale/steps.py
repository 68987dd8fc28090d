"""What each step of a benchmark takes: time, and processor time of Python and of the server."""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

import psutil

from archive_pipeline.settings import Settings
from benchmarks.processor import server_process, tree_seconds


@dataclass(frozen=True)
class Step:
    """What a step took.

    Attributes:
        seconds: wall time.
        ours: processor seconds of Python, workers included.
        postgres: processor seconds of the server.
        rows: written by COPY, 0 where that was not counted.
    """

    seconds: float
    ours: float
    postgres: float
    rows: int


class Steps:
    """Measures one step after another."""

    def __init__(self, settings: Settings) -> None:
        self._server = server_process(settings)
        self.steps: dict[str, Step] = {}

    def measure(self, name: str, work: Callable[[], int]) -> None:
        """Do something that returns rows written; a step that is measured again is added to."""
        before, started = self._spent(), time.perf_counter()
        rows = work()
        seconds = time.perf_counter() - started
        ours, postgres = (after - earlier for after, earlier in zip(self._spent(), before, strict=True))
        known = self.steps.get(name, Step(0, 0, 0, 0))
        self.steps[name] = Step(
            known.seconds + seconds, known.ours + ours, known.postgres + postgres, known.rows + rows
        )
        step = f"{name:<20}{seconds:>8,.1f} s, ours {ours:,.1f}, PostgreSQL {postgres:,.1f}, {rows:,} rows"
        print(f"{step}; peak memory so far: {peak_megabytes(resource.RUSAGE_SELF):,} MB", file=sys.stderr)

    def _spent(self) -> tuple[float, float]:
        return tree_seconds(psutil.Process()), tree_seconds(self._server)


def peak_megabytes(who: int) -> int:
    """Return the most memory that this process (``RUSAGE_SELF``) or those that it has started had, one of them."""
    return round(resource.getrusage(who).ru_maxrss / 1024)
