"""Chunks that have something, as arrays: those that have two things, either of them, or the most of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from archive_pipeline.text.search_terms import WEIGHT_SCALE

Numbers = npt.NDArray[np.int64]
Scores = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Matches:
    """Chunks that have something: their numbers, ascending, and how much each is about it."""

    numbers: Numbers
    weights: Scores


NOTHING: Final = Matches(np.zeros(0, dtype=np.int64), np.zeros(0))


def restricted(found: Matches, numbers: Numbers) -> Matches:
    """Return those of the matches whose numbers are among others."""
    kept = np.isin(found.numbers, numbers, assume_unique=True)
    return Matches(found.numbers[kept], found.weights[kept])


def restricted_to(found: Matches, numbers: Numbers | None) -> Matches:
    """Return the same, or all of the matches if there are no others."""
    return found if numbers is None else restricted(found, numbers)


def without(found: Matches, others: Matches) -> Matches:
    """Return the matches that are not among others."""
    return restricted(found, np.setdiff1d(found.numbers, others.numbers, assume_unique=True))


def joined(postings: Sequence[tuple[int, bytes, bytes]]) -> Matches:
    """Return the matches of a term from its rows: first number, ordinals and weights."""
    numbers = [np.frombuffer(ordinals, dtype="<u2").astype(np.int64) + first for first, ordinals, _ in postings]
    weights = [np.frombuffer(held, dtype=np.uint8) for _, _, held in postings]
    return Matches(np.concatenate(numbers), np.concatenate(weights) / WEIGHT_SCALE)


def any_of(found: Sequence[Matches]) -> Matches:
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


def both(one: Matches, other: Matches) -> Matches:
    """Return the chunks with two things, which count as much."""
    numbers, of_one, of_other = np.intersect1d(one.numbers, other.numbers, assume_unique=True, return_indices=True)
    return Matches(numbers, (one.weights[of_one] + other.weights[of_other]) / 2)


def over_edges(of_words: Sequence[Numbers]) -> Numbers:
    """Return the chunks that have the first of some words and, with the next chunk, which has the last one, all words.

    Args:
        of_words: the chunks with each word, ascending; two words or more.
    """
    found = np.intersect1d(of_words[0], of_words[-1] - 1, assume_unique=True)
    for numbers in of_words[1:-1]:
        found = found[np.isin(found, numbers) | np.isin(found + 1, numbers)]
    return found


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
