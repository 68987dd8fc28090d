"""What the process that worker processes are forked from is asked.

Apart from ``fork_server``, which runs as the main module: classes of its own would be others there.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Start:
    """Asks for a worker; the file descriptor of its connection follows. The answer is its process id.

    Attributes:
        is_forked: it is a fork of the server, not another program.
    """

    is_forked: bool


@dataclass(frozen=True, slots=True)
class WaitFor:
    """Asks for the end of a worker, which is ending. The answer is its exit code, negative if a signal ended it."""

    pid: int


Request = Start | WaitFor
