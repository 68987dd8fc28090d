"""ChatGPT's export."""

from archive_pipeline.readers.chatgpt.dialogue import SOURCE, read_conversation
from archive_pipeline.readers.chatgpt.recognition import recognise
from archive_pipeline.readers.declaration import Reader

READER = Reader(SOURCE, "ChatGPT data export (conversations.json)", 4, recognise, read_conversation)
