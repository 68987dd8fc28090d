"""What may be a conversation of a format that no reader knows: told by what nearly all formats have in common."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from archive_pipeline.readers.chat_lines.wording import ROLES_OF_DATASETS
from archive_pipeline.readers.json.fields import is_empty
from archive_pipeline.readers.json.nesting import holds_record
from archive_pipeline.readers.json.shapes import as_text

_SPEAKERS: Final = ("role", "sender", "author", "from", "speaker", "type")
# Accounts, members and rights name roles too, but nothing that was said.
_SAID: Final = ("content", "contents", "text", "message", "parts", "value", "body", "blocks")
# Lists of prompts for the system are no conversation.
_SPEAKING: Final = frozenset({"user", "assistant"})
_ASKED: Final = ("prompt", "question", "instruction")
_ANSWERED: Final = ("response", "answer", "completion", "output")


def may_be_conversation(value: object) -> bool:
    """Tells whether a record that no reader recognises looks like a message or a conversation, or has one inside."""
    return _is_said(value) or holds_record(value, _is_said)


def _is_said(value: object) -> bool:
    """Tells whether an object says who speaks and what, or what was asked and answered."""
    if not isinstance(value, dict):
        return False
    if any(_is_speaker(value.get(name)) for name in _SPEAKERS):
        return any(not is_empty(value.get(name)) for name in _SAID)
    return _has_text(value, _ASKED) and _has_text(value, _ANSWERED)


def _has_text(value: Mapping[str, Any], names: Iterable[str]) -> bool:
    return any(as_text(value.get(name)) is not None for name in names)


def _is_speaker(said: object) -> bool:
    name = said.get("role") if isinstance(said, dict) else said
    return isinstance(name, str) and ROLES_OF_DATASETS.get(name.lower()) in _SPEAKING
