"""Conversations of the Cursor editor, in its databases ``state.vscdb``, and transcripts of its agents.

``database`` says which of their rows are read, ``rows`` puts those of a conversation together, ``messages`` reads what
Cursor calls a bubble: a prompt, or a piece of an answer. ``transcript`` reads the lines of a transcript.
"""

from __future__ import annotations

from typing import Final

from archive_pipeline.readers.cursor.database import DATABASE, SOURCE
from archive_pipeline.readers.cursor.dialogue import read_conversation, recognise
from archive_pipeline.readers.cursor.transcript import is_line
from archive_pipeline.readers.declaration import Reader

READER: Final = Reader(
    SOURCE,
    "Cursor's database (state.vscdb), transcripts of its agents",
    2,
    recognise,
    read_conversation,
    is_line=is_line,
    database=DATABASE,
    comes_in_exports=False,
)
