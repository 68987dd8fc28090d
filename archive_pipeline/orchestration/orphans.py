"""Runs whose process was killed: nobody but the process itself would ever mark them as ended.

A run in a command's own process is no business of Dagster's launcher, so its daemon cannot know that the process is
gone, and the UI would show the run as under way for ever. Each such run is tagged with its process.
"""

from __future__ import annotations

import socket
from typing import Final

import dagster as dg
import psutil

PROCESS_TAG: Final = "archive/process"
_UNDER_WAY: Final = [dg.DagsterRunStatus.NOT_STARTED, dg.DagsterRunStatus.STARTED]


def process_tag() -> dict[str, str]:
    """Return the tag of runs in this process."""
    process = psutil.Process()
    return {PROCESS_TAG: _identity(process)}


def fail_orphans(instance: dg.DagsterInstance) -> list[str]:
    """Mark runs of killed processes of this machine as failed; return their ids."""
    orphans = [run for run in instance.get_runs(dg.RunsFilter(statuses=_UNDER_WAY)) if _is_orphan(run)]
    for run in orphans:
        instance.report_run_failed(run, "The process of this run was killed. What it had built is kept.")
    return [run.run_id for run in orphans]


def _is_orphan(run: dg.DagsterRun) -> bool:
    host, _, rest = run.tags.get(PROCESS_TAG, "").partition(":")
    if host != socket.gethostname():
        return False
    try:
        process = psutil.Process(int(rest.partition(":")[0]))
        return _identity(process) != run.tags[PROCESS_TAG] or process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def _identity(process: psutil.Process) -> str:
    # Numbers of processes are used again; with the time of its start a process is unique.
    return f"{socket.gethostname()}:{process.pid}:{process.create_time():.2f}"
