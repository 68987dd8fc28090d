"""Processor time of other processes, which says more than a clock on a machine that others use, too."""

from __future__ import annotations

from contextlib import suppress

import psutil

from archive_pipeline.settings import Settings


def server_process(settings: Settings) -> psutil.Process:
    """Return the embedded server, which is running."""
    number = int((settings.postgres_folder / "postmaster.pid").read_text().splitlines()[0])
    return psutil.Process(number)


def tree_seconds(root: psutil.Process) -> float:
    """Return the seconds of a process, of those below it, and of those below it that have ended."""
    seconds = 0.0
    for process in (root, *root.children(recursive=True)):
        with suppress(psutil.Error):  # it has ended meanwhile
            times = process.cpu_times()
            seconds += times.user + times.system + times.children_user + times.children_system
    return seconds
