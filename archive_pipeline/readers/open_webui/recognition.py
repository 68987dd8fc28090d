"""What speaks for an object being a chat of Open WebUI."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from archive_pipeline.readers.declaration import Evidence
from archive_pipeline.readers.json.shapes import as_list, as_object

# Links that its messages have and those of others do not, by these names.
_LINKS: Final = frozenset({"parentId", "childrenIds"})
# Beside the chat, what tells one without messages.
_OWN_FIELDS: Final = frozenset({"user_id", "title", "share_id", "folder_id", "archived", "pinned"})


def chat_of(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns the chat of a row of the export, or the object itself if it is the chat alone."""
    chat = value.get("chat")
    return chat if isinstance(chat, dict) else value


def recognise(value: Mapping[str, Any]) -> Evidence:
    """Judges an object by its messages: those of a history that is a tree, or of a list."""
    chat = chat_of(value)
    history = chat.get("history")
    is_row = chat is not value
    if not is_row and not isinstance(history, dict):
        return Evidence(0.0, "no chat, and no history")
    nodes = as_object(as_object(history).get("messages"))
    if _have_links(nodes.values()):
        return Evidence(1.0, "messages with parentId in a history")
    if is_row and _have_links(as_list(chat.get("messages"))):
        return Evidence(0.9, "messages with parentId in a chat")
    if is_row and _speak(as_list(chat.get("messages"))) and not _OWN_FIELDS.isdisjoint(value):
        return Evidence(0.7, "messages with role and content in a chat")
    if is_row and "history" in chat and not nodes and not _OWN_FIELDS.isdisjoint(value):
        return Evidence(0.6, "a chat without messages, and whose it is")
    return Evidence(0.1 if is_row else 0.0, "a chat, but no messages with parentId")


def _have_links(messages: Iterable[object]) -> bool:
    return any(isinstance(item, dict) and "role" in item and not _LINKS.isdisjoint(item) for item in messages)


def _speak(messages: Iterable[object]) -> bool:
    return any(isinstance(item, dict) and "role" in item and "content" in item for item in messages)
