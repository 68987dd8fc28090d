"""What speaks for an object being a conversation of LibreChat."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from archive_pipeline.readers.declaration import Evidence
from archive_pipeline.readers.json.fields import is_empty
from archive_pipeline.readers.json.shapes import as_list

# Where an export has its messages: the first that has some.
MESSAGES: Final = ("messagesTree", "messages")
_OF_MESSAGE: Final = frozenset({"messageId", "isCreatedByUser"})
_OF_EXPORT: Final = frozenset({"exportAt", "branches", "recursive"})


def messages_field(value: Mapping[str, Any]) -> str | None:
    """Returns the name of the field that has the messages; None if none is an array."""
    named = [name for name in MESSAGES if isinstance(value.get(name), list)]
    return next((name for name in named if value[name]), named[0] if named else None)


def recognise(value: Mapping[str, Any]) -> Evidence:
    """Judges an object by its messages: LibreChat's say whether the user made them."""
    if "conversationId" not in value:
        return Evidence(0.0, "no conversationId")
    messages = as_list(value.get(messages_field(value) or ""))
    if any(isinstance(item, dict) and item.keys() >= _OF_MESSAGE for item in messages):
        return Evidence(1.0, "messages with messageId and isCreatedByUser")
    if not value.keys() >= _OF_EXPORT:
        return Evidence(0.0, "no messages with messageId and isCreatedByUser")
    if all(map(is_empty, messages)):
        return Evidence(0.6, "an export without messages")
    return Evidence(0.1, "an export, but no messages with messageId and isCreatedByUser")
