"""How a task of Cline and its forks is told, by the name of its file, and a session by what it says of itself."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from archive_pipeline.readers.declaration import Evidence
from archive_pipeline.readers.json.shapes import as_object, as_text
from archive_pipeline.readers.message_files import FILE, MESSAGES

# An array of messages as they are sent to the model, which no other product has by this name.
HISTORY: Final = "api_conversation_history.json"
# The end of the names of sessions' files; those of agents that a session started say the session's id inside.
MESSAGES_FILE: Final = ".messages.json"
AGENTS_MESSAGES: Final = re.compile(
    rb'\s*\{(?:\s*"[a-z_]+"\s*:\s*(?:"[^"\\]*"|\d+)\s*,){0,8}?\s*"agent"\s*:\s*"(?:subagent|teammate)"\s*,',
    re.IGNORECASE,
)
_ROLES: Final = frozenset({"user", "assistant"})
TEAMMATE: Final = "teammate"
AGENTS: Final = frozenset({"subagent", TEAMMATE})
_LEAD: Final = "lead"


def recognise(value: Mapping[str, Any]) -> Evidence:
    """Judges an object by its messages, and by its file or the contract of Cline's sessions."""
    messages = value.get(MESSAGES)
    if not isinstance(messages, list):
        return Evidence(0.0, "no messages")
    if value.get(FILE) == HISTORY:
        return _judged(messages, f"messages of {HISTORY}")
    is_session = isinstance(value.get("sessionId"), str) and "version" in value
    if not is_session or as_text(value.get("agent")) not in AGENTS | {_LEAD}:
        return Evidence(0.0, "messages of no task")
    return _judged(messages, "a session, with messages")


def _judged(messages: list[Any], what: str) -> Evidence:
    if any(map(_is_message, messages)):
        return Evidence(1.0, what)
    return Evidence(0.1, f"{what}, but none with role and content") if messages else Evidence(0.6, f"{what}: none")


def _is_message(item: object) -> bool:
    message = as_object(item)
    role = message.get("role")
    return isinstance(role, str) and role in _ROLES and "content" in message
