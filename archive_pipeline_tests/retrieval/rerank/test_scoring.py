"""Scores within a time, remembered: with a plain object for the model and a clock that tests set."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np
import pytest

from archive_pipeline.errors import RerankerError
from archive_pipeline.retrieval.rerank.interface import Scores
from archive_pipeline.retrieval.rerank.scoring import TEXTS_AT_ONCE, TimedReranker


@dataclass
class Lengths:
    """Longer texts are better; what was read is noted."""

    name: str = "lengths"
    read: list[list[str]] = field(default_factory=list)
    after: Callable[[], object] = lambda: None

    def scores(self, question: str, texts: Sequence[str]) -> Scores:
        self.read.append(list(texts))
        self.after()
        return np.array([len(text) - len(question) for text in texts], dtype=np.float32)


@dataclass
class Clock:
    """A clock that stands."""

    now: float = 0.0

    def __call__(self) -> float:
        return self.now

    def go(self, seconds: float) -> None:
        self.now += seconds


TWENTY = ["x" * length for length in range(20, 0, -1)]


def test_each_text_gets_its_score_in_batches_of_similar_length():
    model = Lengths()
    scores = TimedReranker(model).scores("abc", TWENTY)
    assert scores is not None
    assert scores.tolist() == list(range(17, -3, -1))
    assert [len(batch) for batch in model.read] == [8, 8, 4]
    assert [len(text) for batch in model.read for text in batch] == list(range(1, 21))


def test_no_text_has_no_scores():
    scores = TimedReranker(Lengths()).scores("abc", [])
    assert scores is not None
    assert scores.shape == (0,)


def test_a_text_is_scored_once_for_a_question():
    model = Lengths()
    timed = TimedReranker(model)
    first = timed.scores("q", ["aa", "b", "aa"])
    assert model.read == [["b", "aa"]]
    np.testing.assert_array_equal(timed.scores("q", ["b", "ccc", "aa"]), [0, 2, 1])  # type: ignore[arg-type]
    assert model.read == [["b", "aa"], ["ccc"]]
    np.testing.assert_array_equal(first, [1, 0, 1])  # type: ignore[arg-type]
    timed.scores("other", ["b"])
    assert model.read[2:] == [["b"]]


def test_the_scores_used_last_are_kept():
    model = Lengths()
    timed = TimedReranker(model, most_remembered=2)
    for text in ("a", "b", "a", "c", "a", "b"):  # c takes the place of b, and b later that of c
        timed.scores("q", [text])
    assert model.read == [["a"], ["b"], ["c"], ["b"]]


def test_a_search_may_have_more_texts_than_are_remembered():
    scores = TimedReranker(Lengths(), most_remembered=2).scores("", ["a", "bb", "ccc"])
    assert scores is not None
    assert scores.tolist() == [1, 2, 3]


def test_when_the_time_ends_there_are_no_scores_and_the_next_time_begins_where_it_ended():
    clock = Clock()
    model = Lengths(after=lambda: clock.go(1.0))
    timed = TimedReranker(model, seconds=2.0, clock=clock)
    assert timed.scores("q", TWENTY) is None
    assert [len(batch) for batch in model.read] == [TEXTS_AT_ONCE, TEXTS_AT_ONCE]
    scores = timed.scores("q", TWENTY)
    assert scores is not None
    assert scores.tolist() == list(range(19, -1, -1))
    assert [len(batch) for batch in model.read] == [8, 8, 4]


def test_a_last_batch_that_ends_too_late_counts():
    clock = Clock()
    timed = TimedReranker(Lengths(after=lambda: clock.go(9.0)), seconds=2.0, clock=clock)
    scores = timed.scores("q", ["aa"])
    assert scores is not None
    assert scores.tolist() == [1]


def test_what_is_remembered_needs_no_time():
    timed = TimedReranker(Lengths())
    timed.scores("q", ["aa"])
    timed.seconds = 0.0
    assert timed.scores("q", ["aa"]) is not None
    assert timed.scores("q", ["aa", "b"]) is None


def test_the_model_answers_one_thread_at_a_time():
    inside = threading.Semaphore(1)

    def enter_alone() -> None:
        assert inside.acquire(blocking=False)
        inside.release()

    timed = TimedReranker(Lengths(after=enter_alone), seconds=600)
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda at: timed.scores(f"question {at}", TWENTY), range(20)))
    assert all(scores is not None for scores in found)


@pytest.mark.parametrize("wrong", [[float("nan")], [float("inf")], [1.0, 2.0], []])
def test_something_else_than_a_number_for_each_text_is_an_error(wrong: list[float]):
    class Wrong(Lengths):
        def scores(self, _question: str, _texts: Sequence[str]) -> Scores:
            return np.array(wrong, dtype=np.float32)

    with pytest.raises(RerankerError, match="'lengths' gave something else than a number for each text"):
        TimedReranker(Wrong()).scores("q", ["a"])
