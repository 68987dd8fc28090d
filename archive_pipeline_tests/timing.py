"""Times of functions."""

from __future__ import annotations

import time
from collections.abc import Callable


def best_time(
    function: Callable[[], object], repeats: int = 5, clock: Callable[[], float] = time.perf_counter
) -> float:
    """Return the shortest of some runs, in seconds: the others measure the machine's other work."""
    times = []
    for _ in range(repeats):
        start = clock()
        function()
        times.append(clock() - start)
    return min(times)
