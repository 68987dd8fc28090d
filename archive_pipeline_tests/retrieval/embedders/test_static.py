"""Static embeddings: means of token vectors, in batches of any size, near for texts that say the same."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import numpy as np
import psutil
import pytest

from archive_pipeline.errors import ConfigurationError, MissingExtraError
from archive_pipeline.retrieval.embedders import static
from archive_pipeline.retrieval.embedders.interface import Vectors
from archive_pipeline.retrieval.embedders.registry import open_embedder, version_in_workers
from archive_pipeline.retrieval.embedders.static import StaticEmbedder
from archive_pipeline.settings import Settings

SETTINGS = Settings(home=Path("/nowhere"))


@pytest.fixture(scope="module")
def embedder() -> StaticEmbedder:
    pytest.importorskip("safetensors")
    pytest.importorskip("tokenizers")
    return StaticEmbedder()


def cosine(one: Vectors, other: Vectors) -> float:
    return float(one @ other)


def test_vectors_have_length_one_and_the_stated_dimensions(embedder: StaticEmbedder):
    vectors = embedder.embed(["a", "Some words", "日本語", "👩‍👩‍👧‍👦", " "])
    assert vectors.shape == (5, embedder.dimensions) == (5, 256)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert embedder.embed([]).shape == (0, 256)


def test_a_text_without_tokens_has_no_direction(embedder: StaticEmbedder):
    vectors = embedder.embed(["", "word", ""])
    assert np.linalg.norm(vectors, axis=1).tolist() == pytest.approx([0, 1, 0])


def test_a_text_has_one_vector_whatever_it_is_embedded_with(embedder: StaticEmbedder, monkeypatch: pytest.MonkeyPatch):
    texts = [f"Text number {number} " + "with words " * (number % 7) for number in range(50)]
    together = embedder.embed(texts)
    monkeypatch.setattr(static, "_TOKENS_AT_ONCE", 32)
    np.testing.assert_array_equal(embedder.embed(texts), together)
    np.testing.assert_array_equal([embedder.embed_query(text) for text in texts], together)


def test_what_is_about_the_same_is_nearer_than_what_is_not(embedder: StaticEmbedder):
    bread, dough, planet = embedder.embed(
        ["How do I bake bread?", "Knead the dough and put it into the oven.", "Jupiter is the largest planet."]
    )
    assert cosine(bread, dough) > cosine(bread, planet) + 0.1


def test_it_is_the_default_and_opened_by_its_name(embedder: StaticEmbedder):
    assert open_embedder(SETTINGS).name == "static"
    assert open_embedder(SETTINGS, embedder.name).dimensions == 256


def test_the_package_that_downloads_is_not_imported(embedder: StaticEmbedder):
    code = (
        "import sys; from archive_pipeline.retrieval.embedders.static import StaticEmbedder; StaticEmbedder(); "
        "print(*sys.modules)"
    )
    modules = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    assert not {"wordllama", "requests", "torch"} & set(modules)


@pytest.mark.parametrize("package", ["wordllama", "tokenizers", "safetensors"])
def test_without_the_extra_it_says_how_to_install_it(package: str):
    # A module that is None cannot be imported.
    code = (
        f"import sys; sys.modules['{package}'] = None\n"
        "from archive_pipeline.retrieval.embedders.static import StaticEmbedder\n"
        "from archive_pipeline.errors import MissingExtraError\n"
        "try:\n    StaticEmbedder()\nexcept MissingExtraError as error:\n    print(error)"
    )
    said = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert said.count("\n") == 1
    assert said.startswith(f"the embedding model 'static' needs {package}")
    assert "pip install 'llm-archive-pipeline[search]'" in said


@pytest.mark.parametrize("name", ["statik", "sentence-transformers:", "openai", ""])
def test_a_name_that_means_nothing_is_an_error(name: str):
    with pytest.raises(ConfigurationError, match="ARCHIVE_EMBEDDING_MODEL"):
        open_embedder(SETTINGS, name)


def test_a_missing_extra_is_an_error_of_the_project():
    assert issubclass(MissingExtraError, Exception)


def test_workers_have_their_own_and_say_of_which_version(embedder: StaticEmbedder, monkeypatch: pytest.MonkeyPatch):
    versions = {"wordllama": "1.2", "tokenizers": "3.4"}
    monkeypatch.setattr("importlib.metadata.version", versions.__getitem__)
    assert version_in_workers(embedder.name) == "wordllama=1.2,tokenizers=3.4"


@pytest.mark.parametrize("name", ["sentence-transformers:folder", "https://host/v1#model"])
def test_other_models_are_asked_by_one_process(name: str):
    assert version_in_workers(name) is None


def test_a_worker_without_the_extra_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch):
    def missing(package: str) -> str:
        raise PackageNotFoundError(package)

    monkeypatch.setattr("importlib.metadata.version", missing)
    with pytest.raises(
        MissingExtraError, match=r"'static' needs wordllama: pip install 'llm-archive-pipeline\[search\]'"
    ):
        version_in_workers("static")


@pytest.mark.slow
def test_texts_that_come_once_are_not_kept(embedder: StaticEmbedder):
    # With what its library remembers of texts it grew by 7 MB for each of these rounds, ten thousand texts long.
    def embed(first: int) -> int:
        embedder.embed([" ".join(f"w{first + number}x{word}" for word in range(30)) for number in range(1_000)])
        return psutil.Process().memory_info().rss

    held = [embed(1_000 * number) for number in range(8)]
    assert held[-1] - held[1] < 20_000_000
