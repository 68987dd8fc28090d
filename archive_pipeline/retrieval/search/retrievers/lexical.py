"""The lexical retriever: BM25 over the terms of chunks; it needs no vectors and finds names, codes and phrases."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import Any, Final

import numpy as np
import psycopg

from archive_pipeline.retrieval.search.query import Query, Term
from archive_pipeline.retrieval.search.retrievers.base import EMPTY_RANKING, FilteredChunks, Ranking
from archive_pipeline.retrieval.search.retrievers.marks import MarkedTerms
from archive_pipeline.retrieval.search.retrievers.matches import Matches, Numbers, best_of, summed
from archive_pipeline.retrieval.search.retrievers.spelling import HeldTerms, respelt
from archive_pipeline.retrieval.search.retrievers.term_words import Word, with_parts, words_of_term
from archive_pipeline.retrieval.search.retrievers.words import WordIndex, chunk_ids_of, numbers_of
from archive_pipeline.store.rows import fetch_column
from archive_pipeline.text.search_terms import HIGHEST_WEIGHT, split_words

# A term in more chunks than these, or than this share of all, says little about any of them.
COMMON: Final = 2_000
COMMON_SHARE: Final = 0.05
# What another spelling of a word counts where some chunk has it as it is written.
OTHER_SPELLING: Final = 0.5
# Where all terms are common, the rarest of them are looked at, which are in so many chunks together.
MOST_COMMON_CHUNKS: Final = 50_000
MOST_LANGUAGES: Final = 3
_ANY_LANGUAGE: Final = "simple"


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What is known of an archive's words before anything is asked.

    Attributes:
        languages: text search configurations of the most frequent languages, ``MOST_LANGUAGES`` of them.
        stop_words: words that were asked for -> whether they mean nothing in the most frequent language.
        held_terms: what misspelt words are compared with.
        marked_terms: those with marks on their letters.
    """

    languages: Sequence[str]
    stop_words: dict[str, bool] = field(default_factory=dict, compare=False, repr=False)
    held_terms: HeldTerms = field(default_factory=HeldTerms, compare=False, repr=False)
    marked_terms: MarkedTerms = field(default_factory=MarkedTerms, compare=False, repr=False)


def read_vocabulary(connection: psycopg.Connection[Any]) -> Vocabulary:
    """Return what is known of an archive's words."""
    languages = fetch_column(connection, "search/search_languages", str, {"most": MOST_LANGUAGES})
    return Vocabulary(languages + [_ANY_LANGUAGE] * (MOST_LANGUAGES - len(languages)))


def find_lexically(
    connection: psycopg.Connection[Any],
    query: Query,
    *,
    vocabulary: Vocabulary,
    allowed: FilteredChunks | None,
    most: int,
) -> Ranking:
    """Return the chunks with the rarest of the query's terms, best first: the sum of BM25 over the terms.

    Terms that many chunks have count only if they are phrases or nothing else is found, and words of no meaning only if
    there are no others: a made-up word finds nothing, whatever stands around it. A word that no text has, but for its
    spelling, is looked for as texts have it. ``shares`` are those of the highest sum that a text could have, with every
    word of a meaning that was asked for as it is written, those that no text has among them.

    Args:
        connection: on the archive.
        query: what is asked.
        vocabulary: of the archive; its languages say which forms are the same word.
        allowed: chunks that may be found; None for all.
        most: how many to return.
    """
    if not query.wanted:
        return EMPTY_RANKING
    terms = {term: words_of_term(term, vocabulary.languages) for term in query.wanted}
    stop_words = _stop_words(connection, terms, vocabulary)
    terms = {term: [word.without(stop_words) for word in words] for term, words in terms.items()}
    meant = _meant(terms, stop_words)
    index = WordIndex(connection, vocabulary.marked_terms)
    index.look_up(meant.values())
    total = index.chunk_count()
    within = None if allowed is None else numbers_of(connection, allowed.content_hashes)
    highest = HIGHEST_WEIGHT * sum(_rarity(index.frequency(words), total) for words in meant.values())
    known = {term: words for term, words in meant.items() if index.frequency(words)}
    respelt = _respelt(connection, index, [term for term in meant if not index.frequency(meant[term])], vocabulary)

    def find(asked: Sequence[Sequence[Word]]) -> Ranking:
        index.read(asked)
        found = [each for words in asked for each in _weighed(index, words, within, most)]
        return _best(connection, summed(found), most)

    common = max(COMMON, int(total * COMMON_SHARE))
    there = known | {term: words_of_term(term, vocabulary.languages) for term in respelt.values()}
    telling = [words for term, words in there.items() if term.kind == "phrase" or index.frequency(words) <= common]
    ranking = find(telling)
    if not ranking.ids and len(telling) < len(there):
        ranking = find(_rarest(list(there.values()), index))
    # A phrase may be rarer than its words are.
    shares = [min(1.0, score / highest) for score in ranking.scores]
    return replace(
        ranking,
        shares=shares,
        term_count=len(meant),
        respelt={split_words(term.text)[0]: word.text for term, word in respelt.items()},
        is_any_word_known=bool(ranking.ids and known),
    )


