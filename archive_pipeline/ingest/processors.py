"""How many processors this process may use."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_ROOT: Final = Path("/")


def available_processors(root: Path = _ROOT) -> int:
    """Return how many processors the process may run on, and its control groups give it time of; at least 1.

    A share of a processor counts as one.

    Args:
        root: of the file system with ``proc`` and ``sys``.
    """
    own = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min([own, *map(math.ceil, _quotas(root))]))


def _quotas(root: Path) -> Iterator[float]:
    """Yield the processors that each group above the process may keep busy, where that is limited."""
    for line in _read(root / "proc/self/cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers and "cpu" not in controllers.split(","):
            continue
        mounted = root / "sys/fs/cgroup" / ("cpu" if controllers else "")
        group = mounted / path.lstrip("/")
        # In a container the path may be the host's, and what limits it is mounted at the root.
        for folder in (group, *group.parents):
            if folder.is_relative_to(mounted):
                yield from _version_1(folder) if controllers else _version_2(folder)


def _version_2(folder: Path) -> Iterator[float]:
    quota, _, period = _read(folder / "cpu.max").strip().partition(" ")
    if quota.isdecimal() and period.isdecimal():
        yield int(quota) / int(period)


def _version_1(folder: Path) -> Iterator[float]:
    quota, period = (_read(folder / f"cpu.cfs_{name}_us").strip() for name in ("quota", "period"))
    if quota.isdecimal() and period.isdecimal():  # -1: no limit
        yield int(quota) / int(period)


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""
