"""What search needs of an embedding model, and what models have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt

from archive_pipeline.errors import EmbeddingError

Vectors = npt.NDArray[np.float32]

# How ``ARCHIVE_EMBEDDING_MODEL`` names models; see ``registry``.
STATIC: Final = "static"
MINILM: Final = "minilm"
TRANSFORMERS_PREFIX: Final = "sentence-transformers:"
ONNX_PREFIX: Final = "onnx:"


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

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of queries for which nobody waits; shape (texts, dimensions)."""


def normalized(vectors: Vectors) -> Vectors:
    """Return the vectors with length 1; those of length 0 stay."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    scaled: Vectors = (vectors / np.where(lengths == 0, 1, lengths)).astype(np.float32)
    return scaled


def check_dimensions(model: str, vectors: Vectors, stored: int) -> None:
    """Make sure that vectors can be compared with stored ones.

    Args:
        model: whose vectors.
        vectors: one or several.
        stored: dimensions of the stored ones.

    Raises:
        EmbeddingError: they have another size.
    """
    if vectors.shape[-1] != stored:
        raise EmbeddingError(
            f"{model} gives vectors of {vectors.shape[-1]} dimensions, the stored ones have {stored}: it is another "
            "model now; delete its row in derived.embedding_generations, then run `llm-archive index`"
        )
