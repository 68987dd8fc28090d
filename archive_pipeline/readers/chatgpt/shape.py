"""What a ChatGPT conversation as a whole is: of which vintage, held with which custom GPT, in which project."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from archive_pipeline.domain.records import FULL
from archive_pipeline.readers.json.shapes import as_identifier, as_object, as_text

SLIM: Final = "slim"
# What every message of the full shape has a key for, null or not, and none of the slim one.
_ONLY_FULL: Final = frozenset({"status", "weight", "recipient", "channel", "end_turn"})
_SLIM_ROLES: Final = frozenset({"user", "assistant"})
_PROJECT: Final = "g-p-"
_GPT: Final = "gpt"


def vintage_of(mapping: Mapping[str, Any]) -> str:
    """Returns ``slim`` for the shape of bulk exports since 2026, ``full`` for every other.

    The slim shape has nodes without ``children`` and messages without status, weight, recipient, channel and
    ``end_turn``, by user and assistant only. One message with more than that is enough for the full one. What has
    neither tells nothing, and is taken for slim: that a message is not there deletes none then.
    """
    nodes = [node for node in mapping.values() if isinstance(node, dict)]
    messages = [node["message"] for node in nodes if isinstance(node.get("message"), dict)]
    is_slim = not any("children" in node for node in nodes) and all(map(_is_slim, messages))
    return SLIM if is_slim else FULL


def _is_slim(message: Mapping[str, Any]) -> bool:
    role = as_text(as_object(message.get("author")).get("role"))
    return _ONLY_FULL.isdisjoint(message) and (role is None or role.lower() in _SLIM_ROLES)


def gizmos_of(value: Mapping[str, Any]) -> tuple[str | None, str | None]:
    """Returns the ids of the custom GPT and of the project that a conversation belongs to.

    Exports have either in ``gizmo_id`` and ``conversation_template_id``; slim ones have the latter alone. An id that
    begins with ``g-p-`` is a project's. Any other ``conversation_template_id`` is a GPT's where ``gizmo_type`` says so.
    """
    gizmo, template = as_identifier(value.get("gizmo_id")), as_identifier(value.get("conversation_template_id"))
    if template is not None and not template.startswith(_PROJECT) and value.get("gizmo_type") != _GPT:
        template = None
    return _first((gizmo, template), is_project=False), _first((gizmo, template), is_project=True)


def _first(ids: Iterable[str | None], *, is_project: bool) -> str | None:
    return next((name for name in ids if name is not None and name.startswith(_PROJECT) == is_project), None)
