"""Sessions of Pi, as its session files have them, and of OpenClaw, which is built on it, also in its database."""

from archive_pipeline.readers.declaration import Reader
from archive_pipeline.readers.pi.database import DATABASE
from archive_pipeline.readers.pi.dialogue import read_session
from archive_pipeline.readers.pi.recognition import SOURCE, is_line, recognise

READER = Reader(
    SOURCE,
    "Pi sessions (<time>_<id>.jsonl, openclaw-agent.sqlite)",
    4,
    recognise,
    read_session,
    is_line=is_line,
    database=DATABASE,
)
