"""Terms that texts are found by: words as they are, parts of identifiers, and word stems.

A word is a run of letters, digits and marks; Chinese, Japanese and Korean characters are words by themselves. A word
has its lower case, its stem, and of each part between camel humps the same. Texts are taken apart by thousands, and
each different word is looked at once.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import count
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
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
_GROUP_CHARACTERS: Final = 1 << 20

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
_TEXT_BITS: Final = 16
MOST_TEXTS: Final = 1 << _TEXT_BITS


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
    numbers = _numbers()
    of_terms: list[Numbers] = [_NOTHING]
    of_texts: list[Ordinals] = [np.zeros(0, dtype=np.uint16)]
    for language, groups in _groups(texts, languages).items():
        for terms, some in _terms_of_texts(groups, language, numbers):
            of_terms.append(terms)
            of_texts.append(some)
    names = sorted(numbers)
    # Half as wide, keys are sorted twice as fast.
    ranks: npt.NDArray[Any] = np.empty(len(names), dtype=np.uint32 if len(names) <= MOST_TEXTS else np.int64)
    ranks[[numbers[name] for name in names]] = np.arange(len(names))
    keys = ranks[np.concatenate(of_terms)] << _TEXT_BITS
    keys += np.concatenate(of_texts)
    keys.sort()
    starts = np.flatnonzero(np.concatenate((np.ones(min(len(keys), 1), dtype=bool), keys[1:] != keys[:-1])))
    found = keys[starts]
    bounds = np.searchsorted(found >> _TEXT_BITS, np.arange(len(names) + 1))
    ordinals = found.astype(np.uint16)
    lengths = np.bincount(keys.astype(np.uint16), minlength=1)
    weights = _weights(np.diff(starts, append=len(keys)), lengths, ordinals)
    return Postings(names, bounds.tolist(), ordinals, weights)


def _numbers() -> defaultdict[str, int]:
    """Return what numbers texts from 0 in the order in which they are asked for."""
    return defaultdict(count().__next__)


def _groups(texts: Sequence[str], languages: Sequence[str]) -> dict[str, list[tuple[list[int], str]]]:
    """Return, per language, numbers of texts and these texts, each with an end after it; all ASCII or none."""
    kinds: dict[tuple[str, bool], list[int]] = defaultdict(list)
    plain = [text if text.isascii() else _plain(text) for text in texts]
    for number, (text, language) in enumerate(zip(plain, languages, strict=True)):
        kinds[language, text.isascii()].append(number)
    groups: dict[str, list[tuple[list[int], str]]] = defaultdict(list)
    for (language, _), numbers in kinds.items():
        some: list[int] = []
        size = 0
        for number in numbers:
            some.append(number)
            size += len(plain[number])
            if size >= _GROUP_CHARACTERS or number == numbers[-1]:
                groups[language].append((some, _BETWEEN.join(plain[number] for number in some)))
                some, size = [], 0
    return groups


def _terms_of_texts(
    groups: Iterable[tuple[list[int], str]], language: str, numbers: defaultdict[str, int]
) -> Iterator[tuple[Numbers, Ordinals]]:
    """Yield numbers of terms, and beside each the number of the text that has it.

    Args:
        groups: texts in one language.
        language: their text search configuration.
        numbers: term -> its number.
    """
    words = _numbers()
    found = [(*_words_at(joined, words), np.array(some, dtype=np.uint16)) for some, joined in groups]
    terms = [terms_of_word(word, language) for word in words]
    for nth in range(max(map(len, terms), default=0)):
        # -1 where a word has no more terms.
        column = np.array([numbers[each[nth]] if nth < len(each) else -1 for each in terms], dtype=np.int32)
        for at, places, some in found:
            number = column[at]
            has_one = number >= 0
            yield number[has_one], some[places[has_one]]


def _words_at(joined: str, words: defaultdict[str, int]) -> tuple[Numbers, Numbers]:
    """Return the numbers of the words in joined texts, and the place of the text that each is in."""
    encoded = pa.py_buffer(_spaced(joined))
    ends = pa.py_buffer(np.array([0, encoded.size], dtype=np.int32))
    # Arrow splits and numbers words without an object for each, and without Python's lock.
    together = pa.Array.from_buffers(pa.string(), 1, [None, ends, encoded])
    # Its own pool keeps what it had for the next time; the system's is that of everything else.
    pool = pa.system_memory_pool()
    split = pc.ascii_split_whitespace(together, memory_pool=pool).flatten()
    different = pc.dictionary_encode(split, memory_pool=pool)
    at = different.indices.to_numpy()
    names = different.dictionary.to_pylist()
    is_end = np.array([name == _END for name in names], dtype=bool)[at]
    # White space at the beginning and at the end of everything is beside an empty word.
    is_word = np.array([name not in ("", _END) for name in names], dtype=bool)[at]
    numbers = np.array([words[name] if name not in ("", _END) else -1 for name in names], dtype=np.int32)
    return numbers[at[is_word]], np.cumsum(is_end, dtype=np.int32)[is_word]


def _weights(counts: npt.NDArray[np.int64], lengths: npt.NDArray[np.int64], ordinals: Ordinals) -> Weights:
    saturated = counts * (1 + _K1) / (counts + (_K1 * (1 - _B + _B * lengths / _MEAN_TERMS))[ordinals])
    return np.maximum(np.round(saturated * WEIGHT_SCALE), 1).astype(np.uint8)


def _split_plain(text: str) -> list[str]:
    return _spaced(text).decode().split() if text.isascii() else _WORD.findall(text)


def _spaced(text: str) -> bytes:
    """Return the words of a text with white space between them."""
    return text.encode().translate(_TO_SPACES) if text.isascii() else " ".join(_WORD.findall(text)).encode()


def _plain(text: str) -> str:
    """Return a text that is not ASCII in composed form, with spaces for the punctuation that is most common."""
    for character in _TYPOGRAPHY:
        if character in text:
            text = text.replace(character, " ")
    return text if text.isascii() else unicodedata.normalize("NFC", text)


@lru_cache(maxsize=64)
def _stemmer(language: str) -> Any:
    return Stemmer.Stemmer(language)
