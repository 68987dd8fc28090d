"""Claude Code's sessions."""

from archive_pipeline.readers.claude_code.dialogue import SOURCE, read_session
from archive_pipeline.readers.claude_code.recognition import is_line, recognise
from archive_pipeline.readers.declaration import Reader

READER = Reader(
    SOURCE, "Claude Code sessions (~/.claude/projects/*/*.jsonl)", 3, recognise, read_session, is_line=is_line
)
