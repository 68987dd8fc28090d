"""What is read of Zed's database: its threads, each with all that is said in it as JSON, compressed or not."""

from __future__ import annotations

from typing import Final

from archive_pipeline.readers.declaration import DatabaseReader

THREADS: Final = "threads"
DATA: Final = "data"
DATABASE: Final = DatabaseReader(
    layouts=({THREADS: frozenset({"id", "summary", "updated_at", "data_type", DATA})},),
    keys={THREADS: ("id",)},
    conversations="sources/zed/conversations",
    rows="sources/zed/rows",
    packed={THREADS: frozenset({DATA})},
)
