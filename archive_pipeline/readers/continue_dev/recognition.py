"""What speaks for an object being a session of Continue."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from archive_pipeline.readers.declaration import Evidence
from archive_pipeline.readers.json.fields import is_empty
from archive_pipeline.readers.json.shapes import as_object

SOURCE: Final = "continue"
HISTORY: Final = "history"
_OF_SESSION: Final = frozenset({"sessionId", "title", "workspaceDirectory"})
_BESIDE: Final = frozenset({"contextItems", "editorState", "toolCallStates", "toolCallState", "promptLogs"})
_OF_INDEX: Final = frozenset({"sessionId", "title", "dateCreated"})


def recognise(value: Mapping[str, Any]) -> Evidence:
    """Judges an object by its history, whose items have a message and what came with it."""
    history = value.get(HISTORY)
    if not isinstance(history, list):
        return Evidence(0.0, _other(value))
    is_session = value.keys() >= _OF_SESSION
    if any(_is_item(item, is_session=is_session) for item in history):
        return Evidence(1.0, "a history of messages with a role and content")
    if is_session and all(map(is_empty, history)):
        return Evidence(0.6, "a session without messages")
    return Evidence(0.1 if is_session else 0.0, "a history, but no message with role and content in it")


def _is_item(item: object, *, is_session: bool) -> bool:
    fields = as_object(item)
    message = as_object(fields.get("message"))
    is_own = is_session or not fields.keys().isdisjoint(_BESIDE)
    return is_own and isinstance(message.get("role"), str) and "content" in message


def _other(value: Mapping[str, Any]) -> str:
    """Returns what an object is that has no history: an entry of the list of sessions, or nothing of Continue."""
    return "an entry of a list of sessions, without history" if value.keys() >= _OF_INDEX else "no history"
