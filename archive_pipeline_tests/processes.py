"""What tests ask of processes that they did not start themselves."""

from __future__ import annotations

import psutil


def has_ended(process: psutil.Process) -> bool:
    """Tell whether a process runs no more; whoever adopted it may never ask for its exit code."""
    try:
        return bool(process.status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True
