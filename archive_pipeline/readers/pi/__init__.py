"""Sessions of Pi, as its session files have them."""

from archive_pipeline.readers.declaration import Reader
from archive_pipeline.readers.pi.dialogue import SOURCE, read_session
from archive_pipeline.readers.pi.recognition import is_line, recognise

READER = Reader(SOURCE, "Pi sessions (<time>_<id>.jsonl)", 2, recognise, read_session, is_line=is_line)
