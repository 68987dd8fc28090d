"""What tests ask of processes that they did not start themselves."""

from __future__ import annotations

import psutil


def has_ended(process: psutil.Process) -> bool:
    """Tell whether a process runs no more; whoever adopted it may never ask for its exit code."""
    try:
        return bool(process.status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True


def command_line(process: psutil.Process) -> list[str]:
    """Return its arguments; [] if it has ended, whether or not anybody asked for its exit code."""
    try:
        return process.cmdline()
    except psutil.NoSuchProcess:
        return []
