"""Sessions of OpenAI's Codex, as its rollout files have them."""

from archive_pipeline.readers.codex.dialogue import SOURCE, read_session
from archive_pipeline.readers.codex.recognition import is_copy, is_line, recognise
from archive_pipeline.readers.declaration import Reader

READER = Reader(
    SOURCE,
    "OpenAI Codex sessions (rollout-*.jsonl)",
    4,
    recognise,
    read_session,
    is_line=is_line,
    is_copy=is_copy,
)
