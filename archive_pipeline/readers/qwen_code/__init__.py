"""Sessions of Qwen Code, as its files of lines have them."""

from archive_pipeline.readers.declaration import Reader
from archive_pipeline.readers.qwen_code.dialogue import SOURCE, read_session
from archive_pipeline.readers.qwen_code.recognition import is_line, recognise

READER = Reader(SOURCE, "Qwen Code sessions (chats/<id>.jsonl)", 1, recognise, read_session, is_line=is_line)
