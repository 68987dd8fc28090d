"""Cross-encoders of sentence-transformers, with models of a few random numbers made on the spot; skipped without it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from archive_pipeline.errors import MissingExtraError, RerankerError
from archive_pipeline.retrieval.rerank.cross_encoder import MOST_TOKENS, CrossEncoderReranker

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "bread", "dough", "planet", "the", "a"]


def save_model(folder: Path, *, labels: int = 1, reads: int = 16, kind: str = "BertForSequenceClassification") -> Path:
    """Write a BERT of one layer that gives a pair so many numbers."""
    pytest.importorskip("sentence_transformers")
    transformers = pytest.importorskip("transformers")
    torch = pytest.importorskip("torch")
    folder.mkdir()
    (folder / "vocab.txt").write_text("\n".join(WORDS))
    vocabulary = str(folder / "vocab.txt")
    transformers.BertTokenizerFast(vocab_file=vocabulary, model_max_length=reads).save_pretrained(folder)
    config: Any = transformers.BertConfig(
        vocab_size=len(WORDS),
        hidden_size=8,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=8,
        max_position_embeddings=reads,
        num_labels=labels,
        initializer_range=1.0,
    )
    torch.manual_seed(1)
    getattr(transformers, kind)(config).save_pretrained(folder)
    return folder


def test_a_folder_is_loaded_and_scores_pairs(tmp_path: Path):
    reranker = CrossEncoderReranker(str(save_model(tmp_path / "model")))
    scores = reranker.scores("the bread", ["a dough", "planet planet the", "a dough"])
    assert scores.shape == (3,)
    assert scores.dtype == np.float32
    assert scores[0] == pytest.approx(scores[2], abs=1e-5)
    assert scores[0] != pytest.approx(scores[1], abs=1e-3)
    assert reranker.scores("planet", ["a dough"])[0] != pytest.approx(scores[0], abs=1e-3)
    assert reranker.name == str(tmp_path / "model")


def test_scores_are_those_of_the_model_without_a_sigmoid(tmp_path: Path):
    folder = save_model(tmp_path / "model")
    reranker = CrossEncoderReranker(str(folder))
    torch, transformers = pytest.importorskip("torch"), pytest.importorskip("transformers")
    tokens = transformers.AutoTokenizer.from_pretrained(folder)("the bread", "a dough", return_tensors="pt")
    model = transformers.AutoModelForSequenceClassification.from_pretrained(folder).eval()
    with torch.inference_mode():
        expected = model(**tokens).logits.item()
    assert reranker.scores("the bread", ["a dough"])[0] == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("reads", [16, 2 * MOST_TOKENS])
def test_the_beginning_of_a_long_text_is_read(tmp_path: Path, reads: int):
    reranker = CrossEncoderReranker(str(save_model(tmp_path / "model", reads=reads)))
    long = "dough " * MOST_TOKENS
    scores = reranker.scores("bread", [long, long + "planet " * MOST_TOKENS])
    assert scores[0] == pytest.approx(scores[1], abs=1e-4)


def test_a_model_with_several_numbers_for_a_text_is_no_reranker(tmp_path: Path):
    with pytest.raises(RerankerError, match="gives 3 numbers for a text instead of one"):
        CrossEncoderReranker(str(save_model(tmp_path / "model", labels=3)))


@pytest.mark.parametrize("labels", [1, 2])
def test_an_embedding_model_is_no_reranker(tmp_path: Path, labels: int):
    folder = save_model(tmp_path / "model", labels=labels, kind="BertModel")
    with pytest.raises(RerankerError, match="is no cross-encoder"):
        CrossEncoderReranker(str(folder))


def test_a_model_of_embeddings_saved_by_sentence_transformers_is_no_reranker(tmp_path: Path):
    package = pytest.importorskip("sentence_transformers")
    folder = save_model(tmp_path / "bert", kind="BertModel")
    package.SentenceTransformer(str(folder)).save(str(tmp_path / "model"))
    with pytest.raises(RerankerError, match="is no cross-encoder"):
        CrossEncoderReranker(str(tmp_path / "model"))


def test_a_cross_encoder_saved_by_sentence_transformers_is_loaded(tmp_path: Path):
    package = pytest.importorskip("sentence_transformers")
    folder = save_model(tmp_path / "bert")
    package.CrossEncoder(str(folder)).save_pretrained(str(tmp_path / "model"))
    expected = CrossEncoderReranker(str(folder)).scores("the bread", ["a dough"])
    found = CrossEncoderReranker(str(tmp_path / "model")).scores("the bread", ["a dough"])
    assert found == pytest.approx(expected, abs=1e-5)


def test_a_model_that_cannot_be_loaded_is_one_line(tmp_path: Path):
    pytest.importorskip("sentence_transformers")
    with pytest.raises(RerankerError, match="cannot load the reranker") as raised:
        CrossEncoderReranker(f"{tmp_path}/nothing")
    assert "\n" not in str(raised.value)


def test_a_damaged_folder_is_one_line(tmp_path: Path):
    folder = save_model(tmp_path / "model")
    (folder / "model.safetensors").write_bytes(b"no weights")
    with pytest.raises(RerankerError, match="cannot load the reranker") as raised:
        CrossEncoderReranker(str(folder))
    assert "\n" not in str(raised.value)


def test_without_the_extra_it_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'llm-archive-pipeline\[search-transformers\]'"):
        CrossEncoderReranker("any")
