"""Chunks by the words that they have, from the postings of the lexical index.

A term of a query is some words in a row: ``http_client`` are two, a phrase is as many as it has. The postings say which
chunks have all of them; the texts of these are read to see whether they stand next to each other.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import psycopg

from archive_pipeline.retrieval.search.query import Term
from archive_pipeline.retrieval.search.rows import ChunkText, Frequency, NumberedChunk
from archive_pipeline.store.rows import fetch_column, fetch_rows
from archive_pipeline.store.sql_files import load_query
from archive_pipeline.text.search_terms import LONGEST_TERM, WEIGHT_SCALE, split_words, stem, terms_of_word

Numbers = npt.NDArray[np.int64]
Scores = npt.NDArray[np.float64]
# Of chunks with all words of a phrase, so many of the best are read, some at a time, until enough have it in a row.
MOST_READ: Final = 5_000
READ_AT_ONCE: Final = 250
# Of a beginning such as "a*", so many words are looked at.
MOST_WITH_PREFIX: Final = 5_000


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a term.

    Attributes:
        forms: terms of the index that are the word; one of them has to be there.
        prefix: how the word begins, if that is all that is known of it.
    """

    forms: frozenset[str]
    prefix: str | None = None

    def without(self, stop_words: Collection[str]) -> Word:
        """Return the word without forms that mean nothing: the French stem of "bees" is the English word "be"."""
        return Word(self.forms.difference(stop_words) or self.forms, self.prefix)

    def is_in(self, word: str, language: str) -> bool:
        """Tell whether a word of a text in some language is this one."""
        lowered = word.lower()[:LONGEST_TERM]
        if self.prefix is not None:
            return lowered.startswith(self.prefix)
        return not self.forms.isdisjoint((lowered, stem(lowered, language)))


@dataclass(frozen=True, slots=True)
class Matches:
    """Chunks that have something: their numbers, ascending, and how much each is about it."""

    numbers: Numbers
    weights: Scores


# No term of the index is empty.
_ANY_TERM: Final = ""
NOTHING: Final = Matches(np.zeros(0, dtype=np.int64), np.zeros(0))


def words_of_term(term: Term, languages: Collection[str]) -> list[Word]:
    """Return the words that a term is made of, each with its forms in some languages."""
    words = split_words(term.text)
    found = [Word(frozenset(form for language in languages for form in _forms(word, language))) for word in words]
    if term.kind == "prefix" and words:
        beginning = words[-1].lower()[:LONGEST_TERM]
        found[-1] = Word(frozenset(), beginning)
    return found


def _forms(word: str, language: str) -> tuple[str, ...]:
    """Return a word's lower case and stem; a chunk has a word's parts as terms, which are not the word."""
    lowered = terms_of_word(word, "simple")[0]
    return lowered, stem(lowered, language)


