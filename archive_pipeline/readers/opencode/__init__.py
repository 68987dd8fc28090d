"""Sessions of OpenCode: what its command ``export`` writes, and its database, in the tables of both of its versions.

``database`` brings the rows of a session into the shape of an export, so that there is one reading. Version 1 has
messages with parts, which ``messages`` reads; version 2 has entries of many kinds, which ``entries`` reads.
"""

from __future__ import annotations

from typing import Final

from archive_pipeline.readers.declaration import Reader
from archive_pipeline.readers.opencode.database import DATABASE
from archive_pipeline.readers.opencode.dialogue import read_session
from archive_pipeline.readers.opencode.recognition import SOURCE, recognise

READER: Final = Reader(
    SOURCE,
    "OpenCode sessions (opencode export) or database (opencode.db)",
    2,
    recognise,
    read_session,
    database=DATABASE,
)
