"""LibreChat's export of a conversation."""

from archive_pipeline.readers.declaration import Reader
from archive_pipeline.readers.librechat.dialogue import SOURCE, read_conversation
from archive_pipeline.readers.librechat.recognition import recognise

READER = Reader(SOURCE, "LibreChat conversation export (<title>.json)", 5, recognise, read_conversation)
