"""How a thread of Zed is told from other conversations, in each of its forms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from archive_pipeline.readers.declaration import Evidence
from archive_pipeline.readers.json.shapes import as_list, as_object

SOURCE: Final = "zed"
MESSAGES: Final = "messages"
_TEXT_THREADS: Final = frozenset({"context", "conversation"})  # the second until March 2024
_TITLES: Final = ("title", "summary")
_OF_EARLY: Final = frozenset({"id", "role"})
_OWN_OF_EARLY: Final = frozenset({"segments", "tool_uses", "tool_results"})
_COMPACTIONS: Final = frozenset({"Summary", "ProviderNative"})
# Of a thread without messages.
_OWN: Final = frozenset({"request_token_usage", "cumulative_token_usage", "initial_project_snapshot"})


def is_text_thread(value: Mapping[str, Any]) -> bool:
    """Tells a text thread from a thread of the agent."""
    said = value.get("zed")
    return isinstance(said, str) and said in _TEXT_THREADS


def is_variant(item: object) -> bool:
    """Tells a message by the one field that says what it is."""
    if not isinstance(item, dict) or len(item) != 1:
        return False
    said = as_object(item.get("User") or item.get("Agent"))
    return isinstance(said.get("content"), list) or not as_object(item.get("Compaction")).keys().isdisjoint(
        _COMPACTIONS
    )


def recognise(value: Mapping[str, Any]) -> Evidence:
    """Judges rows of the database, a thread as JSON, or a text thread, by what their messages look like."""
    if "database" in value:
        is_own = value["database"] == SOURCE and isinstance(value.get("tables"), dict)
        return Evidence(1.0, "rows of its database") if is_own else Evidence(0.0, "no row of its database")
    if isinstance(value.get("zed"), str):
        return _of_text_thread(value)
    if "updated_at" not in value or value.keys().isdisjoint(_TITLES):
        return Evidence(0.0, "no updated_at beside title or summary")
    return _of_thread(value)


def _of_text_thread(value: Mapping[str, Any]) -> Evidence:
    if is_text_thread(value) and isinstance(value.get("text"), str) and isinstance(value.get(MESSAGES), list):
        return Evidence(1.0, "a text, and messages in it")
    return Evidence(0.1, "zed, but no text and messages in it")


def _of_thread(value: Mapping[str, Any]) -> Evidence:
    messages = value.get(MESSAGES)
    if any(is_variant(item) or _is_early(item) for item in as_list(messages)):
        return Evidence(1.0, "messages as Zed writes them")
    if messages == [] and value.keys() & _OWN:
        return Evidence(0.6, "a thread without messages")
    return Evidence(0.1 if value.keys() & _OWN else 0.0, "no messages with User or Agent, or with segments")


def _is_early(item: object) -> bool:
    fields = as_object(item)
    is_own = fields.keys() >= _OF_EARLY and not fields.keys().isdisjoint(_OWN_OF_EARLY)
    return is_own and type(fields["id"]) is int
