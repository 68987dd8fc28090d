"""Sessions of Factory's Droid, as its session files have them."""

from archive_pipeline.readers.declaration import Reader
from archive_pipeline.readers.droid.dialogue import SOURCE, read_session
from archive_pipeline.readers.droid.recognition import is_line, recognise

READER = Reader(SOURCE, "Factory Droid sessions (<id>.jsonl)", 1, recognise, read_session, is_line=is_line)
