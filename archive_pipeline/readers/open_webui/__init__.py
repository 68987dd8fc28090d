"""Open WebUI's export, and its own database."""

from archive_pipeline.readers.declaration import Reader
from archive_pipeline.readers.open_webui.database import DATABASE
from archive_pipeline.readers.open_webui.dialogue import SOURCE, read_conversation
from archive_pipeline.readers.open_webui.recognition import recognise

READER = Reader(
    SOURCE,
    "Open WebUI chats export (chat-export-….json) or database (webui.db)",
    4,
    recognise,
    read_conversation,
    database=DATABASE,
)
