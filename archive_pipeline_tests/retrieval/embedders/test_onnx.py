"""Embeddings by models in ONNX, with a model of a few words; skipped without onnxruntime."""

from __future__ import annotations

import json
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from archive_pipeline.errors import ConfigurationError, EmbeddingError, MissingExtraError
from archive_pipeline.retrieval.embedders.onnx import OnnxEmbedder
from archive_pipeline.retrieval.embedders.registry import open_embedder
from archive_pipeline.retrieval.onnx.files import find_files
from archive_pipeline.settings import Settings
from archive_pipeline_tests.retrieval.onnx.tiny_model import save_embedder

VECTORS = {"bread": [1.0, 0.0], "dough": [0.0, 1.0], "search": [0.0, 2.0]}


def opened(folder: Path) -> OnnxEmbedder:
    return OnnxEmbedder(f"onnx:{folder}", partial(find_files, str(folder)))


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A model of three words."""
    pytest.importorskip("onnxruntime")
    return save_embedder(tmp_path / "model", VECTORS)


def test_the_vector_of_a_text_is_the_mean_of_its_tokens(model: Path):
    embedder = open_embedder(Settings(home=model, embedding_model=f"onnx:{model}"))
    vectors = embedder.embed(["bread", "bread dough", "bread bread bread dough", "nothing known"])
    assert vectors.dtype == np.float32
    assert embedder.dimensions == 2
    assert embedder.name == f"onnx:{model}"
    expected = [[1, 0], [0.5**0.5, 0.5**0.5], [3 / 10**0.5, 1 / 10**0.5], [0, 0]]
    np.testing.assert_allclose(vectors, expected, atol=1e-6)
    np.testing.assert_allclose(embedder.embed_query("dough"), [0, 1], atol=1e-6)
    assert embedder.embed([]).shape == (0, 2)


def test_models_of_the_first_token_take_that_one(model: Path):
    (model / "1_Pooling").mkdir()
    (model / "1_Pooling/config.json").write_text(json.dumps({"pooling_mode_cls_token": True}))
    np.testing.assert_allclose(opened(model).embed(["bread dough dough"]), [[1, 0]], atol=1e-6)


def test_a_query_has_the_prompt_of_queries(model: Path):
    (model / "config_sentence_transformers.json").write_text(json.dumps({"prompts": {"query": "search "}}))
    embedder = opened(model)
    np.testing.assert_allclose(embedder.embed_query("bread"), [1 / 5**0.5, 2 / 5**0.5], atol=1e-6)
    np.testing.assert_allclose(embedder.embed(["bread"]), [[1, 0]], atol=1e-6)


def test_texts_longer_than_the_model_reads_are_cut_and_counted(model: Path):
    (model / "tokenizer_config.json").write_text(json.dumps({"model_max_length": 2}))
    embedder = opened(model)
    vectors = embedder.embed(["bread dough", "bread dough dough dough"])
    np.testing.assert_allclose(vectors[0], vectors[1])
    assert embedder.cut_texts == 1


def test_half_characters_are_no_obstacle(model: Path):
    np.testing.assert_allclose(opened(model).embed(["bread \ud83d"]), [[1, 0]], atol=1e-6)


def test_a_model_without_vectors_is_refused(tmp_path: Path):
    pytest.importorskip("onnxruntime")
    folder = save_embedder(tmp_path / "model", VECTORS)
    (folder / "model.onnx").write_bytes(b"no model")
    with pytest.raises(EmbeddingError, match="cannot be loaded") as raised:
        opened(folder)
    assert "\n" not in str(raised.value)


def test_a_folder_without_a_model_is_refused(tmp_path: Path):
    with pytest.raises(EmbeddingError, match="has no ONNX file"):
        opened(tmp_path)


def test_the_prefix_alone_is_no_model(tmp_path: Path):
    with pytest.raises(ConfigurationError, match="onnx:FOLDER"):
        open_embedder(Settings(home=tmp_path, embedding_model="onnx:"))


def test_without_the_extra_it_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    (tmp_path / "model.onnx").touch()
    (tmp_path / "tokenizer.json").touch()
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'llm-archive-pipeline\[search\]'"):
        opened(tmp_path)
