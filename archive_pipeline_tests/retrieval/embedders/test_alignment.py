"""The map of queries: what a text and a query mean together brings them together, whichever model read them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.errors import EmbeddingError
from archive_pipeline.retrieval.embedders.alignment import AlignedEmbedder, Alignment, Pairs, fit_alignment
from archive_pipeline.retrieval.embedders.interface import Vectors, normalized


class Fixed:
    """Has the same vector for all texts."""

    cut_texts = 3

    def __init__(self, name: str, vector: Sequence[float]) -> None:
        self.name = name
        self.dimensions = len(vector)
        self._vector = np.array(vector, dtype=np.float32)

    def embed(self, texts: Sequence[str]) -> Vectors:
        return np.tile(self._vector, (len(texts), 1))

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return self.embed(texts)

    def embed_query(self, text: str) -> Vectors:
        return self.embed([text])[0]


def directions(seed: int, number: int, dimensions: int) -> Vectors:
    return normalized(np.random.default_rng(seed).normal(size=(number, dimensions)).astype(np.float32))


def nothing(own: int, read: int) -> Pairs:
    return Pairs(np.zeros((0, own), dtype=np.float32), np.zeros((0, read), dtype=np.float32))


def rotation(seed: int, dimensions: int) -> Vectors:
    return np.linalg.qr(np.random.default_rng(seed).normal(size=(dimensions, dimensions)))[0].astype(np.float32)


@given(seed=st.integers(0, 1_000))
def test_a_query_comes_to_the_text_that_means_the_same(seed: int):
    read, queries, turn = directions(seed, 400, 4), directions(seed + 1, 20, 4), rotation(seed + 2, 4)
    alignment = fit_alignment(Pairs(read @ turn, read), nothing(4, 4))
    assert np.sum(alignment.aligned(queries) * (queries @ turn), axis=1).min() > 0.98


def test_words_keep_the_map_in_place_where_there_are_few_texts():
    read, queries, turn = directions(1, 1_000, 32), directions(2, 50, 32), rotation(3, 32)
    few, words = Pairs(read[:10] @ turn, read[:10]), Pairs(read[10:] @ turn, read[10:])
    alone, beside = (
        np.mean(np.sum(fit_alignment(few, these).aligned(queries) * (queries @ turn), axis=1))
        for these in (nothing(32, 32), words)
    )
    assert beside > alone + 0.2


def test_a_query_is_between_what_both_models_make_of_it_and_a_text_is_what_it_was():
    own, reader = Fixed("static", [0, 1]), Fixed("minilm", [1, 0, 0])
    # The first number of the reader's vectors is the first one of the others; 0.5 is added to the second one.
    alignment = Alignment(np.array([[0.5, -0.5], [0, 0], [0, 0], [0, 0.5]], dtype=np.float32))
    embedder = AlignedEmbedder(own, reader, alignment)
    np.testing.assert_allclose(alignment.aligned(reader.embed(["q"])), [[1, 0]], atol=1e-6)
    np.testing.assert_allclose(embedder.embed_query("q"), [2 / 5**0.5, 1 / 5**0.5], atol=1e-6)
    np.testing.assert_allclose(embedder.embed(["t", "u"]), [[0, 1], [0, 1]])
    assert (embedder.name, embedder.dimensions, embedder.cut_texts) == ("static", 2, 3)
    assert embedder.embed_queries([]).shape == (0, 2)


def test_a_query_is_asked_as_one_that_somebody_waits_for(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delattr(Fixed, "embed_queries")  # which an endpoint tries for minutes
    embedder = AlignedEmbedder(Fixed("a", [0, 1]), Fixed("b", [1, 0]), Alignment(np.eye(3, 2, dtype=np.float32)))
    assert embedder.embed_query("q").shape == (2,)


@pytest.mark.parametrize(("own", "read", "changed"), [([0, 1], [1, 0, 0], "b is"), ([0, 1, 0], [1, 0], "a gives")])
def test_a_model_that_is_another_one_now_is_an_error(own: list[float], read: list[float], changed: str):
    embedder = AlignedEmbedder(Fixed("a", own), Fixed("b", read), Alignment(np.eye(3, 2, dtype=np.float32)))
    with pytest.raises(EmbeddingError, match=f"{changed}.* another model now"):
        embedder.embed_query("q")


def test_the_same_pairs_give_the_same_map():
    pairs = Pairs(directions(3, 60, 3), directions(4, 60, 4))
    maps = [fit_alignment(pairs, nothing(3, 4)).matrix for _ in range(2)]
    assert maps[0].shape == (5, 3)
    np.testing.assert_array_equal(*maps)
    assert np.isfinite(maps[0]).all()


@pytest.mark.parametrize("number", [0, 1, 2, 3])
def test_no_texts_and_a_few_equal_ones_are_no_error(number: int):
    one = Pairs(np.tile(directions(5, 1, 3), (number, 1)), np.tile(directions(6, 1, 4), (number, 1)))
    assert np.isfinite(fit_alignment(one, nothing(3, 4)).matrix).all()
