"""How a tree of Open Assistant is told, and a message that stands alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from archive_pipeline.domain.records import Role
from archive_pipeline.readers.declaration import Evidence
from archive_pipeline.readers.gathered import MESSAGES, TREE
from archive_pipeline.readers.json.shapes import as_identifier, as_object

PROMPT: Final = "prompt"
TREE_ID: Final = "message_tree_id"
ROLES: Final[Mapping[str, Role]] = {"prompter": "user", "assistant": "assistant", "system": "system"}
# The ids of a message and of its parent: in exports, and as the site takes messages in.
ID_FIELDS: Final = (("message_id", "parent_id"), ("user_message_id", "parent_message_id"))
# Fields of messages in exports that no other product writes beside role and text; null ones may be left out.
_OF_EXPORTS: Final = frozenset(
    {TREE_ID, "tree_state", "review_count", "review_result", "synthetic", "deleted", "lang", "rank", "labels"}
)


def recognise(value: Mapping[str, Any]) -> Evidence:
    """Judges an object by its prompt, or by the messages that were gathered in it."""
    if PROMPT not in value and TREE not in value:
        return Evidence(0.0, "no prompt with replies, and no messages of a tree")
    items = value.get(MESSAGES)
    if TREE in value and isinstance(items, list) and any(_is_message(as_object(item)) for item in items):
        return Evidence(1.0, "messages of a tree, with ids")
    prompt = value.get(PROMPT)
    if isinstance(prompt, dict) and TREE_ID in value and _says_something(prompt):
        return Evidence(1.0, "a message_tree_id, and a prompt with role and text")
    if isinstance(prompt, dict) and _says_something(prompt) and "replies" in prompt:
        return Evidence(0.9, "a prompt with role, text and replies")
    return Evidence(0.1 if TREE_ID in value else 0.0, "a prompt, but none with role and text")


def tree_of(value: Mapping[str, Any], before: str | None) -> str | None:
    """Returns the tree that a message belongs to; None if the object is no message.

    One that does not name it begins one if it has no parent, and else belongs to the tree of the message before it.
    """
    if not _is_message(value):
        return None
    tree = as_identifier(value.get(TREE_ID))
    if tree is not None:
        return tree
    own, parent = next((value.get(name), value.get(above)) for name, above in ID_FIELDS if name in value)
    return as_identifier(own) if before is None or as_identifier(parent) is None else before


def _is_message(value: Mapping[str, Any]) -> bool:
    """Tells a message with its own id: as exports have it, or with its parent as the site takes it in."""
    if PROMPT in value or not _says_something(value):
        return False
    (name, above), (taken_in, above_it) = ID_FIELDS
    is_exported = name in value and (above in value or not _OF_EXPORTS.isdisjoint(value))
    return is_exported or (taken_in in value and above_it in value)


def _says_something(value: Mapping[str, Any]) -> bool:
    role = value.get("role")
    return isinstance(role, str) and role in ROLES and isinstance(value.get("text"), str)
