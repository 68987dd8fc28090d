"""Which embedding model is meant by a name, as ``ARCHIVE_EMBEDDING_MODEL`` and ``embedding_generations.model`` have it.

| name | model |
|---|---|
| ``static`` | static vectors of the package wordllama, on any machine, without a network |
| ``minilm`` | all-MiniLM-L6-v2 of a package, on the processor, without a network |
| ``sentence-transformers:NAME`` | a folder, or a model of a hub, that sentence-transformers loads |
| ``onnx:FOLDER`` | a model in ONNX with its tokenizer, on the processor |
| ``http://HOST/v1#MODEL``, ``https://…`` | an endpoint with OpenAI's ``/embeddings`` |
"""

from __future__ import annotations

import importlib.metadata
from functools import partial
from typing import Final

from archive_pipeline.errors import ConfigurationError, MissingExtraError
from archive_pipeline.retrieval.embedders.interface import (
    MINILM,
    ONNX_PREFIX,
    STATIC,
    TRANSFORMERS_PREFIX,
    Embedder,
)
from archive_pipeline.retrieval.onnx.files import find_files
from archive_pipeline.retrieval.onnx.minilm import minilm_files
from archive_pipeline.settings import Settings

SCHEMES: Final = ("http://", "https://")
# What determines the vectors of ``static``: tokens and their vectors, and what cuts texts into tokens.
_PACKAGES_OF_STATIC: Final = ("wordllama", "tokenizers")


def open_embedder(settings: Settings, name: str | None = None) -> Embedder:
    """Return the model of the settings, or the named one with the settings' key and limits.

    Raises:
        ConfigurationError: no model has such a name.
        MissingExtraError: the packages that run it are not installed.
        EmbeddingError: it cannot be loaded.
    """
    name = settings.embedding_model if name is None else name
    # Each is imported when it is used: some of their packages take seconds.
    if name == STATIC:
        from archive_pipeline.retrieval.embedders.static import StaticEmbedder  # noqa: PLC0415

        return StaticEmbedder()
    if name.startswith(TRANSFORMERS_PREFIX) and len(name) > len(TRANSFORMERS_PREFIX):
        from archive_pipeline.retrieval.embedders.transformer import TransformerEmbedder  # noqa: PLC0415

        return TransformerEmbedder(name.removeprefix(TRANSFORMERS_PREFIX))
    if name == MINILM or (name.startswith(ONNX_PREFIX) and len(name) > len(ONNX_PREFIX)):
        from archive_pipeline.retrieval.embedders.onnx import OnnxEmbedder  # noqa: PLC0415

        find = minilm_files if name == MINILM else partial(find_files, name.removeprefix(ONNX_PREFIX))
        return OnnxEmbedder(name, find)
    if name.startswith(SCHEMES):
        from archive_pipeline.retrieval.embedders.endpoint import EndpointEmbedder  # noqa: PLC0415

        key = settings.embedding_api_key
        return EndpointEmbedder(
            name,
            api_key=key.get_secret_value() if key else None,
            requests_per_minute=settings.embedding_requests_per_minute,
        )
    raise ConfigurationError(
        f"there is no embedding model {name!r} (ARCHIVE_EMBEDDING_MODEL, ARCHIVE_QUERY_MODEL, ARCHIVE_RERANKER): "
        f"use {STATIC}, {MINILM}, {ONNX_PREFIX}FOLDER, "
        f"{TRANSFORMERS_PREFIX}NAME or https://HOST/v1#MODEL"
    )


def version_in_workers(name: str) -> str | None:
    """Return the version of a model of which each worker process has its own; None for a model that one process asks.

    That is ``static``. A transformer has a GPU or all processors to itself, and an endpoint's limits are those of one
    client.

    Raises:
        MissingExtraError: its packages are not installed.
    """
    return None if name != STATIC else ",".join(f"{package}={_version(package)}" for package in _PACKAGES_OF_STATIC)


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError as error:
        raise MissingExtraError(
            f"the embedding model '{STATIC}' needs {package}: pip install 'llm-archive-pipeline[search]'"
        ) from error
