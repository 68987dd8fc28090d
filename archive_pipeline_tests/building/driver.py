"""A build in a process of its own, which tests end in the middle."""

from __future__ import annotations

import subprocess
import sys
from typing import Final

from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database

# The URL comes by standard input: everybody may read arguments.
_PROGRAM: Final = """
import sys
from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.building.dialogue_source import DIALOGUES
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
DIALOGUES.max_items = 1
build_stale(Database(sys.stdin.readline()), Settings(home=sys.argv[1], executor=sys.argv[2], workers=2))
"""


def start_build(database: Database, settings: Settings, executor: str) -> subprocess.Popen[str]:
    """Start a build of all that is stale, a chunk for each dialogue, by two workers of an executor."""
    driver = subprocess.Popen(
        [sys.executable, "-c", _PROGRAM, settings.home, executor],
        stdin=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert driver.stdin is not None
    driver.stdin.write(database.url)
    driver.stdin.close()
    return driver
