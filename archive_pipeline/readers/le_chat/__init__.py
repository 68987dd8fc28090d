"""Chats of Mistral's Le Chat, which is called Vibe since 2026: files of one chat's messages."""

from archive_pipeline.readers.declaration import Reader
from archive_pipeline.readers.le_chat.dialogue import SOURCE, read_chat
from archive_pipeline.readers.le_chat.recognition import recognise, tree_of

READER = Reader(
    SOURCE,
    "Le Chat's chats (chat-<id>.json)",
    1,
    recognise,
    read_chat,
    tree_of=tree_of,
    comes_in_exports=False,
)
