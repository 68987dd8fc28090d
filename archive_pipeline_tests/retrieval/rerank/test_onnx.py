"""Models of the second stage in ONNX: cross-encoders and embedding models; skipped without onnxruntime."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from archive_pipeline.errors import RerankerError
from archive_pipeline.retrieval.rerank.embeddings import EmbeddingReranker
from archive_pipeline.retrieval.rerank.onnx import OnnxReranker
from archive_pipeline.retrieval.rerank.opening import open_reranker
from archive_pipeline.settings import Settings
from archive_pipeline_tests.retrieval.onnx.tiny_model import save_cross_encoder, save_embedder

pytest.importorskip("onnxruntime")


def test_a_cross_encoder_reads_question_and_text_together(tmp_path: Path):
    folder = save_cross_encoder(tmp_path / "model", {"bread": [1.0], "dough": [0.25]})
    reranker = open_reranker(Settings(home=tmp_path), f"onnx:{folder}")
    assert isinstance(reranker, OnnxReranker)
    assert not reranker.is_of_meaning
    assert reranker.name == f"onnx:{folder}"
    scores = reranker.scores("bread", ["dough dough", "nothing", "bread"])
    assert scores.dtype == np.float32
    assert scores.tolist() == [1.5, 1.0, 2.0]


def test_a_model_with_several_numbers_for_a_text_is_refused(tmp_path: Path):
    folder = save_cross_encoder(tmp_path / "model", {"bread": [1.0, 2.0, 3.0]})
    with pytest.raises(RerankerError, match="gives 3 numbers for a text instead of one"):
        open_reranker(Settings(home=tmp_path), f"onnx:{folder}")


def test_an_embedding_model_gives_cosines(tmp_path: Path):
    folder = save_embedder(tmp_path / "model", {"bread": [1.0, 0.0], "dough": [0.6, 0.8]})
    reranker = open_reranker(Settings(home=tmp_path), f"onnx:{folder}")
    assert isinstance(reranker, EmbeddingReranker)
    assert reranker.is_of_meaning
    assert reranker.name == f"onnx:{folder}"
    assert reranker.scores("bread", ["dough", "bread", "nothing"]) == pytest.approx([0.6, 1.0, 0.0], abs=1e-3)


@pytest.mark.parametrize("name", ["onnx:", "onnx:/no/folder", "sentence-transformers:"])
def test_a_model_that_is_not_there_is_one_line(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(RerankerError) as raised:
        open_reranker(Settings(home=tmp_path), name)
    assert "\n" not in str(raised.value)
