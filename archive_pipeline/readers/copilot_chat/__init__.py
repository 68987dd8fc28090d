"""Sessions of GitHub Copilot Chat in VS Code: exported, stored as one object, or as a log of changes."""

from archive_pipeline.readers.copilot_chat.dialogue import SOURCE, read_session
from archive_pipeline.readers.copilot_chat.recognition import is_line, recognise
from archive_pipeline.readers.declaration import Reader

READER = Reader(
    SOURCE,
    "GitHub Copilot Chat in VS Code (chat.json, chatSessions/*.json and *.jsonl)",
    2,
    recognise,
    read_session,
    is_line=is_line,
)
