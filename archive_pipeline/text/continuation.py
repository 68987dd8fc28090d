"""Recognising a user message that only asks to go on (seed 000's six patterns and the decisions' additions)."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

COMMANDS: Final = {
    "continue": "continue",
    "go on": "go_on",
    "keep going": "keep_going",
    "more": "more",
    "elaborate": "elaborate",
    "proceed": "proceed",
}
EMPTY: Final = "empty"
ASSENT: Final = "assent"
QUOTED: Final = "quoted"

_BETWEEN: Final = r"[\s,.!]+"
_COMMAND: Final = "|".join(COMMANDS).replace(" ", r"\s+")
_ASSENT_WORD: Final = r"(?:yes|ok|okay|please)"
_ASKED: Final = re.compile(rf"(?:{_ASSENT_WORD}{_BETWEEN})*(?:{_ASSENT_WORD}|(?:{_COMMAND})(?:{_BETWEEN}please)?)")
_QUOTED: Final = re.compile(rf"(?:>[^\n]*\n\s*)+(?:please{_BETWEEN})?(?:elaborate|continue)(?:{_BETWEEN}please)?")


def continuation_pattern(text: str | None, *, has_other_content: bool) -> str | None:
    """Return the name of the pattern that the user's text matches, None if it is not a continuation.

    Args:
        text: the user text of an exchange, None if it is empty.
        has_other_content: True if its messages carry an attachment or any part besides text; an empty text then
            says nothing about going on.
    """
    stripped = "" if text is None else text.strip()
    if not stripped:
        return None if has_other_content else EMPTY
    phrase = _without_trailing_punctuation(stripped).lower()
    if _QUOTED.fullmatch(phrase):
        return QUOTED
    if _ASKED.fullmatch(phrase):
        return COMMANDS.get(" ".join(phrase.split()), ASSENT)
    return None


def _without_trailing_punctuation(text: str) -> str:
    """Return the text without punctuation at its end, as Unicode has it in whichever script, and space around it."""
    end = len(text)
    while end and (text[end - 1].isspace() or unicodedata.category(text[end - 1]).startswith("P")):
        end -= 1
    return text[:end]
