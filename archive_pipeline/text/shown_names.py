"""Names, lines and texts as people are shown them: somebody else wrote them, and they are not to pretend anything."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from archive_pipeline.text.sanitize import REPLACEMENT

# They turn the writing direction of what follows: with one, ``photo<U+202E>gpj.exe`` reads as a picture.
TURNING_MARKS: Final = "\u202a-\u202e\u2066-\u2069"
# All controls but tab and line ends.
CONTROLS: Final = r"\r(?!\n)|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]"
_CONTROL: Final = re.compile(CONTROLS)
_TURNING: Final = re.compile(f"[{TURNING_MARKS}]")
# Persian joins and parts letters by them, emoji are joined by one, and words may be parted at a soft hyphen.
_JOINERS: Final = frozenset("\u200c\u200d\u00ad")
# Letters, marks of punctuation, numbers and symbols; letters and a symbol that stand for nothing.
_SEEN: Final = frozenset("LPNS")
_BLANK_SIGNS: Final = frozenset("\u115f\u1160\u2800\u3164\uffa0")


def is_visible(text: str) -> bool:
    """Tell whether something of a text is seen, be it a dot."""
    return any(unicodedata.category(each)[0] in _SEEN and each not in _BLANK_SIGNS for each in text)


def as_name(text: str) -> str:
    """Return a name that reads in the direction of its letters."""
    return _TURNING.sub(REPLACEMENT, text)


def printable(line: str) -> str:
    """Return a line of characters that a terminal shows as they are."""
    if line.isprintable():
        return line
    return "".join(each if each.isprintable() or each in _JOINERS else REPLACEMENT for each in line)


def on_one_line(text: str) -> str:
    """Return a text as one line of characters that a terminal shows as they are."""
    return printable(" ".join(text.split()))


def without_controls(text: str) -> str:
    """Return a text of several lines without what would command a terminal; its writing directions stay."""
    return _CONTROL.sub(REPLACEMENT, text)
