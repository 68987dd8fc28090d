"""Tasks of Cline, Roo Code and Kilo Code in VS Code, and sessions of Cline from version 4 on."""

from __future__ import annotations

from typing import Final

from archive_pipeline.readers.cline.dialogue import SOURCE, read_task
from archive_pipeline.readers.cline.recognition import AGENTS_MESSAGES, HISTORY, MESSAGES_FILE, recognise
from archive_pipeline.readers.declaration import Reader

READER: Final = Reader(
    SOURCE,
    "Tasks of Cline, Roo Code and Kilo Code (api_conversation_history.json, <session>.messages.json)",
    2,
    recognise,
    read_task,
    message_files=frozenset({HISTORY}),
    named_files={MESSAGES_FILE: AGENTS_MESSAGES},
    comes_in_exports=False,
)
