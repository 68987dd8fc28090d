"""Sessions of Goose: its database, files of lines of earlier versions, and what ``session export`` writes."""

from __future__ import annotations

from typing import Final

from archive_pipeline.readers.declaration import Reader
from archive_pipeline.readers.goose.database import DATABASE
from archive_pipeline.readers.goose.dialogue import read_session
from archive_pipeline.readers.goose.recognition import SOURCE, is_line, recognise

READER: Final = Reader(
    SOURCE,
    "Goose sessions (sessions.db, <session>.jsonl, goose session export)",
    1,
    recognise,
    read_session,
    is_line=is_line,
    database=DATABASE,
)
