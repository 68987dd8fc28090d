"""Objects of API clients as the mappings that they stand for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

# What a message may have; an object that is no mapping and cannot make one is read by these attributes.
_ATTRIBUTES: Final = (
    "role",
    "content",
    "content_parts",
    "parts",
    "refusal",
    "images",
    "audio",
    "tool_calls",
    "tool_call_id",
    "function_call",
    "attachments",
    "name",
    "model",
)


def as_mapping(value: object) -> Mapping[str, Any] | None:
    """Return a mapping, or what an object says by ``model_dump`` or ``to_dict``; None if it says nothing."""
    if isinstance(value, Mapping):
        return value
    for name in ("model_dump", "to_dict"):
        convert = getattr(value, name, None)
        if callable(convert) and not isinstance(value, type):
            said = convert()
            if isinstance(said, Mapping):
                return said
    return None


def message_mapping(message: object) -> Mapping[str, Any] | None:
    """Return a message as a mapping: what it says itself, else the attributes of an object with role and content."""
    said = as_mapping(message)
    if said is not None:
        return said
    has_content = any(hasattr(message, name) for name in ("content", "content_parts", "parts"))
    if isinstance(message, type) or not (hasattr(message, "role") and has_content):
        return None
    return {name: getattr(message, name) for name in _ATTRIBUTES if getattr(message, name, None) is not None}
