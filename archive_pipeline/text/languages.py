"""The language of a text, as the name of the PostgreSQL text search configuration that knows its word endings."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

UNKNOWN: Final = "simple"
# Below so many characters a guess is no better than chance.
FEWEST_CHARACTERS: Final = 40
# The beginning says it; the rest of a long text would only take time, most of that of all chunking.
MOST_CHARACTERS: Final = 400
# Fewer say whether a text is in the language of what is around it: a classification takes time per character.
SETTLING_CHARACTERS: Final = 100

# Words that are frequent in English and words of no other language with a configuration. Looking for them takes a
# hundredth of a classification, which takes longer than all the rest of chunking, and settles most English texts.
_ENGLISH: Final = frozenset(
    {"the", "and", "of", "to", "that", "with", "you", "this", "for", "are", "your", "which", "would", "from", "they"}
    | {"there", "when", "could", "should", "about", "these", "their", "been", "were", "what", "how", "if", "or", "then"}
)
_FEWEST_DIFFERENT: Final = 3  # a title in another language has two
_RAREST: Final = 8  # of so many words, at least one

# Configurations that PostgreSQL 15 ships, by ISO 639-1 code.
CONFIGURATIONS: Final[Mapping[str, str]] = {
    "ar": "arabic",
    "ca": "catalan",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "es": "spanish",
    "eu": "basque",
    "fi": "finnish",
    "fr": "french",
    "ga": "irish",
    "hi": "hindi",
    "hu": "hungarian",
    "hy": "armenian",
    "id": "indonesian",
    "it": "italian",
    "lt": "lithuanian",
    "ne": "nepali",
    "nl": "dutch",
    "no": "norwegian",
    "nb": "norwegian",
    "nn": "norwegian",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sr": "serbian",
    "sv": "swedish",
    "ta": "tamil",
    "tr": "turkish",
    "yi": "yiddish",
}


def text_language(text: str, around: str = UNKNOWN) -> str:
    """Return the configuration for a text; ``simple`` if it is in a language without one.

    Args:
        text: the text.
        around: the language of what the text is a part of. A text that is too short to tell has this one, and so has a
            text whose first ``SETTLING_CHARACTERS`` characters are in it.
    """
    beginning = text[:MOST_CHARACTERS]
    if len(beginning) < FEWEST_CHARACTERS:
        return around
    if _is_plainly_english(beginning):
        return "english"
    if around != UNKNOWN and _classified(beginning[:SETTLING_CHARACTERS]) == around:
        return around
    found = _classified(beginning)
    return around if found == UNKNOWN else found


def _classified(text: str) -> str:
    code, _ = _identifier().classify(text)
    return CONFIGURATIONS.get(code, UNKNOWN)


def _is_plainly_english(text: str) -> bool:
    words = text.lower().split()
    found = list(filter(_ENGLISH.__contains__, words))
    return len(set(found)) >= _FEWEST_DIFFERENT and len(found) * _RAREST >= len(words)


@cache
def _identifier() -> Any:
    import py3langid  # noqa: PLC0415 (reading its model takes a moment, which only texts are worth)

    return py3langid
