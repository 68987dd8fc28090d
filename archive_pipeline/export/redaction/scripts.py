"""What stands beside a value without being part of it: letters of scripts without blanks, and escaped line ends."""

from __future__ import annotations

from typing import Final

# Scripts that write words without blanks, or join particles to them: Hebrew and Arabic, Thai, Lao, Tibetan, Burmese,
# Khmer, Korean, Japanese, Chinese. Inside of a character class.
JOINED: Final = (
    "\u0590-\u08ff\u0e00-\u0fff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\ufb1d-\ufdff\ufe70-\ufefc\uff66-\uffdc\U00020000-\U0003ffff"
)
# Texts within JSON have line ends as a backslash and a letter, to which the next word is glued.
ESCAPED_END: Final = r"(?<=\\[nrt])"


def starts_after(characters: str) -> str:
    """Return the pattern for a place with none of some characters before it, but for escaped line ends.

    Args:
        characters: the inside of a character class.
    """
    return rf"(?:(?<![{characters}])|{ESCAPED_END})"


def first_after(first: str, characters: str) -> str:
    """Return the pattern for a character of a class where `starts_after` has a place.

    It looks for the character first, which `re` does several times faster than to look at what is before each place.

    Args:
        first: the class; a line end is not in it.
        characters: the inside of a class of characters, which the one before is not.
    """
    return rf"{first}(?:(?<![{characters}].)|(?<=\\[nrt].))"
