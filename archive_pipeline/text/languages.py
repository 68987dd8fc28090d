"""The language of a text, as the name of the PostgreSQL text search configuration that knows its word endings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from archive_pipeline.text.language_model import language_model
from archive_pipeline.text.plain_english import are_plainly_english

UNKNOWN: Final = "simple"
# Below so many characters a guess is no better than chance.
FEWEST_CHARACTERS: Final = 40
# The beginning says it; the rest of a long text would only take time, most of that of all chunking.
MOST_CHARACTERS: Final = 400
# Fewer say whether a text is in the language of what is around it: a classification takes time per character.
SETTLING_CHARACTERS: Final = 100

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
    """Return the configuration for a text; ``simple`` if it is in a language without one (`text_languages`)."""
    return text_languages([(text, around)])[0]


def text_languages(texts: Sequence[tuple[str, str]]) -> list[str]:
    """Return the configuration for each text; ``simple`` for one in a language without any.

    Args:
        texts: texts, and the language of what each is a part of. A text that is too short to tell has this one, and so
            has a text whose first ``SETTLING_CHARACTERS`` characters are in it.
    """
    beginnings = [text[:MOST_CHARACTERS] for text, _ in texts]
    found = [around for _, around in texts]
    telling = [number for number, text in enumerate(beginnings) if len(text) >= FEWEST_CHARACTERS]
    open_ones: list[int] = []
    for number, is_english in zip(telling, are_plainly_english([beginnings[each] for each in telling]), strict=True):
        if is_english:
            found[number] = "english"
        else:
            open_ones.append(number)
    with_known = [number for number in open_ones if found[number] != UNKNOWN]
    of_first = _classified([beginnings[number][:SETTLING_CHARACTERS] for number in with_known])
    settled = {number for number, language in zip(with_known, of_first, strict=True) if language == found[number]}
    rest = [number for number in open_ones if number not in settled]
    for number, language in zip(rest, _classified([beginnings[number] for number in rest]), strict=True):
        if language != UNKNOWN:
            found[number] = language
    return found


def _classified(texts: Sequence[str]) -> list[str]:
    return [CONFIGURATIONS.get(code, UNKNOWN) for code in language_model().classify(texts)] if texts else []
