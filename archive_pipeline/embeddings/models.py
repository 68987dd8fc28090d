"""Which embedding model is meant by a name, as ``ARCHIVE_EMBEDDING_MODEL`` and ``embedding_generations.model`` have it.

| name | model |
|---|---|
| ``static`` | static vectors of the package wordllama, on any machine, without a network |
| ``sentence-transformers:NAME`` | a folder, or a model of a hub, that sentence-transformers loads |
| ``http://HOST/v1#MODEL``, ``https://…`` | an endpoint with OpenAI's ``/embeddings`` |
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt

from archive_pipeline.errors import ConfigurationError
from archive_pipeline.settings import Settings

Vectors = npt.NDArray[np.float32]

STATIC: Final = "static"
TRANSFORMERS_PREFIX: Final = "sentence-transformers:"
SCHEMES: Final = ("http://", "https://")


class Embedder(Protocol):
    """An embedding model."""

    @property
    def name(self) -> str:
        """Its name, from which ``open_embedder`` opens it again."""

    @property
    def dimensions(self) -> int:
        """Numbers in a vector."""

    @property
    def cut_texts(self) -> int:
        """Texts so far of which the model read only the beginning."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one vector of length 1 per text; shape (texts, dimensions)."""

    def embed_query(self, text: str) -> Vectors:
        """Return the vector of what is searched for; shape (dimensions,)."""


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
        from archive_pipeline.embeddings.static import StaticEmbedder  # noqa: PLC0415

        return StaticEmbedder()
    if name.startswith(TRANSFORMERS_PREFIX) and len(name) > len(TRANSFORMERS_PREFIX):
        from archive_pipeline.embeddings.transformer import TransformerEmbedder  # noqa: PLC0415

        return TransformerEmbedder(name.removeprefix(TRANSFORMERS_PREFIX))
    if name.startswith(SCHEMES):
        from archive_pipeline.embeddings.endpoint import EndpointEmbedder  # noqa: PLC0415

        return EndpointEmbedder(
            name, api_key=settings.embedding_api_key, requests_per_minute=settings.embedding_requests_per_minute
        )
    raise ConfigurationError(
        f"ARCHIVE_EMBEDDING_MODEL={name!r}: use {STATIC}, {TRANSFORMERS_PREFIX}PATH or https://HOST/v1#MODEL"
    )


def normalized(vectors: Vectors) -> Vectors:
    """Return the vectors with length 1; those of length 0 stay."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    scaled: Vectors = (vectors / np.where(lengths == 0, 1, lengths)).astype(np.float32)
    return scaled
