"""What tests ask of processes that they did not start themselves."""

from __future__ import annotations

from typing import Final

import psutil

_FORK_SERVER: Final = "archive_pipeline.building.executors.fork_server"


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


def fork_servers(of: int | None = None) -> list[psutil.Process]:
    """Return what a process, by default this one, has started to start its workers."""
    return [child for child in psutil.Process(of).children() if _FORK_SERVER in " ".join(command_line(child))]


def workers(of: int | None = None) -> list[psutil.Process]:
    """Return the running worker processes of a process, by default of this one."""
    return [worker for server in fork_servers(of) for worker in server.children() if not has_ended(worker)]
