"""LM Studio's conversations, as its files have them."""

from __future__ import annotations

from typing import Final

from archive_pipeline.readers.declaration import Reader
from archive_pipeline.readers.lm_studio.dialogue import SOURCE, read_conversation
from archive_pipeline.readers.lm_studio.recognition import recognise

READER: Final = Reader(
    SOURCE,
    "LM Studio conversations (<id>.conversation.json)",
    1,
    recognise,
    read_conversation,
    comes_in_exports=False,
)
