"""How many processors this process may use."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from pathlib import Path

from archive_pipeline.domain.control_groups import ROOT, control_groups


def available_processors(root: Path = ROOT) -> int:
    """Return how many processors the process may run on, and its control groups give it time of; at least 1.

    A share of a processor counts as one.

    Args:
        root: of the file system with ``proc`` and ``sys``.
    """
    own = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min([own, *map(math.ceil, _quotas(root))]))


def _quotas(root: Path) -> Iterator[float]:
    """Yield the processors that each group above the process may keep busy, where that is limited."""
    for group in control_groups("cpu", root):
        if group.version == 1:
            quota, period = group.read("cpu.cfs_quota_us"), group.read("cpu.cfs_period_us")
        else:
            quota, _, period = group.read("cpu.max").partition(" ")
        if quota.isdecimal() and period.isdecimal():  # -1 or "max": no limit
            yield int(quota) / int(period)
