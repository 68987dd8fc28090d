"""The words that a term of a query is made of, and whether they stand next to each other in a text.

``http_client`` are two words, a phrase is as many as it has. A camel-case word is itself or its parts next to each
other, in a query as in a text; a word without marks on its letters is also the one with them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final, NamedTuple

from archive_pipeline.retrieval.search.query import Term
from archive_pipeline.text.marks import plain_spellings
from archive_pipeline.text.search_terms import LONGEST_TERM, parts_of_word, split_words, stem, terms_of_word


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a term.

    Attributes:
        forms: terms of the index that are the word; one of them has to be there.
        prefix: how the word begins, if that is all that is known of it.
        parts: of a camel-case word, what it is between its humps.
    """

    forms: frozenset[str]
    prefix: str | None = None
    parts: tuple[Word, ...] = ()

    def without(self, stop_words: Collection[str]) -> Word:
        """Return the word without forms that mean nothing: the French stem of "bees" is the English word "be"."""
        parts = tuple(part.without(stop_words) for part in self.parts)
        return Word(self.forms.difference(stop_words) or self.forms, self.prefix, parts)

    def is_in(self, word: str, language: str) -> bool:
        """Tell whether a word of a text in some language is this one."""
        lowered = word.lower()[:LONGEST_TERM]
        if self.prefix is not None:
            return any(each.startswith(self.prefix) for each in (lowered, *plain_spellings(lowered)))
        stemmed = stem(lowered, language)
        return not self.forms.isdisjoint(
            (lowered, stemmed)
            if lowered.isascii()
            else (lowered, stemmed, *plain_spellings(lowered), *plain_spellings(stemmed))
        )


def words_of_term(term: Term, languages: Collection[str]) -> list[Word]:
    """Return the words that a term is made of, each with its forms in some languages."""
    words = split_words(term.text)
    found = [_word(word, languages) for word in words]
    if term.kind == "prefix" and words:
        beginning = words[-1].lower()[:LONGEST_TERM]
        found[-1] = Word(frozenset(), beginning)
    return found


def with_parts(words: Iterable[Word]) -> Iterator[Word]:
    """Yield words, and after each camel-case word its parts."""
    for word in words:
        yield word
        yield from word.parts


def _word(word: str, languages: Collection[str]) -> Word:
    parts = tuple(_word(part, languages) for part in parts_of_word(word))
    return Word(frozenset(form for language in languages for form in _forms(word, language)), parts=parts)


def _forms(word: str, language: str) -> tuple[str, ...]:
    """Return a word's lower case and stem; a chunk has a word's parts as terms, which are not the word."""
    lowered = terms_of_word(word, "simple")[0]
    return lowered, stem(lowered, language)


class _Step(NamedTuple):
    """From where to where in a row one of its words leads: one place, or over all its parts."""

    start: int
    end: int


class _Steps(NamedTuple):
    """The steps that a word of a text takes as a whole, and those that each of its parts takes."""

    whole: Sequence[_Step]
    parts: Sequence[Sequence[_Step]]


_NOWHERE: Final[frozenset[int]] = frozenset()


class Row:
    """Words in a row, looked for in many texts: each different word of these is looked at once.

    Of a row of several words, at least two have to be parts of the same camel-case word of a text: "in java" is not in
    "in JavaScript", and "fetch with" is in "fetchWithRetry".
    """

    def __init__(self, term: Sequence[Word]) -> None:
        self._words: list[tuple[_Step, Word]] = []
        self._end = 0
        for word in term:
            end = self._end + max(1, len(word.parts))
            self._words.append((_Step(self._end, end), word))
            self._words += [(_Step(at, at + 1), part) for at, part in enumerate(word.parts, self._end)]
            self._end = end
        self._known: dict[str, dict[str, _Steps | None]] = {}

    def is_in(self, text: str, language: str) -> bool:
        """Tell whether the words stand in a row in a text."""
        known = self._known.setdefault(language, {})
        words = split_words(text)
        for word in set(words) - known.keys():
            known[word] = self._steps_of(word, language)
        reached = _NOWHERE
        for steps in map(known.__getitem__, words):
            reached = _NOWHERE if steps is None else self._after(steps, reached)
            if self._end in reached:
                return True
        return False

    def _steps_of(self, word: str, language: str) -> _Steps | None:
        whole = self._matching(word, language)
        parts = [self._matching(part, language) for part in parts_of_word(word)]
        if self._end == 1:
            whole, parts = [*whole, *chain.from_iterable(parts)], []
        return _Steps(whole, parts) if whole or any(parts) else None

    def _matching(self, word: str, language: str) -> list[_Step]:
        return [step for step, each in self._words if each.is_in(word, language)]

    def _after(self, steps: _Steps, reached: frozenset[int]) -> frozenset[int]:
        """Return the places of the row that are reached behind a word, from those that are reached before it."""
        once = twice = _NOWHERE
        for nth, part in enumerate(steps.parts):
            twice = _led(part, once | twice)
            once = _led(part, reached | {0} if nth == 0 else {0})
            if self._end in twice:
                return twice
        return _led(steps.whole, reached | {0}) | twice


def _led(steps: Sequence[_Step], starts: Collection[int]) -> frozenset[int]:
    return frozenset(step.end for step in steps if step.start in starts)
