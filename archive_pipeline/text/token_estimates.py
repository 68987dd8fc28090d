"""Estimating tokens without a tokenizer: weights per class of characters and per language, fitted to ``o200k_base``.

Four characters a token would be 65 % too few for Chinese. docs/context.md has the errors, and the languages for which
10 % is claimed.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from archive_pipeline.text.token_weights import ARABIC, CYRILLIC, ENGLISH, LATIN, Script

# Sources of a context are estimated apart: each has its language, and the sum has to be that of the parts.
_SOURCE: Final = re.compile(r"\n\n(?=\[Document [0-9]+: )")
_PER_BREAK: Final = 0.55
# Pattern, tokens per match, tokens per character.
_ASCII_WEIGHTS: Final = tuple(
    (re.compile(pattern), per_match, per_character)
    for pattern, per_match, per_character in (
        (r"[0-9]{1,3}", 1.8, 0.0),
        (r"[ \t](?=[0-9])", 0.3, 0.0),  # the space before a number is its own token
        (r"[!-/:-@\[-`{-~]+", 0.27, 0.33),  # punctuation
        (r"\n+", _PER_BREAK, 0.0),
        (r"[ \t]{2,}", 0.67, 0.0),  # columns and indentation
    )
)
# English words are one token, with the space before them, up to 7 letters, then one more every 5.
_LONG_WORD: Final = 8
_PER_LONG_WORD: Final = -1.4
_PER_LETTER_OF_LONG_WORD: Final = 0.2
_PER_ACCENT: Final = 0.3  # accented letters cut English words up
_NOT_ASCII: Final = re.compile(r"[^\x00-\x7f]+")
_CYRILLIC: Final = "cyrillic"
_ARABIC: Final = "arabic"
_HAN: Final = "han"
_KANA: Final = "kana"
_ACCENTED: Final = "accented"
# First and last character, and tokens per character, or the name of a class that is estimated with others.
_BLOCKS: Final[tuple[tuple[str, str, float | str], ...]] = (
    ("\u00c0", "\u024f", _ACCENTED),
    ("\u0370", "\u03ff", 0.41),  # Greek
    ("\u0400", "\u052f", _CYRILLIC),
    ("\u0530", "\u058f", 0.5),  # Armenian; 0.5 is set, not fitted, here and below
    ("\u0590", "\u05ff", 0.46),  # Hebrew
    ("\u0600", "\u06ff", _ARABIC),
    ("\u0700", "\u074f", 0.5),
    ("\u0750", "\u077f", _ARABIC),
    ("\u0780", "\u08ff", 0.5),
    ("\u0900", "\u097f", 0.36),  # Devanagari
    ("\u0980", "\u09ff", 0.41),  # Bengali
    ("\u0a00", "\u0b7f", 0.5),
    ("\u0b80", "\u0bff", 0.38),  # Tamil
    ("\u0c00", "\u0dff", 0.5),
    ("\u0e00", "\u0e7f", 0.41),  # Thai
    ("\u0e80", "\u10ff", 0.5),
    ("\u1100", "\u11ff", 0.72),  # Hangul
    ("\u1200", "\u1dff", 0.5),
    ("\u1e00", "\u1eff", _ACCENTED),
    ("\u1f00", "\u1fff", 0.41),  # Greek
    ("\u2018", "\u201d", 0.75),  # typographic quotes
    ("\u2020", "\u2fff", 1.6),  # symbols
    ("\u3000", "\u303f", 0.75),  # punctuation of East Asia
    ("\u3040", "\u30ff", _KANA),
    ("\u3400", "\u9fff", _HAN),
    ("\uac00", "\ud7af", 0.72),  # Hangul
    ("\uf900", "\ufaff", _HAN),
    ("\ufb50", "\ufdff", _ARABIC),
    ("\ufe70", "\ufefe", _ARABIC),
    ("\uff00", "\uffef", 0.75),  # full-width forms
    ("\U0001f000", "\U0001faff", 1.6),  # emoji
    ("\U00020000", "\U0003ffff", _HAN),
)
_FIRST: Final = [first for first, _, _ in _BLOCKS]
_PER_KANA: Final = 0.47
_PER_HAN: Final = 0.77
_PER_TRADITIONAL_HAN: Final = 0.91
_PER_JAPANESE_HAN: Final = 1.34
# Frequent in traditional Chinese, and not written in simplified Chinese.
_TRADITIONAL: Final = frozenset(
    "們個這來為國會時說與對過還後學經發現當點將無應關長門問間見車東馬電話語書買賣頭體醫療權據類選項檔錯誤參數執檢視設變請輸開啟閉條規則於並"
)
_FEWEST_KANA: Final = 0.2  # of the Chinese characters beside them
_FEWEST_TRADITIONAL: Final = 0.02
_LATIN_WORD: Final = re.compile(
    r"[A-Za-z\u00aa\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u0300-\u036f\u1e00-\u1eff]+"
)
_SCRIPTS: Final = (
    (_CYRILLIC, re.compile(r"[\u0400-\u052f]+"), CYRILLIC),
    (_ARABIC, re.compile(r"[\u0600-\u06ff\u0750-\u077f\ufb50-\ufdff\ufe70-\ufefe]+"), ARABIC),
)
# Code has words of its own: where hardly any is known, Latin letters count as English.
_EVIDENCE_OF_ENGLISH: Final = 0.1
_FEWEST_WORDS: Final = 2  # by which a language is recognised: one may be a name


class HeuristicCounter:
    """Estimates tokens from the classes of characters and the languages of words, without any package."""

    name: Final = "heuristic"

    def count(self, text: str) -> int:
        """Return the estimate; at least 1 for a text that is not empty."""
        first, *others = _SOURCE.split(text)
        tokens = _estimate(first) + sum(_PER_BREAK + _estimate(source) for source in others)
        return max(math.ceil(tokens), 1 if text else 0)


def _estimate(text: str) -> float:
    characters = {} if text.isascii() else Counter("".join(_NOT_ASCII.findall(text)))
    classes: dict[str, int] = {}
    tokens = _ascii(text)
    for character, number in characters.items():
        weight = _weight(character)
        if isinstance(weight, str):
            classes[weight] = classes.get(weight, 0) + number
        else:
            tokens += weight * number
    tokens += _latin(text, classes.get(_ACCENTED, 0)) + _east_asian(classes, characters)
    for name, pattern, script in _SCRIPTS:
        if name in classes:
            words = pattern.findall(text)
            tokens += _cost(words, script, _shares(words, script, {}))
    return tokens


@lru_cache(maxsize=65_536)
def _weight(character: str) -> float | str:
    """Return the tokens of a character that is not ASCII, or the name of its class."""
    at = bisect_right(_FIRST, character) - 1
    return _BLOCKS[at][2] if at >= 0 and character <= _BLOCKS[at][1] else 0.0


def _ascii(text: str) -> float:
    tokens = 0.0
    for pattern, per_match, per_character in _ASCII_WEIGHTS:
        matches = pattern.findall(text)
        tokens += per_match * len(matches)
        if per_character:
            tokens += per_character * sum(map(len, matches))
    return tokens


def _latin(text: str, accents: int) -> float:
    words = _LATIN_WORD.findall(text)
    shares = _shares(words, LATIN, {ENGLISH.name: _EVIDENCE_OF_ENGLISH * len(words)})
    english = shares.pop(ENGLISH.name, 0.0)
    long = [length for length in map(len, words) if length >= _LONG_WORD]
    as_english = len(words) + _PER_LONG_WORD * len(long) + _PER_LETTER_OF_LONG_WORD * sum(long) + _PER_ACCENT * accents
    return english * as_english + _cost(words, LATIN, shares)


def _cost(words: list[str], script: Script, shares: Mapping[str, float]) -> float:
    letters = sum(map(len, words))
    return sum(
        shares[language.name] * (script.per_word * len(words) + language.per_letter * letters)
        for language in script.languages
        if language.name in shares
    )


def _shares(words: list[str], script: Script, evidence: Mapping[str, float]) -> dict[str, float]:
    """Return which part of the words is of which language, by those that are recognised.

    Squares favour the language with most: related ones share words.
    """
    counts = Counter(words)
    recognised: dict[str, list[float]] = {}
    for word in counts.keys() & script.evidence.keys():
        for name, words_for_one in script.evidence[word]:
            recognised.setdefault(name, []).append(words_for_one * counts[word])
    found = dict(evidence)
    for name, numbers in recognised.items():
        if len(numbers) >= _FEWEST_WORDS:
            found[name] = found.get(name, 0.0) + sum(numbers)
    total = sum(number**2 for number in found.values())
    return {name: number**2 / total for name, number in found.items()} if total else {script.languages[0].name: 1.0}


def _east_asian(classes: Mapping[str, int], characters: Mapping[str, int]) -> float:
    kana, han = classes.get(_KANA, 0), classes.get(_HAN, 0)
    if not han or kana > _FEWEST_KANA * han:
        return kana * _PER_KANA + han * _PER_JAPANESE_HAN
    traditional = sum(characters[character] for character in characters.keys() & _TRADITIONAL)
    is_traditional = traditional > _FEWEST_TRADITIONAL * han
    return kana * _PER_KANA + han * (_PER_TRADITIONAL_HAN if is_traditional else _PER_HAN)
