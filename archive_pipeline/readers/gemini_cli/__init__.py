"""Sessions of Gemini CLI."""

from archive_pipeline.readers.declaration import Reader
from archive_pipeline.readers.gemini_cli.dialogue import SOURCE, read_session
from archive_pipeline.readers.gemini_cli.recognition import is_line, recognise

READER = Reader(
    SOURCE, "Gemini CLI sessions (chats/session-….jsonl, …/session-….json)", 4, recognise, read_session, is_line=is_line
)
