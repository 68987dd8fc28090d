"""The order of the best pages by their words: how scores are made, and which pages are compared."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from archive_pipeline.retrieval.embedders.words import Nearness
from archive_pipeline.retrieval.search.near_words import MOST_COMPARED, WEIGHT, WORDS, by_words
from archive_pipeline.retrieval.search.results import FoundPage
from archive_pipeline_tests.retrieval.search.found_pages import page


class ByText:
    """Says how near texts are, and remembers what was compared."""

    def __init__(self, near: dict[str, float]) -> None:
        self.near = near
        self.compared: list[str] = []

    def __call__(self, texts: Sequence[str]) -> Nearness:
        self.compared += texts
        return np.array([self.near.get(text, 0.0) for text in texts], dtype=np.float32)


def numbers(pages: Sequence[FoundPage]) -> list[int]:
    return [found.page[1] for found in pages]


def test_scores_are_means_of_what_was_found_and_of_words():
    # Their scores are 1, 1/2 and 1/3; of the words, the second has all and the third a half.
    found = by_words([page(1, "a"), page(2, "b"), page(3, "c")], ByText({"a": 0.2, "b": 0.6, "c": 0.4}))
    assert WEIGHT == 0.3
    assert numbers(found) == [1, 2, 3]
    assert [each.score for each in found] == pytest.approx([1 / 1.3, 0.8 / 1.3, (1 / 3 + 0.15) / 1.3])
    assert [each.shares[WORDS] for each in found] == pytest.approx([0, 1, 0.5])
    assert [each.shares["lexical"] for each in found] == [0, 0, 0]


def test_a_page_with_near_words_passes_others():
    found = by_words([page(1, "a"), page(2, "b"), page(3, "c")], ByText({"c": 1.0}))
    assert numbers(found) == [1, 3, 2]


def test_question_and_answer_are_compared_together():
    near = ByText({})
    by_words([page(1, "why?", side="question", answer="because"), page(2, "an answer")], near)
    assert near.compared == ["why?\n\nbecause", "an answer"]


def test_equal_words_change_no_order_and_the_best_score_is_one():
    found = by_words([page(1, "a"), page(2, "b")], ByText({"a": 0.4, "b": 0.4}))
    assert numbers(found) == [1, 2]
    assert found[0].score == pytest.approx(1)
    [alone] = by_words([page(1, "a")], ByText({"a": 0.1}))
    assert alone.score == pytest.approx(1)


def test_pages_beyond_the_best_stay_below():
    many = [page(number, str(number)) for number in range(1, MOST_COMPARED + 4)]
    near = ByText({str(MOST_COMPARED): 1.0, str(MOST_COMPARED + 1): 9.0})
    found = by_words(many, near)
    assert len(near.compared) == MOST_COMPARED
    assert numbers(found)[-3:] == [MOST_COMPARED + 1, MOST_COMPARED + 2, MOST_COMPARED + 3]
    assert all(WORDS not in each.shares for each in found[-3:])
    assert [each.score for each in found] == sorted((each.score for each in found), reverse=True)
    assert numbers(found).index(MOST_COMPARED) < 4  # 1/30 and all the words are as much as a third and none


def test_without_words_nothing_changes():
    pages = [page(1, "a"), page(2, "b")]
    assert by_words(pages, lambda _texts: None) == pages
    assert by_words([], ByText({})) == []
