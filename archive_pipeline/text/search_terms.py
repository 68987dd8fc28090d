"""Terms that texts are found by: words as they are, parts of identifiers, and word stems.

A word is a run of letters, digits and marks; Chinese, Japanese and Korean characters are words by themselves. A word
has its lower case, its stem, and of each part between camel humps the same. Texts are taken apart by thousands, and
each different word is looked at once.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, compress, count, repeat
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import regex
import Stemmer
from more_itertools import constrained_batches

from archive_pipeline.text.languages import UNKNOWN
from archive_pipeline.text.split_texts import GROUP_CHARACTERS, SplitTexts, split_runs

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
_IDEOGRAPHS: Final = r"\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7af\U00020000-\U0003ffff"
_WORD: Final = regex.compile(rf"[{_IDEOGRAPHS}]|[[\p{{L}}\p{{N}}\p{{M}}]--[{_IDEOGRAPHS}]]+", regex.V1)
# An acronym ends before the word that follows it, and has no hump before the "s" of its plural: "URLs".
_HUMP: Final = regex.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])(?![A-Z]s(?![a-z]))", regex.V1)
# Texts that are ASCII but for such characters are split as bytes, ten times as fast.
_TYPOGRAPHY: Final = tuple("\u2018\u2019\u201c\u201d\u2013\u2014\u2026\u2022\u00a0\u2192\u00b7")
_TO_SPACES: Final = bytes(code if code < 128 and chr(code).isalnum() else 32 for code in range(256))
# The one mark that composes with characters of ASCII that are not part of a word: a sign such as "not equal".
_OVERLAY: Final = "\u0338"
# Bytes a character of texts in scripts whose words, as a rule, no space separates.
_DENSE: Final = 2

# Of terms and runs: half as wide as others.
Numbers = npt.NDArray[np.int32]
Counts = npt.NDArray[np.int64]
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
    plain = text if text.isascii() else _plain(text)
    return plain.encode().translate(_TO_SPACES).decode().split() if plain.isascii() else _WORD.findall(plain)


def stem(word: str, language: str) -> str:
    """Return the stem of a lower-case word in a text search configuration; ``simple`` has none."""
    return word if language == UNKNOWN else str(_stemmer(language).stemWord(word))


@lru_cache(maxsize=1 << 12)  # most words are runs by themselves, of which more are remembered
def terms_of_word(word: str, language: str) -> tuple[str, ...]:
    """Return the terms by which a word is found, its lower case first; none is there twice."""
    lowered = word.lower()[:LONGEST_TERM]
    terms = {lowered: None, stem(lowered, language): None}
    for part in map(str.lower, parts_of_word(word)):
        terms |= {part: None, stem(part, language): None}
    return tuple(terms)


def parts_of_word(word: str) -> list[str]:
    """Return the parts of a word between camel humps, with their case; nothing for a word without humps."""
    parts = _HUMP.split(word[:LONGEST_TERM])
    return parts if len(parts) > 1 else []


def index_texts(texts: Sequence[str], languages: Sequence[str]) -> Postings:
    """Return which of the texts have which terms.

    Args:
        texts: at most ``MOST_TEXTS``.
        languages: the text search configuration of each.

    Raises:
        ValueError: there are more, which 16 bits would number as if they were others.
    """
    if len(texts) > MOST_TEXTS:
        msg = f"{len(texts):,} texts are more than a posting list numbers, which is {MOST_TEXTS:,}"
        raise ValueError(msg)
    numbers: defaultdict[str, int] = defaultdict(count().__next__)
    of_terms, lengths = _terms_of_texts(texts, languages, numbers)
    names = sorted(numbers)
    ranks = np.empty(len(names), dtype=np.uint32)
    ranks[[numbers[name] for name in names]] = np.arange(len(names))
    return _postings(names, ranks.take(of_terms), lengths)


def _postings(names: list[str], of_terms: npt.NDArray[np.uint32], lengths: Counts) -> Postings:
    """Return the postings of texts.

    Args:
        names: the different terms.
        of_terms: the place in ``names`` of each term of each text, one text after the other.
        lengths: how many terms each text has.
    """
    order = _sorted_places(of_terms)
    of_terms = of_terms[order]
    of_texts = np.repeat(np.arange(len(lengths), dtype=np.uint16), lengths)[order]
    is_first = np.ones(len(order), dtype=bool)
    is_first[1:] = (of_terms[1:] != of_terms[:-1]) | (of_texts[1:] != of_texts[:-1])
    starts = np.flatnonzero(is_first)
    ordinals = of_texts[starts]
    bounds = np.searchsorted(of_terms[starts], np.arange(len(names) + 1))
    return Postings(names, bounds.tolist(), ordinals, _weights(np.diff(starts, append=len(order)), lengths, ordinals))


def _sorted_places(numbers: npt.NDArray[np.uint32]) -> npt.NDArray[np.int64]:
    """Return the places of numbers in ascending order, and of equal numbers as they come."""
    # Numbers of 16 bits are sorted by counting, which takes a third of the time; all of them are, as a rule.
    order = np.argsort(numbers.astype(np.uint16), kind="stable")
    upper = (numbers >> 16).astype(np.uint16)
    return order[np.argsort(upper[order], kind="stable")] if upper.any() else order


def _terms_of_texts(
    texts: Sequence[str], languages: Sequence[str], numbers: defaultdict[str, int]
) -> tuple[Numbers, Counts]:
    """Return the numbers of the terms of texts, one text after the other, and how many each text has.

    Args:
        texts: the texts.
        languages: the text search configuration of each.
        numbers: term -> its number.
    """
    split = _runs_of([text if text.isascii() else _with_short_runs(text) for text in texts])
    names = sorted(set(languages))
    # A run in two languages has terms in each.
    of_runs = np.repeat(np.array([names.index(each) for each in languages], dtype=np.int32), np.diff(split.bounds))
    of_runs *= len(split.words)
    of_runs += split.numbers
    is_there = np.zeros((len(names), len(split.words)), dtype=bool)
    is_there.reshape(-1)[of_runs] = True
    found = list(
        chain.from_iterable(
            map(_terms_of_run, compress(split.words, own.tolist()), repeat(name))
            for name, own in zip(names, is_there, strict=True)
        )
    )
    ends = np.zeros(len(found) + 1, dtype=np.int32)
    np.cumsum(np.fromiter(map(len, found), dtype=np.int32, count=len(found)), out=ends[1:])
    terms = np.fromiter(map(numbers.__getitem__, chain.from_iterable(found)), dtype=np.int32, count=ends[-1])
    different = (np.cumsum(is_there, dtype=np.int32) - 1).take(of_runs)
    del of_runs
    places, bounds = _ranges(ends, different)
    return terms.take(places), np.diff(bounds[split.bounds]).astype(np.int64)


def _runs_of(texts: Sequence[str]) -> SplitTexts:
    """Return the runs of texts, which are taken apart some at a time: that takes several times their memory."""
    known: defaultdict[str, int] = defaultdict(count().__next__)
    numbers, bounds = [np.zeros(0, dtype=np.int32)], [np.zeros(1, dtype=np.int64)]
    for group in constrained_batches(texts, GROUP_CHARACTERS, strict=False):
        split = split_runs(group)
        of_words = np.fromiter(map(known.__getitem__, split.words), dtype=np.int32, count=len(split.words))
        numbers.append(of_words.take(split.numbers))
        bounds.append(bounds[-1][-1] + split.bounds[1:])
    return SplitTexts(list(known), np.concatenate(numbers), np.concatenate(bounds))


def _ranges(bounds: Numbers, numbers: Numbers) -> tuple[Numbers, Numbers]:
    """Return the places of numbered ranges one after the other, and where each of these begins and the last one ends.

    Args:
        bounds: where each range begins, and the last one ends.
        numbers: of the ranges, in any order and number.
    """
    sizes = np.diff(bounds).take(numbers)
    ends = np.zeros(len(numbers) + 1, dtype=np.int32)
    np.cumsum(sizes, out=ends[1:])
    places = np.repeat(bounds.take(numbers) - ends[:-1], sizes)
    places += np.arange(ends[-1], dtype=np.int32)
    return places, ends


def _with_short_runs(text: str) -> str:
    """Return a text whose runs are its words, if what is not ASCII would make long runs or composes with ASCII."""
    is_dense = len(text.encode()) > _DENSE * len(text)
    return " ".join(split_words(text)) if is_dense or _OVERLAY in text else text


def _terms_of_run(run: str, language: str) -> tuple[str, ...]:
    """Return the terms of all words of a run of characters that are letters, digits or not ASCII."""
    return _known_terms(run, language) if len(run) <= LONGEST_TERM else _terms(run, language)


def _terms(run: str, language: str) -> tuple[str, ...]:
    return tuple(term for word in split_words(run) for term in terms_of_word(word, language))


_known_terms: Final = lru_cache(maxsize=1 << 15)(_terms)


def _weights(counts: Counts, lengths: Counts, ordinals: Ordinals) -> Weights:
    saturated = counts * (1 + _K1) / (counts + (_K1 * (1 - _B + _B * lengths / _MEAN_TERMS))[ordinals])
    return np.maximum(np.round(saturated * WEIGHT_SCALE), 1).astype(np.uint8)


def _plain(text: str) -> str:
    """Return a text that is not ASCII in composed form, with spaces for the punctuation that is most common."""
    for character in _TYPOGRAPHY:
        if character in text:
            text = text.replace(character, " ")
    return text if text.isascii() else unicodedata.normalize("NFC", text)


@lru_cache(maxsize=64)
def _stemmer(language: str) -> Any:
    return Stemmer.Stemmer(language)
