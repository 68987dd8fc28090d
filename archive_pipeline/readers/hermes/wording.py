"""What Hermes writes in the user's place: skills around what was asked, and summaries instead of what was said."""

from __future__ import annotations

from typing import Final

from archive_pipeline.domain.records import PartType

_SKILL: Final = '[SYSTEM: The user has invoked the "'
_ASKED: Final = "The user has provided the following instruction alongside the skill invocation: "
_NOTE: Final = "\n\n[Runtime note:"
_SUMMARY: Final = "[CONTEXT COMPACTION"
# Of content that is no text: what stands before its JSON, of present and of earlier versions.
_JSON: Final = ("\x01json:", "\x00json:")


def pieces_of(text: str) -> list[tuple[PartType, str]]:
    """Returns the pieces of a prompt, without blank ones."""
    if not text.startswith(_SKILL):
        return [(PartType.TEXT, text)]
    before, marker, asked = text.partition(_ASKED)
    words, note, behind = asked.partition(_NOTE)
    pieces = [(PartType.CONTEXT, before + marker), (PartType.TEXT, words), (PartType.CONTEXT, note + behind)]
    return [(part_type, piece) for part_type, piece in pieces if piece.strip()]


def is_summary(text: str) -> bool:
    """Tells what the model is told instead of what was said before."""
    return text.lstrip().startswith(_SUMMARY)


def json_in(content: str) -> str | None:
    """Returns the JSON that stands for content in blocks; None of a text."""
    return next((content.removeprefix(prefix) for prefix in _JSON if content.startswith(prefix)), None)
