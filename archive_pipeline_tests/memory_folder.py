"""A folder in memory for the files of tests, which make and remove some hundred servers."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from pathlib import Path
from typing import Final

import psutil

from archive_pipeline.domain.control_groups import ROOT, memory_limits

SHARED_MEMORY: Final = Path("/dev/shm")  # noqa: S108 - a folder of its own is made in it
# A whole suite leaves some 5 GB, and its processes take about as much.
_LEAST_ROOM_BYTES: Final = 10 * 1024**3
_LEAST_MEMORY_BYTES: Final = 16 * 1024**3


def has_room(folder: Path, root: Path = ROOT) -> bool:
    """Tell whether the files of a suite have room in a folder in memory, and programs may be started from there.

    Args:
        folder: of a file system in memory.
        root: of the file system with ``proc`` and ``sys``.
    """
    if not os.access(folder, os.W_OK | os.X_OK):
        return False
    system = os.statvfs(folder)
    memory = min([psutil.virtual_memory().available, *memory_limits(root)])
    may_execute = not system.f_flag & os.ST_NOEXEC
    return may_execute and system.f_bavail * system.f_frsize >= _LEAST_ROOM_BYTES and memory >= _LEAST_MEMORY_BYTES


def new_folder(above: Path) -> Path:
    """Make a folder that goes with this process, after all else that it does at its end, such as stopping servers."""
    folder = Path(tempfile.mkdtemp(prefix="pytest-", dir=above))
    atexit.register(_remove, folder, os.getpid())
    return folder


def _remove(folder: Path, owner: int) -> None:
    if os.getpid() == owner:  # and no process that this one forked
        shutil.rmtree(folder, ignore_errors=True)
