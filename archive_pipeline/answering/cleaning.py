"""A streamed text as it may be shown and stored: whole characters, line ends of one kind, no controls."""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

from archive_pipeline.text.sanitize import clean_text

# Controls but tab and line end, and marks that turn the writing direction: a model has no use for them.
_CONTROLS: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
_LINE_ENDS: Final = re.compile(r"\r\n?")


class TextCleaner:
    """Cleans a text piece by piece. What may be the first half of something waits for the next piece."""

    def __init__(self) -> None:
        self._held = ""

    def feed(self, piece: str) -> str:
        """Take the next piece; return what is clean by now."""
        text = self._held + piece
        waits = text[-1:] == "\r" or "\ud800" <= text[-1:] <= "\udbff"
        self._held = text[-1] if waits else ""
        return _clean(text[:-1] if waits else text)

    def finish(self) -> str:
        """Return the rest."""
        held, self._held = self._held, ""
        return _clean(held)


def _clean(text: str) -> str:
    return _CONTROLS.sub("", _LINE_ENDS.sub("\n", clean_text(text, Counter())))
