"""Sessions of Crush: its database, of each version. OpenCode's first program, in Go, has the same tables."""

from __future__ import annotations

from typing import Final

from archive_pipeline.readers.crush.database import DATABASE
from archive_pipeline.readers.crush.dialogue import read_session
from archive_pipeline.readers.crush.recognition import SOURCE, recognise
from archive_pipeline.readers.declaration import Reader

READER: Final = Reader(
    SOURCE,
    "Crush sessions (crush.db)",
    1,
    recognise,
    read_session,
    database=DATABASE,
    comes_in_exports=False,
)
