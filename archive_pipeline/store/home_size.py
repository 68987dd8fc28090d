"""How much room a home takes, by what takes it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

# Beginnings of paths in the home, the longer ones first; what begins otherwise is the rest.
_PARTS: Final = (
    ("postgres/pg_wal", "write_ahead_log"),
    ("postgres/log", "logs"),
    ("postgres", "database"),
    ("chroma", "vector_store"),
    ("documents", "page_images"),
    ("attachments", "attached_files"),
    ("imports", "drop_folder"),
    ("storage", "logs"),
    ("logs", "logs"),
    ("history", "logs"),
)
REST: Final = "other"


def home_sizes(home: Path) -> dict[str, int]:
    """Return the bytes of each part of a home, in a fixed order; a database elsewhere is none of its parts."""
    sizes = dict.fromkeys([*(part for _beginning, part in _PARTS), REST], 0)
    for path in _files_below(home):
        with suppress(FileNotFoundError):  # servers work meanwhile
            sizes[_part_of(path.relative_to(home))] += path.lstat().st_size
    return sizes


def _part_of(path: Path) -> str:
    return next((part for beginning, part in _PARTS if path.is_relative_to(beginning)), REST)


def _files_below(home: Path) -> Iterator[Path]:
    for folder, _names, files in os.walk(home):
        yield from (Path(folder, name) for name in files)
