"""Processes of ours that work for this one and end with it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final

import archive_pipeline
from archive_pipeline.program import command

_NOTHING: Final[Mapping[str, str]] = {}


def start_child(
    module: str, connection: Connection[Any, Any], environment: Mapping[str, str] = _NOTHING
) -> subprocess.Popen[bytes]:
    """Start a module of ours in a process of its own, which is given a connection and closes with it.

    Nothing else is in its arguments, where everybody could read it. It is another program, not a fork, so it does not
    matter what threads this process has, what it runs, and whether it is a child itself.

    Args:
        module: its name; its ``main`` takes the file descriptor of the connection from the first argument.
        connection: the child's end; the caller closes it when the process runs.
        environment: what it has besides this process's.
    """
    package = str(Path(archive_pipeline.__file__).resolve().parent.parent)
    return subprocess.Popen(  # noqa: S603 (this Python and a module of ours)
        command(module, str(connection.fileno())),
        stdin=subprocess.DEVNULL,
        pass_fds=[connection.fileno()],
        env={
            **os.environ,
            **environment,
            "PYTHONPATH": os.pathsep.join([package, os.environ.get("PYTHONPATH", "")]),
        },
        process_group=0,  # Ctrl-C is for this process, which ends the other one
    )


def ending(process: subprocess.Popen[bytes], timeout: float) -> str:
    """Wait for a process that is ending, and say how it ended."""
    return how_ended(process.wait(timeout))


def how_ended(code: int) -> str:
    """Say how a process ended, by its exit code, which is negative if a signal ended it."""
    return f"by signal {-code}, as the system does when memory is short" if code < 0 else f"with code {code}"
