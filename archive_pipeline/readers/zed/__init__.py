"""Threads of Zed's agent, of its database and as JSON, and the text threads that it keeps as files."""

from __future__ import annotations

from typing import Final

from archive_pipeline.readers.declaration import Reader
from archive_pipeline.readers.zed.database import DATABASE
from archive_pipeline.readers.zed.dialogue import read_thread
from archive_pipeline.readers.zed.recognition import SOURCE, recognise

READER: Final = Reader(
    SOURCE,
    "Zed's agent threads (threads.db) and text threads (<title>.zed.json)",
    1,
    recognise,
    read_thread,
    database=DATABASE,
    comes_in_exports=False,
)
