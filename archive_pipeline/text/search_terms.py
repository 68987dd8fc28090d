"""Terms that texts are found by: words as they are, parts of identifiers, and word stems.

A word is a run of letters, digits and marks; Chinese, Japanese and Korean characters are words by themselves. A word
has its lower case, its stem, and of each part between camel humps the same. Texts are taken apart by thousands, and
each different word is looked at once.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import regex
import Stemmer

from archive_pipeline.text.languages import UNKNOWN

# Of a longer word (encoded data, as a rule), the rest is not looked at.
LONGEST_TERM: Final = 100
# Saturation and length of BM25 (Robertson and Zaragoza, 2009); chunks are of one size, which makes a constant of the
# mean length.
_K1: Final = 1.2
_B: Final = 0.75
_MEAN_TERMS: Final = 200
# What the weight of a term in a text stays below, however often the text has it; a byte has that to a hundredth.
HIGHEST_WEIGHT: Final = 1 + _K1
WEIGHT_SCALE: Final = 100
# Texts are taken apart in groups of so many characters.
_GROUP_CHARACTERS: Final = 1 << 18

_IDEOGRAPHS: Final = r"\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7af\U00020000-\U0003ffff"
# PostgreSQL's texts have no NUL.
_END: Final = "\x00"
_BETWEEN: Final = f" {_END} "
_WORD: Final = regex.compile(rf"[{_IDEOGRAPHS}]|{_END}|[[\p{{L}}\p{{N}}\p{{M}}]--[{_IDEOGRAPHS}]]+", regex.V1)
_HUMP: Final = regex.compile(r"(?<=[a-z0-9])(?=[A-Z])", regex.V1)
# Texts that are ASCII but for such characters are split as bytes, ten times as fast.
_TYPOGRAPHY: Final = tuple("\u2018\u2019\u201c\u201d\u2013\u2014\u2026\u2022\u00a0\u2192\u00b7")
_TO_SPACES: Final = bytes(
    code if code < 128 and (chr(code).isalnum() or chr(code) == _END) else 32 for code in range(256)
)

# Of terms and words: half as wide as positions, of which there are as many as words.
Numbers = npt.NDArray[np.int32]
_NOTHING: Final[Numbers] = np.zeros(0, dtype=np.int32)
Ordinals = npt.NDArray[np.uint16]
Weights = npt.NDArray[np.uint8]
# A number per text: texts of one posting list are numbered by 16 bits.
MOST_TEXTS: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class Postings:
    """Which texts have which terms.

    Attributes:
        terms: each once.
        bounds: where the texts of each term begin in the arrays, and where the last one's end.
        ordinals: numbers of texts, ascending per term.
        weights: how much a text is about the term, in hundredths: BM25's share of the term in the text.
    """

    terms: list[str]
    bounds: list[int]
    ordinals: Ordinals
    weights: Weights


def split_words(text: str) -> list[str]:
    """Return the words of a text in order, with their case."""
    return _split_plain(text if text.isascii() else _plain(text))


def stem(word: str, language: str) -> str:
    """Return the stem of a lower-case word in a text search configuration; ``simple`` has none."""
    return word if language == UNKNOWN else str(_stemmer(language).stemWord(word))


@lru_cache(maxsize=1 << 16)
def terms_of_word(word: str, language: str) -> tuple[str, ...]:
    """Return the terms by which a word is found, its lower case first; none is there twice."""
    lowered = word.lower()[:LONGEST_TERM]
    terms = {lowered: None, stem(lowered, language): None}
    parts = _HUMP.split(word[:LONGEST_TERM])
    if len(parts) > 1:
        for part in map(str.lower, parts):
            terms |= {part: None, stem(part, language): None}
    return tuple(terms)


def index_texts(texts: Sequence[str], languages: Sequence[str]) -> Postings:
    """Return which of the texts have which terms.

    Args:
        texts: at most ``MOST_TEXTS``.
        languages: the text search configuration of each.
    """
    numbers = _Numbers()
    of_languages: dict[str, _Words] = {}
    of_terms: list[Numbers] = [_NOTHING]
    of_texts: list[Ordinals] = [np.zeros(0, dtype=np.uint16)]
    for some, encoded, language in _groups(texts, languages):
        words = of_languages.setdefault(language, _Words(language, numbers))
        terms, places = _terms_at(encoded, words)
        of_terms.append(terms)
        of_texts.append(np.array(some, dtype=np.uint16)[places])
    names = sorted(numbers)
    # Half as wide, keys are sorted twice as fast.
    ranks: npt.NDArray[Any] = np.empty(len(names), dtype=np.uint32 if len(names) <= MOST_TEXTS else np.int64)
    ranks[[numbers[name] for name in names]] = np.arange(len(names))
    keys = ranks[np.concatenate(of_terms)] * ranks.dtype.type(MOST_TEXTS)
    keys += np.concatenate(of_texts)
    keys.sort()
    starts = np.flatnonzero(np.concatenate((np.ones(min(len(keys), 1), dtype=bool), keys[1:] != keys[:-1])))
    of_term, ordinals = np.divmod(keys[starts], ranks.dtype.type(MOST_TEXTS))
    bounds = np.searchsorted(of_term, np.arange(len(names) + 1))
    lengths = np.bincount(keys % ranks.dtype.type(MOST_TEXTS), minlength=1)[ordinals]
    weights = _weights(np.diff(starts, append=len(keys)), lengths)
    return Postings(names, bounds.tolist(), ordinals.astype(np.uint16), weights)


class _Numbers(dict[str, int]):
    """Numbers texts from 0 in the order in which they are asked for."""

    def __missing__(self, text: str) -> int:
        number = self[text] = len(self)
        return number


def _groups(texts: Sequence[str], languages: Sequence[str]) -> Iterator[tuple[list[int], str, str]]:
    """Yield numbers of texts, the texts with an end after each, and their language."""
    groups: dict[tuple[str, bool], list[int]] = defaultdict(list)
    plain = [text if text.isascii() else _plain(text) for text in texts]
    for number, (text, language) in enumerate(zip(plain, languages, strict=True)):
        groups[language, text.isascii()].append(number)
    for (language, _), numbers in groups.items():
        some: list[int] = []
        size = 0
        for number in numbers:
            some.append(number)
            size += len(plain[number])
            if size >= _GROUP_CHARACTERS or number == numbers[-1]:
                yield some, _BETWEEN.join(plain[number] for number in some), language
                some, size = [], 0


class _Words:
    """The different words of texts in one language, in the order in which they came, and the terms of each.

    Attributes:
        numbers: word -> its number; 0 is the end of a text.
    """

    def __init__(self, language: str, terms: _Numbers) -> None:
        self.numbers = _Numbers({_END: 0})
        self._language = language
        self._terms = terms
        # Per place among the terms of a word, the number of the term there; -1 where a word has no more of them.
        self._columns: list[Numbers] = [np.array([-1], dtype=np.int32)]

    def columns(self) -> list[Numbers]:
        """Return, per place among the terms of a word, the terms there by number of the word."""
        known = len(self._columns[0])
        new = [terms_of_word(word, self._language) for word in list(self.numbers)[known:]]
        for place in range(max([len(self._columns), *map(len, new)])):
            if place == len(self._columns):
                self._columns.append(np.full(known, -1, dtype=np.int32))
            more = [self._terms[terms[place]] if place < len(terms) else -1 for terms in new]
            self._columns[place] = np.concatenate((self._columns[place], np.array(more, dtype=np.int32)))
        return self._columns


def _terms_at(joined: str, words: _Words) -> tuple[Numbers, Numbers]:
    """Return the numbers of the terms in joined texts, and the place of the text that each is in."""
    found = _split_plain(joined)
    at = np.fromiter(map(words.numbers.__getitem__, found), dtype=np.int32, count=len(found))
    is_word = at != 0
    places = np.cumsum(~is_word, dtype=np.int32)[is_word]
    at = at[is_word]
    terms, of_places = [_NOTHING], [_NOTHING]
    for column in words.columns():
        number = column[at]
        has_one = number >= 0
        # Who has no second term has no third one.
        at, places = at[has_one], places[has_one]
        terms.append(number[has_one])
        of_places.append(places)
    return np.concatenate(terms), np.concatenate(of_places)


def _weights(counts: npt.NDArray[np.int64], lengths: npt.NDArray[np.int64]) -> Weights:
    saturated = counts * (1 + _K1) / (counts + _K1 * (1 - _B + _B * lengths / _MEAN_TERMS))
    return np.maximum(np.round(saturated * WEIGHT_SCALE), 1).astype(np.uint8)


def _split_plain(text: str) -> list[str]:
    return text.encode().translate(_TO_SPACES).decode().split() if text.isascii() else _WORD.findall(text)


def _plain(text: str) -> str:
    """Return a text that is not ASCII in composed form, with spaces for the punctuation that is most common."""
    for character in _TYPOGRAPHY:
        if character in text:
            text = text.replace(character, " ")
    return text if text.isascii() else unicodedata.normalize("NFC", text)


@lru_cache(maxsize=64)
def _stemmer(language: str) -> Any:
    return Stemmer.Stemmer(language)
