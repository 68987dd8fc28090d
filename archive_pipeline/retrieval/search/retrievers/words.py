"""Chunks by the words that they have, from the postings of the lexical index.

A term of a query is some words in a row: ``http_client`` are two, a phrase is as many as it has. The postings say which
chunks have all of them; the texts of these are read to see whether they stand next to each other. Where no chunk has
them so, a row may begin in a chunk and end in the next one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, Final

import numpy as np
import psycopg

from archive_pipeline.retrieval.search.retrievers.marks import MarkedTerms
from archive_pipeline.retrieval.search.retrievers.matches import (
    NOTHING,
    Matches,
    Numbers,
    any_of,
    best_of,
    both,
    joined,
    over_edges,
    restricted,
    restricted_to,
    without,
)
from archive_pipeline.retrieval.search.retrievers.term_words import Row, Word, with_parts
from archive_pipeline.retrieval.search.rows import ChunkEdge, ChunkText, Frequency, NumberedChunk
from archive_pipeline.store.rows import fetch_column, fetch_rows
from archive_pipeline.store.sql_files import load_query
from archive_pipeline.text.overlaps import put_together

# Of chunks with all words of a phrase, so many of the best are read, some at a time, until enough have it in a row.
MOST_READ: Final = 5_000
READ_AT_ONCE: Final = 250
# Of chunks with all parts of a camel-case word, which is as a rule written as it is asked for.
MOST_READ_FOR_PARTS: Final = 500
# Of chunks that have all words of a phrase with the next one, where no chunk has the phrase.
MOST_READ_OVER_EDGES: Final = 500
# Of a beginning such as "a*", so many words are looked at.
MOST_WITH_PREFIX: Final = 5_000


_Read = Callable[[Sequence[int]], list[ChunkText]]
# No term of the index is empty.
_ANY_TERM: Final = ""


class WordIndex:
    """The postings of one search, read as they are needed.

    Args:
        connection: on the archive.
        marked_terms: the archive's.
    """

    def __init__(self, connection: psycopg.Connection[Any], marked_terms: MarkedTerms) -> None:
        self._connection = connection
        self._marked_terms = marked_terms
        self._frequencies: dict[str, int] = {}
        self._prefixes: dict[str, set[str]] = {}
        self._postings: dict[str, Matches] = {}
        self._marked: dict[str, Sequence[str]] = {}

    def chunk_count(self) -> int:
        """Return how many chunks the index knew when terms were looked up, those that are gone among them."""
        return self._frequencies.get(_ANY_TERM, 0)

    def look_up(self, terms: Iterable[Sequence[Word]]) -> None:
        """Find out in how many chunks the words of some terms are, before ``frequency`` is asked."""
        words = list(with_parts(chain.from_iterable(terms)))
        forms = {form for word in words for form in word.forms}
        self._marked |= self._marked_terms.of_words(self._connection, forms)
        if words:
            self._count(forms.union(*(self._marked.get(form, ()) for form in forms)))
        for prefix in {word.prefix for word in words if word.prefix is not None} - self._prefixes.keys():
            asked = {"prefix": prefix, "most": MOST_WITH_PREFIX}
            found = fetch_rows(self._connection, "lexical/terms_with_prefix", Frequency, asked)
            self._frequencies |= {row.term: row.frequency for row in found}
            marked = self._marked_terms.beginning_with(self._connection, prefix)
            self._count(marked)
            self._prefixes[prefix] = {row.term for row in found} | (marked & self._frequencies.keys())

    def _count(self, terms: Collection[str]) -> None:
        rows = fetch_rows(self._connection, "lexical/term_frequencies", Frequency, {"terms": sorted(terms)})
        self._frequencies |= {row.term: row.frequency for row in rows}

    def frequency(self, term: Sequence[Word]) -> int:
        """Return in how many chunks the rarest word of a term is, about: most chunks with a form have its stem too.

        Never more than all chunks. A word that no chunk has as it is written is as frequent as its other spellings.
        """
        return min((self._frequency(word) for word in term), default=0)

    def _frequency(self, word: Word) -> int:
        forms = self._all_forms(word)
        of_forms = [self._frequencies.get(form, 0) for form in forms]
        if word.prefix is None:
            return max(of_forms, default=0) or self._frequency_otherwise(word)
        # A chunk may have several words that begin so. Which chunks have one is known when postings were read.
        if self._postings.keys() >= set(forms):
            return len(any_of([self._postings[form] for form in forms]).numbers)
        return min(sum(of_forms), self.chunk_count())

    def _frequency_otherwise(self, word: Word) -> int:
        marked = (self._frequencies.get(form, 0) for form in self._marked_forms(word))
        return max(*marked, self.frequency(word.parts), 0)

    def read(self, terms: Iterable[Sequence[Word]]) -> None:
        """Read the postings of some terms at once, before ``matches`` is asked."""
        words = with_parts(chain.from_iterable(terms))
        forms = {form for word in words for form in (*self._all_forms(word), *self._marked_forms(word))}
        known = sorted(form for form in forms - self._postings.keys() if form in self._frequencies)
        held: dict[str, list[tuple[int, bytes, bytes]]] = {}
        if known:
            rows = self._connection.cursor(binary=True).execute(
                load_query("lexical/postings_of_terms"), {"terms": known}
            )
            for form, *posting in rows:
                held.setdefault(form, []).append((posting[0], posting[1], posting[2]))
        self._postings |= {form: joined(sorted(postings)) for form, postings in held.items()}

    def matches(self, term: Sequence[Word], within: Numbers | None = None, *, limit: int | None = None) -> Matches:
        """Return the chunks with a term; one word has to be there as it is written (``matches_otherwise``).

        A row that goes over the edge of a chunk counts only where no chunk has it.

        Args:
            term: words that stand in a row; looked up and read before.
            within: numbers of the only chunks that matter, ascending; None for all.
            limit: how many chunks with a phrase are enough, the best ones; None for all of them.
        """
        if len(term) == 1:
            return restricted_to(self._having(self._all_forms(term[0])), within)
        found = self._in_a_row(self._with_all(term, within), term, limit)
        return found if len(found.numbers) else self._over_edges(term, within, limit)

    def matches_otherwise(
        self, term: Sequence[Word], found: Matches, within: Numbers | None = None, *, limit: int | None = None
    ) -> Matches:
        """Return the chunks that have a term of one word only in another spelling: with marks, or as parts in a row.

        Args:
            term: looked up and read before.
            found: chunks with the word as it is written.
            within: numbers of the only chunks that matter, ascending; None for all.
            limit: how many chunks are enough, with those that were found; None for all of them.
        """
        if len(term) != 1:
            return NOTHING
        marked = restricted_to(self._having(self._marked_forms(term[0])), within)
        left = None if limit is None else limit - len(found.numbers)
        parts = NOTHING
        if term[0].parts and (left is None or left > 0):
            candidates = without(self._with_all(term[0].parts, within), found)
            parts = self._in_a_row(candidates, term, left, MOST_READ_FOR_PARTS)
        return without(any_of([marked, parts]), found)

    def _with_all(self, term: Sequence[Word], within: Numbers | None) -> Matches:
        """Return the chunks that have each word of a term, in any spelling, wherever they stand."""
        found = NOTHING
        for nth, word in enumerate(term):
            of_word = restricted_to(self._in_any_spelling(word), within)
            found = of_word if nth == 0 else both(found, of_word)
        return found

    def _in_any_spelling(self, word: Word) -> Matches:
        as_written = self._having([*self._all_forms(word), *self._marked_forms(word)])
        return any_of([as_written, self._with_all(word.parts, None)])

    def _having(self, forms: Iterable[str]) -> Matches:
        return any_of([self._postings.get(form, NOTHING) for form in forms])

    def numbers_having(self, term: Sequence[Word], within: Numbers) -> list[int]:
        """Return those of some chunks that have a term, read before, in any spelling."""
        found = self.matches(term, within)
        return [*found.numbers.tolist(), *self.matches_otherwise(term, found, within).numbers.tolist()]

    def best_numbers(self, term: Sequence[Word], number: int) -> list[int]:
        """Return the chunks that say most of a term, read before: so many, of which some may be gone."""
        found = self.matches(term)
        return [int(each) for each in found.numbers[best_of(found, number)]]

    def texts(self, numbers: Collection[int]) -> list[str]:
        """Return the texts of some chunks, those that are there."""
        return [row.text for row in self._texts(sorted(numbers))]

    def _all_forms(self, word: Word) -> Collection[str]:
        return word.forms if word.prefix is None else self._prefixes.get(word.prefix, ())

    def _marked_forms(self, word: Word) -> Collection[str]:
        return {marked for form in word.forms for marked in self._marked.get(form, ())} - word.forms

    def _over_edges(self, term: Sequence[Word], within: Numbers | None, limit: int | None) -> Matches:
        """Return the chunks in which a row of words begins that ends in the next chunk of the same text."""
        of_words = [restricted_to(self._in_any_spelling(word), within) for word in term]
        begun = restricted(of_words[0], over_edges([each.numbers for each in of_words]))
        return self._in_a_row(begun, term, limit, MOST_READ_OVER_EDGES, self._edges)

    def _in_a_row(
        self,
        found: Matches,
        term: Sequence[Word],
        limit: int | None,
        most_read: int = MOST_READ,
        read: _Read | None = None,
    ) -> Matches:
        """Return the chunks in whose texts the words of a term stand in a row.

        Args:
            found: chunks that have all of the words.
            term: the words.
            limit: how many are enough; texts are read the best first. None for all.
            most_read: how many texts are read at most, where there is a limit.
            read: reads the texts of some chunks; None for their own.
        """
        read = read or self._texts
        best = found.numbers[np.argsort(-found.weights, kind="stable")]
        row = Row(term)
        having: list[int] = []
        for start in range(0, len(best) if limit is None else min(len(best), most_read), READ_AT_ONCE):
            numbers = best[start : start + READ_AT_ONCE].tolist()
            having += [chunk.chunk_number for chunk in read(numbers) if row.is_in(chunk.text, chunk.language)]
            if limit is not None and len(having) >= limit:
                break
        return restricted(found, np.array(sorted(having), dtype=np.int64))

    def _texts(self, numbers: Sequence[int]) -> list[ChunkText]:
        return fetch_rows(self._connection, "lexical/texts_of_numbers", ChunkText, {"numbers": list(numbers)})

    def _edges(self, numbers: Sequence[int]) -> list[ChunkText]:
        """Return the texts of some chunks, each with the one that follows."""
        edges = fetch_rows(self._connection, "lexical/texts_over_edges", ChunkEdge, {"numbers": list(numbers)})
        return [
            ChunkText(edge.chunk_number, put_together(edge.text, edge.following_text, edge.overlap), edge.language)
            for edge in edges
        ]


def numbers_with(
    connection: psycopg.Connection[Any], numbers: Sequence[int], terms: Sequence[Sequence[Word]]
) -> list[set[int]]:
    """Return for each of the terms those of some chunks in whose texts it stands; the index need not know them."""
    rows = [Row(term) for term in terms]
    found: list[set[int]] = [set() for _ in terms]
    for start in range(0, len(numbers), READ_AT_ONCE):
        asked = {"numbers": list(numbers[start : start + READ_AT_ONCE])}
        for chunk in fetch_rows(connection, "lexical/texts_of_numbers", ChunkText, asked):
            for row, own in zip(rows, found, strict=True):
                if row.is_in(chunk.text, chunk.language):
                    own.add(chunk.chunk_number)
    return found


def chunk_ids_of(connection: psycopg.Connection[Any], numbers: Sequence[int]) -> Mapping[int, str]:
    """Return the ids of those of the chunks that are there."""
    rows = fetch_rows(connection, "lexical/chunks_of_numbers", NumberedChunk, {"numbers": list(numbers)})
    return {row.chunk_number: row.chunk_id for row in rows}


def numbers_of(connection: psycopg.Connection[Any], chunk_ids: Collection[str]) -> Numbers:
    """Return the numbers of chunks, ascending."""
    numbers = fetch_column(connection, "lexical/numbers_of_chunks", int, {"chunk_ids": list(chunk_ids)})
    return np.sort(np.array(numbers, dtype=np.int64))
