"""Texts and questions word by word: the nearest word of a text counts, by how much the asked word means."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.retrieval.embedders import words as module
from archive_pipeline.retrieval.embedders.interface import Vectors
from archive_pipeline.retrieval.embedders.static import StaticEmbedder
from archive_pipeline.retrieval.embedders.words import WordVectors

# Directions in a plane, and how much each word means.
VECTORS = {
    "cat": (3.0, 0.0),
    "kitten": (2.4, 1.8),  # length 3, cosine 0.8 to "cat"
    "tax": (0.0, 2.0),
    "the": (0.6, 0.8),  # length 1
    "猫": (3.0, 0.0),
    "犬": (0.0, 3.0),
    "हिन्दी": (2.0, 0.0),
}


class Plane:
    """Knows the words above; others have no direction."""

    dimensions = 2

    def __init__(self) -> None:
        self.asked: list[str] = []

    def sums(self, texts: Sequence[str]) -> Vectors:
        self.asked += texts
        return np.array([VECTORS.get(text, (0.0, 0.0)) for text in texts], dtype=np.float32).reshape(-1, 2)


def nearness(question: str, *texts: str) -> list[float]:
    found = WordVectors(Plane()).nearness(question, texts)
    assert found is not None
    return found.tolist()


def test_each_word_counts_by_its_nearest_one_and_by_what_it_means():
    # 9 of 13 for "cat", 4 for "tax"; between "tax" and "kitten" the cosine is 0.6.
    assert nearness("cat tax", "The cat.", "kitten, kitten", "TAX", "Cat and tax!") == pytest.approx(
        [(9 * 1 + 4 * 0.8) / 13, (9 * 0.8 + 4 * 0.6) / 13, (9 * 0 + 4 * 1) / 13, 1]
    )


def test_a_word_that_means_little_counts_little():
    assert nearness("the cat", "the") == pytest.approx([(1 * 1 + 9 * 0.6) / 10])


def test_what_is_written_without_spaces_is_read_by_character():
    assert nearness("猫犬", "犬猫", "猫") == pytest.approx([1, 0.5])


def test_a_word_with_marks_is_one_word():
    assert nearness("हिन्दी", "हिन्दी", "tax") == pytest.approx([1, 0])


def test_a_text_without_words_is_near_to_nothing():
    assert nearness("cat", "?!", "cat", "") == [0, 1, 0]
    assert nearness("cat", "…") == [0]


@pytest.mark.parametrize("question", ["", "?", "unknown"])
def test_a_question_without_words_that_mean_something_compares_nothing(question: str):
    assert WordVectors(Plane()).nearness(question, ["cat"]) is None


def test_a_word_is_asked_for_once():
    model = Plane()
    words = WordVectors(model)
    for _ in range(3):
        words.nearness("cat tax", ["the cat", "kitten the"])
    assert sorted(model.asked) == ["cat", "kitten", "tax", "the"]


def test_words_are_forgotten_when_there_are_too_many(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "_KEPT", 4)
    words = WordVectors(Plane())
    for text in ("kitten the", "tax the", "kitten tax", "the", "cat"):
        found = words.nearness("cat", [text])
        assert found is not None
        assert found.tolist() == pytest.approx(nearness("cat", text))
    # Of more words than are kept at all, the first ones count.
    assert words.nearness("cat", ["a b c cat"]) == pytest.approx([1])
    assert words.nearness("cat", ["a b c d e f kitten"]) == pytest.approx([0])


def test_long_texts_and_questions_are_read_from_their_beginning(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "_MOST_WORDS", 2)
    monkeypatch.setattr(module, "_MOST_ASKED", 1)
    assert nearness("cat tax", "a b cat", "cat a b") == [0, 1]


def test_threads_share_it():
    words = WordVectors(Plane())
    texts = [f"word{number} cat" for number in range(200)]
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda text: words.nearness("cat", [text]), texts))
    assert all(each == pytest.approx([1]) for each in found)


@pytest.fixture(scope="module")
def real() -> WordVectors:
    pytest.importorskip("safetensors")
    pytest.importorskip("tokenizers")
    return WordVectors(StaticEmbedder())


def test_words_of_one_meaning_are_near(real: WordVectors):
    found = real.nearness("my pet was unwell", ["the dog is sick", "the invoice is due", "my pet was unwell"])
    assert found is not None
    assert found[1] < found[0] < found[2] == pytest.approx(1)


TEXT = st.lists(st.sampled_from([*VECTORS, "unknown", "?"]), max_size=6).map(" ".join)


@given(st.lists(TEXT, min_size=1, max_size=5), TEXT)
def test_a_text_has_one_nearness_whatever_it_is_compared_with(texts: list[str], question: str):
    words = WordVectors(Plane())
    together = words.nearness(question, texts)
    for at, text in enumerate(texts):
        alone = WordVectors(Plane()).nearness(question, [text])
        assert (alone is None) is (together is None)
        if alone is not None and together is not None:
            assert alone[0] == pytest.approx(together[at], abs=1e-6)
            assert -1e-6 <= alone[0] <= 1 + 1e-6


@given(TEXT, TEXT, st.lists(st.sampled_from(list(VECTORS)), min_size=1).map(" ".join))
def test_more_words_bring_a_text_no_farther(text: str, more: str, question: str):
    found = WordVectors(Plane()).nearness(question, [f"{text} cat", f"{text} cat {more}"])
    assert found is not None
    assert found[1] >= found[0] - 1e-6
