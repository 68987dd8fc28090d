"""What the process that worker processes are forked from is asked.

Apart from ``fork_server``: who asks imports nothing of what is loaded there.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Final

# Elsewhere a fork without a new program may not use libraries of the system.
CAN_FORK: Final = sys.platform == "linux"


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
