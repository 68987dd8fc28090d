"""Arrays of messages that no object is around: which of them are a conversation that no product has written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from archive_pipeline.readers.chat_lines.wording import ROLES_OF_DATASETS
from archive_pipeline.readers.json.fields import is_empty

_SPEAKERS: Final = ("role", "from")
# Lists of prompts for the system are no conversation.
_SPEAKING: Final = frozenset({"user", "assistant"})
# By which messages of several conversations name theirs.
IDS_OF_CONVERSATIONS: Final = (
    *("conversationId", "conversation_id", "chatId", "chat_id", "sessionId", "session_id", "sessionID"),
    *("threadId", "thread_id"),
)


def is_bare(messages: Iterable[Mapping[str, Any]]) -> bool:
    """Tells whether the user or the model speaks in messages, and none names a conversation that it is of."""
    listed = list(messages)
    is_named = any(not is_empty(message.get(name)) for message in listed for name in IDS_OF_CONVERSATIONS)
    return not is_named and any(map(_is_spoken, listed))


def names_a_speaker(item: Mapping[str, Any]) -> bool:
    """Tells whether an entry may be a message, and so is no conversation by itself."""
    return any(isinstance(item.get(name), str) for name in _SPEAKERS)


def _is_spoken(message: Mapping[str, Any]) -> bool:
    words = (message.get(name) for name in _SPEAKERS)
    return any(isinstance(word, str) and ROLES_OF_DATASETS.get(word.lower()) in _SPEAKING for word in words)
