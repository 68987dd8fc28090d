"""Programs of the project: what each does before it imports the rest, and how one starts another.

``python -m archive_pipeline.program MODULE ARGUMENTS`` runs the ``main`` of a module as the program would by itself.
"""

from __future__ import annotations

import gc
import sys
from importlib import import_module
from typing import Final

# Containers that are made between two looks for garbage. Importing Dagster makes half a million of them, which stay.
OBJECTS_BETWEEN: Final = 100_000


def collect_seldom() -> None:
    """Look for garbage seldom from here on: it took a fifth of the time in which a program starts."""
    gc.set_threshold(OBJECTS_BETWEEN, *gc.get_threshold()[1:])


def command(module: str, *arguments: str) -> list[str]:
    """Return the command that runs a module of the project in a process of its own, by this Python.

    No module comes from the present folder, which may hold anything.
    """
    return [sys.executable, "-P", "-m", __name__, module, *arguments]


def _run() -> None:
    collect_seldom()
    module = import_module(sys.argv.pop(1))
    module.main()


if __name__ == "__main__":
    _run()
