"""How a message of Le Chat is told: by the chat that it names, and by its chunks or its version and reaction."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from archive_pipeline.readers.declaration import Evidence
from archive_pipeline.readers.gathered import MESSAGES, TREE
from archive_pipeline.readers.json.shapes import as_identifier, as_object

CHAT: Final = "chatId"
CHUNKS: Final = "contentChunks"
# What messages have beside the chat's id where they lack the chunks.
_OWN_FIELDS: Final = frozenset({"version", "reaction"})


def recognise(value: Mapping[str, Any]) -> Evidence:
    """Judges an object by its messages."""
    items = value.get(MESSAGES)
    if not isinstance(items, list):
        return Evidence(0.0, "no messages")
    if any(_is_message(as_object(item)) for item in items):
        return Evidence(1.0, "messages of a chat, with chunks")
    is_likely = TREE in value and any(CHAT in as_object(item) for item in items)
    return Evidence(0.1 if is_likely else 0.0, "messages, but none with a chatId and contentChunks")


def tree_of(value: Mapping[str, Any], before: str | None) -> str | None:
    """Returns the chat that a message belongs to, by its own id or that of the one before; None of what is none."""
    return (as_identifier(value[CHAT]) or before) if _is_message(value) else None


def _is_message(value: Mapping[str, Any]) -> bool:
    if CHAT not in value or not isinstance(value.get("role"), str):
        return False
    return CHUNKS in value or value.keys() >= _OWN_FIELDS
