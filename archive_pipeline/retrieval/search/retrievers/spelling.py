"""Words of a query that no text has, and the nearest words that texts have: what was meant by a slip of the keys.

Nearest by letters left out, added, exchanged, or swapped with their neighbour: one in short words, two in long ones.
The first letter is the same, as it is in most slips; so few of the archive's terms are compared. What is an English
word as it is written is no slip: it is only that nobody wrote it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import psycopg
from rapidfuzz import process
from rapidfuzz.distance import OSA

from archive_pipeline.retrieval.onnx.minilm import minilm_words
from archive_pipeline.retrieval.search.query import Term
from archive_pipeline.retrieval.search.retrievers.term_words import Word
from archive_pipeline.retrieval.search.retrievers.words import WordIndex
from archive_pipeline.retrieval.search.rows import Frequency
from archive_pipeline.store.rows import fetch_rows
from archive_pipeline.text.languages import UNKNOWN
from archive_pipeline.text.search_terms import LONGEST_TERM, split_words, stem, terms_of_word

# Of shorter words too many are near by chance; from so many letters on two may be wrong.
_SHORTEST: Final = 5
_LONG: Final = 8
# A text that was pasted in has words that nobody else wrote, which are no slips.
MOST_RESPELT: Final = 8
# Where a letter begins more postings, nothing is compared: reading them would take seconds.
MOST_POSTINGS: Final = 500_000
# Terms that are kept: some 30 MB.
MOST_HELD: Final = 300_000
# Of the nearest terms, so many are looked for in the best texts that have them: a word stem is in none.
_MOST_TRIED: Final = 5
_TEXTS_READ: Final = 3
_ENGLISH: Final = "english"


@dataclass(frozen=True, slots=True)
class _Terms:
    """Terms of the index, and in how many chunks they are."""

    names: Sequence[str]
    frequencies: Sequence[int]


class HeldTerms:
    """The terms of the lexical index by their first letters, read when they are asked for.

    Several threads may use one; two may read the same.
    """

    def __init__(self) -> None:
        self._held: dict[str, _Terms] = {}

    def nearest(self, connection: psycopg.Connection[Any], word: str) -> list[str]:
        """Return the terms that are nearest to a lower-case word, of equally near ones the most frequent first."""
        known = self._beginning_with(connection, word[0])
        most = 1 if len(word) < _LONG else 2
        near = process.extract(word, known.names, scorer=OSA.distance, score_cutoff=most, limit=None)
        ranked = sorted((distance, -known.frequencies[at], name) for name, distance, at in near)
        return [name for _, _, name in ranked[:_MOST_TRIED]]

    def _beginning_with(self, connection: psycopg.Connection[Any], letter: str) -> _Terms:
        held = self._held.get(letter)
        if held is None:
            asked = {"letter": letter, "most": MOST_POSTINGS}
            rows = fetch_rows(connection, "lexical/terms_with_first_letter", Frequency, asked)
            held = _Terms([row.term for row in rows], [row.frequency for row in rows])
            if sum(len(each.names) for each in self._held.values()) + len(held.names) > MOST_HELD:
                self._held.clear()
            self._held[letter] = held
        return held


def slip_of(term: Term) -> str | None:
    """Return the word of a term if it may be misspelt: one word of letters, that is no identifier and no acronym."""
    words = split_words(term.text)
    if term.kind != "word" or len(words) != 1 or not words[0].isalpha() or words[0].isupper():
        return None
    lowered = terms_of_word(words[0], UNKNOWN)
    return lowered[0] if len(lowered) == 1 and _SHORTEST <= len(words[0]) < LONGEST_TERM else None


@cache
def _english_stems() -> frozenset[str]:
    return frozenset(stem(word, _ENGLISH) for word in minilm_words() if word.isalpha())


def _is_english(word: str) -> bool:
    return word in minilm_words() or stem(word, _ENGLISH) in _english_stems()


def respelt(
    connection: psycopg.Connection[Any], index: WordIndex, held: HeldTerms, terms: Iterable[Term]
) -> dict[Term, str]:
    """Return of terms that no text has, and that may be misspelt, the nearest word that some text has.

    Args:
        connection: on the archive.
        index: of the search.
        held: the archive's terms.
        terms: that the index does not have.
    """
    slips = [(term, word) for term in terms if (word := slip_of(term)) is not None and not _is_english(word)]
    near = {term: held.nearest(connection, word) for term, word in slips[:MOST_RESPELT]}
    there = _written(index, {name for names in near.values() for name in names})
    chosen = {term: next((name for name in names if name in there), None) for term, names in near.items()}
    return {term: name for term, name in chosen.items() if name is not None}


def _written(index: WordIndex, names: Collection[str]) -> set[str]:
    """Return those of some terms that are words, or parts of identifiers, in texts that are there."""
    words = {name: [Word(frozenset([name]))] for name in names}
    index.look_up(words.values())
    index.read(words.values())
    numbers = {at for word in words.values() for at in index.best_numbers(word, _TEXTS_READ)}
    found = {
        term for text in index.texts(numbers) for word in split_words(text) for term in terms_of_word(word, UNKNOWN)
    }
    return found.intersection(names)
