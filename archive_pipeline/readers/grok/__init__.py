"""Grok's export."""

from archive_pipeline.readers.declaration import Reader
from archive_pipeline.readers.grok.dialogue import SOURCE, read_conversation, recognise

READER = Reader(
    SOURCE,
    "Grok data export (prod-grok-backend.json)",
    4,
    recognise,
    read_conversation,
    beside=frozenset({"projects", "tasks", "media_posts", "workspaces"}),
)
