"""Latin letters with marks, and how they are written without: "zurich" and "zuerich" are "zürich".

Only small letters are known: terms have no others.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Mapping
from itertools import chain
from typing import Final

# Letters that Unicode takes for letters of their own.
_OWN: Final = {
    "æ": "ae",
    "œ": "oe",
    "ß": "ss",
    "ø": "o",
    "đ": "d",
    "ð": "d",
    "ł": "l",
    "þ": "th",
    "ħ": "h",
    "\u0131": "i",
}
# What German and the languages of the north write where a letter is missing.
_SPELT_OUT: Final = {"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"}


def _without_marks() -> dict[str, str]:
    letters = map(chr, chain(range(0xC0, 0x250), range(0x1E00, 0x1F00)))
    small = [letter for letter in letters if letter.islower()]
    bases = {letter: unicodedata.normalize("NFD", letter)[0] for letter in small}
    return {letter: base for letter, base in bases.items() if base.isascii()} | _OWN


_PLAIN: Final = _without_marks()
_TO_PLAIN: Final = str.maketrans(_PLAIN)
_TO_SPELT_OUT: Final = str.maketrans(_PLAIN | _SPELT_OUT)


def plain_spellings(word: str) -> tuple[str, ...]:
    """Return how a lower-case word is written without marks; nothing for a word of ASCII."""
    return () if word.isascii() else (word.translate(_TO_PLAIN), word.translate(_TO_SPELT_OUT))


def _letters_with_marks() -> Mapping[str, str]:
    found: defaultdict[str, str] = defaultdict(str)
    for letter, plain in sorted({*_PLAIN.items(), *_SPELT_OUT.items()}):
        found[plain] += letter
    return dict(found)


# One or two plain letters -> all letters that may be written so.
WITH_MARKS: Final = _letters_with_marks()
