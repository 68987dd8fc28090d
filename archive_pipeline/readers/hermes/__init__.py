"""Sessions of Hermes Agent: its database, and what its command ``sessions export`` writes of that."""

from __future__ import annotations

from typing import Final

from archive_pipeline.readers.declaration import Reader
from archive_pipeline.readers.hermes.database import DATABASE
from archive_pipeline.readers.hermes.dialogue import read_session
from archive_pipeline.readers.hermes.recognition import SOURCE, recognise

READER: Final = Reader(
    SOURCE,
    "Hermes Agent's database (state.db) or sessions (hermes sessions export)",
    2,
    recognise,
    read_session,
    database=DATABASE,
)
