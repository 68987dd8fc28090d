"""What is read of Cursor's databases: entries of conversations alone.

Beside them stand tokens and settings, contents of files, and what agents work with, which may be gigabytes. Other
editors made of VS Code have a database of the same name, without the table of Cursor's own. Early versions of Cursor
had no such table either: their database is told by the key of its chats.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from archive_pipeline.readers.declaration import DatabaseReader, Entries
from archive_pipeline.readers.json.fields import is_empty
from archive_pipeline.readers.json.shapes import as_object

SOURCE: Final = "cursor"
# Newer versions have a row for each conversation and for each of its messages, older ones all of a folder in one.
NEWER: Final = "cursorDiskKV"
OLDER: Final = "ItemTable"
HEADS: Final = "composerHeaders"
KEY: Final = "key"
VALUE: Final = "value"
COMPOSER: Final = "composerData"
BUBBLE: Final = "bubbleId"
_ID: Final = "composerId"
# The messages of a conversation that are in its own value: in the order that they were written in.
INLINE: Final = ("conversation", "bubbles")
# Those that are rows, in their order; and those of some versions, by id.
HEADERS: Final = "fullConversationHeadersOnly"
BY_ID: Final = "conversationMap"
# Entries that have several conversations, by the field that has them.
_SEVERAL: Final = ("tabs", "allComposers")
# Keys to what Cursor keeps elsewhere.
_SECRETS: Final = frozenset({"blobEncryptionKey", "speculativeSummarizationEncryptionKey"})
_OF_VALUES: Final = frozenset({KEY, VALUE})
_OF_NEWER: Final = re.compile(rf"(?:{COMPOSER}|{BUBBLE}):(?P<conversation>[^:]+)(?::.+)?", re.DOTALL)
_OF_OLDER: Final = re.compile(
    r"(?P<conversation>workbench\.panel\.aichat\.view\.aichat\.chatdata|composer\.composerData)"
)


def said(value: Any) -> list[Any]:
    """Returns the conversations in a value; none of a prompt that was never sent."""
    fields = as_object(value)
    for name in () if _ID in fields else _SEVERAL:  # a conversation may have tabs of the editor
        if isinstance(fields.get(name), list):
            return [item for item in fields[name] if _says_something(item)]
    return [value] if _says_something(value) else []


def _says_something(value: object) -> bool:
    """Tells whether a value has or claims messages, or is one; what is no object is for the reader to reject."""
    if not isinstance(value, dict):
        return not is_empty(value)
    fields: Mapping[str, Any] = value
    messages = (*INLINE, HEADERS, BY_ID)
    return BUBBLE in fields or type(fields.get("type")) is int or any(not is_empty(fields.get(m)) for m in messages)


def ids_in(key: str) -> list[str]:
    """Returns what a key names: the kind of its entry, the conversation, the message."""
    return key.split(":", 2)


DATABASE: Final = DatabaseReader(
    layouts=({NEWER: _OF_VALUES}, {OLDER: _OF_VALUES}),
    keys={OLDER: ("conversation",), HEADS: ("composerId",), NEWER: ("conversation",)},
    conversations="sources/cursor/conversations",
    rows="sources/cursor/rows",
    json={HEADS: frozenset({VALUE})},
    entries={
        NEWER: Entries(KEY, VALUE, _OF_NEWER, is_own=True, said=said),
        OLDER: Entries(KEY, VALUE, _OF_OLDER, is_own=False, said=said),
    },
    secrets=_SECRETS,
)