class WordIndex:
    """The postings of one search, read as they are needed."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self._connection = connection
        self._frequencies: dict[str, int] = {}
        self._prefixes: dict[str, list[str]] = {}
        self._postings: dict[str, Matches] = {}

    def chunk_count(self) -> int:
        """Return how many chunks the index knew when terms were looked up, those that are gone among them."""
        return self._frequencies.get(_ANY_TERM, 0)

    def look_up(self, terms: Iterable[Sequence[Word]]) -> None:
        """Find out in how many chunks the words of some terms are, before ``frequency`` is asked."""
        words = [word for term in terms for word in term]
        forms = sorted({form for word in words for form in word.forms})
        if words:
            rows = fetch_rows(self._connection, "lexical/term_frequencies", Frequency, {"terms": forms})
            self._frequencies |= {row.term: row.frequency for row in rows}
        for prefix in {word.prefix for word in words if word.prefix is not None} - self._prefixes.keys():
            asked = {"prefix": prefix, "most": MOST_WITH_PREFIX}
            found = fetch_rows(self._connection, "lexical/terms_with_prefix", Frequency, asked)
            self._frequencies |= {row.term: row.frequency for row in found}
            self._prefixes[prefix] = [row.term for row in found]

    def frequency(self, term: Sequence[Word]) -> int:
        """Return in how many chunks the rarest word of a term is, about: most chunks with a form have its stem too.

        Never more than all chunks.
        """
        return min((self._frequency(word) for word in term), default=0)

    def _frequency(self, word: Word) -> int:
        forms = self._all_forms(word)
        of_forms = [self._frequencies.get(form, 0) for form in forms]
        if word.prefix is None:
            return max(of_forms, default=0)
        # A chunk may have several words that begin so. Which chunks have one is known when postings were read.
        if self._postings.keys() >= set(forms):
            return len(_any_of([self._postings[form] for form in forms]).numbers)
        return min(sum(of_forms), self.chunk_count())

    def read(self, terms: Iterable[Sequence[Word]]) -> None:
        """Read the postings of some terms at once, before ``matches`` is asked."""
        forms = {form for term in terms for word in term for form in self._all_forms(word)} - self._postings.keys()
        known = sorted(form for form in forms if form in self._frequencies)
        held: dict[str, list[tuple[int, bytes, bytes]]] = {}
        if known:
            rows = self._connection.cursor(binary=True).execute(
                load_query("lexical/postings_of_terms"), {"terms": known}
            )
            for form, *posting in rows:
                held.setdefault(form, []).append((posting[0], posting[1], posting[2]))
        self._postings |= {form: _joined(sorted(postings)) for form, postings in held.items()}

    def matches(self, term: Sequence[Word], within: Numbers | None = None, *, limit: int | None = None) -> Matches:
        """Return the chunks with a term.

        Args:
            term: words that stand in a row; looked up and read before.
            within: numbers of the only chunks that matter, ascending; None for all.
            limit: how many chunks with a phrase are enough, the best ones; None for all of them.
        """
        found = NOTHING
        for nth, word in enumerate(term):
            of_word = _any_of([self._postings.get(form, NOTHING) for form in self._all_forms(word)])
            if within is not None:
                of_word = restricted(of_word, within)
            found = of_word if nth == 0 else _both(found, of_word)
        return found if len(term) < 2 else self._in_a_row(found, term, limit)

    def best_numbers(self, term: Sequence[Word], number: int) -> list[int]:
        """Return the chunks that say most of a term, read before: so many, of which some may be gone."""
        found = self.matches(term)
        return [int(each) for each in found.numbers[best_of(found, number)]]

    def texts(self, numbers: Collection[int]) -> list[str]:
        """Return the texts of some chunks, those that are there."""
        asked = {"numbers": sorted(numbers)}
        return [row.text for row in fetch_rows(self._connection, "lexical/texts_of_numbers", ChunkText, asked)]

    def _all_forms(self, word: Word) -> Collection[str]:
        return word.forms if word.prefix is None else self._prefixes.get(word.prefix, ())

    def _in_a_row(self, found: Matches, term: Sequence[Word], limit: int | None) -> Matches:
        """Return the chunks in whose texts the words of a term stand in a row.

        Args:
            found: chunks that have all of the words.
            term: the words.
            limit: how many are enough; texts are read the best first, at most ``MOST_READ``. None for all.
        """
        best = found.numbers[np.argsort(-found.weights, kind="stable")]
        row = _Row(term)
        having: list[int] = []
        for start in range(0, len(best) if limit is None else min(len(best), MOST_READ), READ_AT_ONCE):
            numbers = best[start : start + READ_AT_ONCE].tolist()
            chunks = fetch_rows(self._connection, "lexical/texts_of_numbers", ChunkText, {"numbers": numbers})
            having += [chunk.chunk_number for chunk in chunks if row.is_in(chunk.text, chunk.language)]
            if limit is not None and len(having) >= limit:
                break
        return restricted(found, np.array(sorted(having), dtype=np.int64))


class _Row:
    """Words in a row, looked for in many texts: each different word of these is looked at once."""

    def __init__(self, term: Sequence[Word]) -> None:
        self._term = term
        self._known: dict[str, dict[str, frozenset[int]]] = {}

    def is_in(self, text: str, language: str) -> bool:
        """Tell whether the words stand in a row in a text."""
        known = self._known.setdefault(language, {})
        words = split_words(text)
        for word in set(words) - known.keys():
            known[word] = frozenset(nth for nth, each in enumerate(self._term) if each.is_in(word, language))
        ends = [known[word] for word in words]
        return any(
            0 in ends[at] and all(nth in ends[at + nth] for nth in range(1, len(self._term)))
            for at in range(len(ends) - len(self._term) + 1)
        )


def numbers_with(
    connection: psycopg.Connection[Any], numbers: Sequence[int], terms: Sequence[Sequence[Word]]
) -> list[set[int]]:
    """Return for each of the terms those of some chunks in whose texts it stands; the index need not know them."""
    rows = [_Row(term) for term in terms]
    found: list[set[int]] = [set() for _ in terms]
    for start in range(0, len(numbers), READ_AT_ONCE):
        asked = {"numbers": list(numbers[start : start + READ_AT_ONCE])}
        for chunk in fetch_rows(connection, "lexical/texts_of_numbers", ChunkText, asked):
            for row, own in zip(rows, found, strict=True):
                if row.is_in(chunk.text, chunk.language):
                    own.add(chunk.chunk_number)
    return found


def restricted(found: Matches, numbers: Numbers) -> Matches:
    """Return those of the matches whose numbers are among others."""
    kept = np.isin(found.numbers, numbers, assume_unique=True)
    return Matches(found.numbers[kept], found.weights[kept])


def _joined(postings: Sequence[tuple[int, bytes, bytes]]) -> Matches:
    numbers = [np.frombuffer(ordinals, dtype="<u2").astype(np.int64) + first for first, ordinals, _ in postings]
    weights = [np.frombuffer(held, dtype=np.uint8) for _, _, held in postings]
    return Matches(np.concatenate(numbers), np.concatenate(weights) / WEIGHT_SCALE)


def _any_of(found: Sequence[Matches]) -> Matches:
    """Return the chunks with any form of a word; the form that says most counts."""
    some = [each for each in found if len(each.numbers)]
    if len(some) < 2:
        return some[0] if some else NOTHING
    numbers = np.concatenate([each.numbers for each in some])
    order = np.argsort(numbers, kind="stable")  # of lists that are in order: linear
    numbers = numbers[order]
    starts = np.flatnonzero(np.diff(numbers, prepend=-1))
    weights = np.concatenate([each.weights for each in some])[order]
    return Matches(numbers[starts], np.maximum.reduceat(weights, starts))


def _both(one: Matches, other: Matches) -> Matches:
    numbers, of_one, of_other = np.intersect1d(one.numbers, other.numbers, assume_unique=True, return_indices=True)
    return Matches(numbers, (one.weights[of_one] + other.weights[of_other]) / 2)


def summed(found: Sequence[tuple[Matches, float]]) -> Matches:
    """Return all chunks with the sum of their weights, each times a factor."""
    some = [(each, factor) for each, factor in found if len(each.numbers)]
    if not some:
        return NOTHING
    numbers = np.concatenate([each.numbers for each, _ in some])
    order = np.argsort(numbers, kind="stable")
    numbers = numbers[order]
    starts = np.flatnonzero(np.diff(numbers, prepend=-1))
    weights = np.concatenate([each.weights * factor for each, factor in some])[order]
    return Matches(numbers[starts], np.add.reduceat(weights, starts))


def best_of(found: Matches, number: int) -> Numbers:
    """Return where the best of the matches are, best first, of equals the one that was written first."""
    if len(found.numbers) > number:
        least = np.partition(found.weights, -number)[-number]
        among = np.flatnonzero(found.weights >= least)
    else:
        among = np.arange(len(found.numbers))
    return among[np.argsort(-found.weights[among], kind="stable")][:number]


def chunk_ids_of(connection: psycopg.Connection[Any], numbers: Sequence[int]) -> Mapping[int, str]:
    """Return the ids of those of the chunks that are there."""
    rows = fetch_rows(connection, "lexical/chunks_of_numbers", NumberedChunk, {"numbers": list(numbers)})
    return {row.chunk_number: row.chunk_id for row in rows}


def numbers_of(connection: psycopg.Connection[Any], chunk_ids: Collection[str]) -> Numbers:
    """Return the numbers of chunks, ascending."""
    numbers = fetch_column(connection, "lexical/numbers_of_chunks", int, {"chunk_ids": list(chunk_ids)})
    return np.sort(np.array(numbers, dtype=np.int64))
