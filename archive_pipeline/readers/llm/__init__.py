"""The log database of the command ``llm`` (``logs.db``): both of its layouts, and conversations that are in both.

``databases`` hands on each conversation as an object with its rows. ``responses`` reads the layout before 0.32, one
row per prompt and answer; ``message_store`` the later one, messages by hash; ``dialogue`` makes one dialogue of both.
"""

from __future__ import annotations

from typing import Final

from archive_pipeline.readers.declaration import Reader
from archive_pipeline.readers.llm.database import DATABASE
from archive_pipeline.readers.llm.dialogue import read_conversation
from archive_pipeline.readers.llm.recognition import SOURCE, recognise

READER: Final = Reader(
    SOURCE,
    "Log database of the command llm (logs.db)",
    1,
    recognise,
    read_conversation,
    database=DATABASE,
)
