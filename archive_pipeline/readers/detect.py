"""Tells from a record's content, never from a file's name, which vendor's conversation it is.

A record is strong evidence if it carries messages the way one vendor does, and weak evidence if it only looks like a
conversation that has lost them. Files are judged in ``reading``; here stands what one record says.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

SOURCES = ("chatgpt", "claude_ai")
Evidence = Literal["strong", "weak", "none"]

# Fields of the objects that share their names with a conversation: projects and users of a Claude.ai export.
_NOT_A_CLAUDE_CONVERSATION = frozenset(
    {"docs", "creator", "prompt_template", "is_private", "is_starter_project", "email_address", "full_name"}
)


def recognise(value: object) -> tuple[str | None, Evidence]:
    """Returns the source a record speaks for, and how clearly."""
    if not isinstance(value, dict):
        return None, "none"
    if isinstance(value.get("mapping"), dict):
        return "chatgpt", "strong"
    if isinstance(value.get("chat_messages"), list):
        return "claude_ai", "strong"
    if _is_weak_claude(value):
        return "claude_ai", "weak"
    if _is_weak_chatgpt(value):
        return "chatgpt", "weak"
    return None, "none"


def _is_weak_claude(value: Mapping[str, object]) -> bool:
    if "chat_messages" in value:
        return True
    named = "uuid" in value and "name" in value and ("account" in value or "created_at" in value)
    return named and not _NOT_A_CLAUDE_CONVERSATION.intersection(value)


def _is_weak_chatgpt(value: Mapping[str, object]) -> bool:
    if "mapping" in value:
        return True
    return "title" in value and "create_time" in value and ("id" in value or "conversation_id" in value)


def shape_of(value: object) -> str:
    """Describes a value that is no conversation, for the reason of its rejection."""
    if isinstance(value, dict):
        keys = ", ".join(str(key)[:40] for key in list(value)[:5])
        return f"an object with keys {keys}" if keys else "an object without keys"
    names = {list: "an array", str: "a string", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")