def _weighed(index: WordIndex, words: Sequence[Word], within: Numbers | None, most: int) -> list[tuple[Matches, float]]:
    """Return the chunks with a term and how much it counts in them; other spellings of a word count less than it."""
    found = index.matches(words, within, limit=most)
    others = index.matches_otherwise(words, found, within, limit=most)
    number, total = len(found.numbers), index.chunk_count()
    rarity = _rarity(number + len(others.numbers), total)
    return [(found, _rarity(number, total)), (others, rarity * OTHER_SPELLING if number else rarity)]


def _respelt(
    connection: psycopg.Connection[Any], index: WordIndex, unknown: Sequence[Term], vocabulary: Vocabulary
) -> dict[Term, Term]:
    """Return what is looked for in the place of terms that no text has; what may be meant by a slip, as a rule.

    Nothing is where a word of no meaning is nearest.
    """
    near = respelt(connection, index, vocabulary.held_terms, unknown)
    found = {term: Term("word", word) for term, word in near.items()}
    words = {term: words_of_term(term, vocabulary.languages) for term in found.values()}
    stop_words = _stop_words(connection, words, vocabulary)
    index.look_up(words.values())
    return {term: other for term, other in found.items() if other.text not in stop_words}


def _rarest(terms: Sequence[Sequence[Word]], index: WordIndex) -> list[Sequence[Word]]:
    """Return the rarest of terms that are all common: at least one, and as many as are read in a moment."""
    rarest = sorted(terms, key=index.frequency)
    sums = list(accumulate(map(index.frequency, rarest)))
    return rarest[: max(1, bisect_right(sums, MOST_COMMON_CHUNKS))]


def _stop_words(
    connection: psycopg.Connection[Any], terms: Mapping[Term, Sequence[Word]], vocabulary: Vocabulary
) -> set[str]:
    """Return the words that mean nothing, of the terms and the forms of their words.

    PostgreSQL is asked once for each word while a vocabulary is used.
    """
    known = vocabulary.stop_words
    forms = {form for words in terms.values() for word in with_parts(words) for form in word.forms}
    asked = forms | {term.text for term in terms if term.kind == "word"}
    new = sorted(asked - known.keys())
    if new:
        parameters = {"words": new, "language": vocabulary.languages[0]}
        found = set(fetch_column(connection, "search/search_stop_words", str, parameters))
        known.update({word: word in found for word in new})
    return {word for word in asked if known[word]}


def _meant(terms: Mapping[Term, Sequence[Word]], stop_words: Collection[str]) -> Mapping[Term, Sequence[Word]]:
    """Return the terms that mean something; all of them if none does."""
    meant = {term: words for term, words in terms.items() if term.kind != "word" or term.text not in stop_words}
    return meant or terms


def _rarity(frequency: int, total: int) -> float:
    """Return the inverse document frequency of BM25, as Lucene has it: never below 0."""
    return math.log(1 + (total - frequency + 0.5) / (frequency + 0.5)) if frequency <= total else 0.0


def _best(connection: psycopg.Connection[Any], found: Matches, most: int) -> Ranking:
    """Return the best chunks that are there: the index knows chunks that are gone, until it is tidied."""
    ids: list[str] = []
    scores: list[float] = []
    while len(ids) < most and len(found.numbers):
        order = best_of(found, most + most // 4)
        there = chunk_ids_of(connection, found.numbers[order].tolist())
        kept = [at for at in order.tolist() if int(found.numbers[at]) in there]
        ids += [there[int(found.numbers[at])] for at in kept]
        scores += [float(found.weights[at]) for at in kept]
        rest = np.ones(len(found.numbers), dtype=bool)
        rest[order] = False
        found = Matches(found.numbers[rest], found.weights[rest])
    return Ranking(ids[:most], scores[:most])
