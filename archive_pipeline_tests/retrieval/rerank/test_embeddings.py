"""An embedding model as the second stage: what it is asked, and what is remembered."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from archive_pipeline.errors import EmbeddingError, RerankerError
from archive_pipeline.retrieval.embedders.interface import Vectors
from archive_pipeline.retrieval.rerank.embeddings import EmbeddingReranker


class ByLength:
    """The vector of a text is a direction that its length gives: 0 degrees for none, 30 for each character."""

    name = "by length"
    dimensions = 2
    cut_texts = 0

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.asked += texts
        angles = np.radians([30 * len(text) for text in texts])
        return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        return self.embed(texts)

    def embed_query(self, text: str) -> Vectors:
        vector: Vectors = self.embed([text])[0]
        return vector


def test_scores_are_cosines():
    scores = EmbeddingReranker(ByLength()).scores("a", ["b", "bb", "bbbb"])
    assert scores == pytest.approx([1, 0.75**0.5, 0], abs=1e-3)


def test_question_and_texts_are_embedded_once():
    model = ByLength()
    reranker = EmbeddingReranker(model)
    reranker.scores("q", ["a", "bb", "a"])
    reranker.scores("q", ["bb", "ccc"])
    assert model.asked == ["q", "a", "bb", "ccc"]
    reranker.scores("other", ["a"])
    assert model.asked == ["q", "a", "bb", "ccc", "other"]


def test_the_last_used_vectors_are_kept():
    model = ByLength()
    reranker = EmbeddingReranker(model, most_remembered=2)
    reranker.scores("q", ["a", "bb"])
    reranker.scores("q", ["a"])
    reranker.scores("q", ["ccc"])  # "bb" was used before "a"
    reranker.scores("q", ["a", "bb"])
    assert model.asked == ["q", "a", "bb", "ccc", "bb"]


def test_an_error_of_the_model_is_one_of_the_second_stage(monkeypatch: pytest.MonkeyPatch):
    def fail(_texts: Sequence[str]) -> Vectors:
        raise EmbeddingError("no memory")

    model = ByLength()
    monkeypatch.setattr(model, "embed", fail)
    with pytest.raises(RerankerError, match="no memory"):
        EmbeddingReranker(model).scores("q", ["a"])
