"""Texts with all turns of a conversation, as Anthropic's preferences have them."""

from __future__ import annotations

import re
from typing import Final

from archive_pipeline.domain.records import Role

_BEGINS: Final = "\n\nHuman:"
_TURN: Final = re.compile(r"\n\n(Human|Assistant): ?")
_ROLES: Final[dict[str, Role]] = {"Human": "user", "Assistant": "assistant"}


def turns_of(text: str) -> list[tuple[str, str]]:
    """Returns the role and the text of each turn, without those that say nothing; none if the text is no transcript."""
    if not text.startswith(_BEGINS):
        return []
    pieces = _TURN.split(text)[1:]
    turns = zip(pieces[::2], pieces[1::2], strict=True)
    return [(_ROLES[speaker], said) for speaker, said in turns if said.strip()]
