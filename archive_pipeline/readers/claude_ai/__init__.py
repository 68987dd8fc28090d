"""Claude.ai's export."""

from archive_pipeline.readers.claude_ai.dialogue import SOURCE, read_conversation
from archive_pipeline.readers.claude_ai.recognition import recognise
from archive_pipeline.readers.declaration import Reader

READER = Reader(SOURCE, "Claude.ai data export (conversations.json)", 4, recognise, read_conversation)
