"""What was found has to be nearer than chance."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import pytest

from archive_pipeline.retrieval.search.relevance import Relevance, relevance
from archive_pipeline.retrieval.search.retrievers.base import Ranking
from archive_pipeline.retrieval.search.retrievers.dense import with_shares
from archive_pipeline.store.embeddings import Chance

CHANCE = Chance(vector_count=100, usual=0.2, high=0.3, highest_of_few=0.4)


@dataclass(frozen=True)
class Found:
    """A page with a score, a cosine and a share of the words."""

    score: float
    cosine: float | None = None
    words: float | None = None
    others: dict[str, float] = field(default_factory=dict)

    @property
    def scores(self) -> dict[str, float]:
        return self.others | ({} if self.cosine is None else {"dense": self.cosine})

    @property
    def shares(self) -> dict[str, float]:
        return {} if self.words is None else {"lexical": self.words}


@pytest.mark.parametrize(
    ("is_known", "term_count", "is_only_numbers", "cosine"),
    [
        (True, 1, False, 0.2),
        (True, 9, True, 0.2),
        (False, 3, False, 0.3),
        (False, 2, False, 0.4),
        (False, 2, True, math.inf),
    ],
)
def test_words_that_nobody_wrote_need_more_and_such_numbers_are_nowhere(
    is_known: bool, term_count: int, is_only_numbers: bool, cosine: float
):
    needed = relevance(CHANCE, is_any_word_known=is_known, term_count=term_count, is_only_numbers=is_only_numbers)
    assert needed.cosine == cosine


def test_meaning_or_words_are_enough():
    near, wordy = Found(0.9, cosine=0.2), Found(0.8, cosine=0.1, words=0.2)
    assert Relevance(0.2).of([near, wordy]) == [near, wordy]


def test_nothing_stays_if_no_page_is_above_chance():
    assert Relevance(0.2).of([Found(0.9, cosine=0.19, words=0.19), Found(0.8, words=0.1)]) == []
    assert Relevance(0.2).of([]) == []


def test_what_is_below_chance_stays_beside_the_best_only():
    best, beside, far = Found(0.8, cosine=0.5), Found(0.4, cosine=0.1), Found(0.39, cosine=0.1)
    assert Relevance(0.2).of([best, beside, far]) == [best, beside]


def test_what_is_below_chance_sets_no_level_for_others():
    by_chance, wordy, beside = Found(0.9, cosine=0.1), Found(0.4, words=0.3), Found(0.3, cosine=0.1)
    assert Relevance(0.2).of([by_chance, wordy, beside]) == [by_chance, wordy, beside]
    assert Relevance(0.2).of([by_chance, wordy, Found(0.19, cosine=0.1)]) == [by_chance, wordy]


@pytest.mark.parametrize(
    ("chance", "shares"),
    [
        (None, [1.0, 0.5, 0.0]),
        (replace(CHANCE, high=0.2), [1.0, 0.5, 0.0]),
        (replace(CHANCE, high=0.4), [0.75, 0.375, 0.0]),  # the best is at three quarters of it
    ],
)
def test_what_is_near_by_chance_has_a_part_of_the_share(chance: Chance | None, shares: list[float]):
    assert with_shares(Ranking(["a", "b", "c"], [0.3, 0.2, 0.1]), chance).shares == pytest.approx(shares)
    [only] = with_shares(Ranking(["a"], [0.3]), chance).shares or []
    assert only == pytest.approx(shares[0])


def test_the_hundredth_best_and_those_after_it_have_no_share():
    scores = [1 - rank / 200 for rank in range(120)]
    shares = with_shares(Ranking([str(rank) for rank in range(120)], scores), None).shares
    assert shares is not None
    assert (shares[0], shares[33], shares[98]) == pytest.approx((1, 2 / 3, 1 / 99))
    assert shares[99:] == [0] * 21


def test_of_images_no_chance_is_known():
    assert len(Relevance(0.2).of([Found(0.1, others={"visual": 3.0})])) == 1
