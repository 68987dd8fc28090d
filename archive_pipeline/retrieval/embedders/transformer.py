"""Embeddings by sentence-transformers: a folder or a hub's model, on the GPU where there is one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from archive_pipeline.domain.optional import import_optional
from archive_pipeline.domain.reasons import first_line
from archive_pipeline.errors import EmbeddingError
from archive_pipeline.retrieval.embedders.interface import TRANSFORMERS_PREFIX, Vectors, normalized

EXTRA: Final = "search-transformers"
_TEXTS_AT_ONCE: Final = 64


class TransformerEmbedder:
    """A model that sentence-transformers loads.

    Attributes:
        name: as in the settings.
        cut_texts: texts that were longer than what the model reads.
    """

    def __init__(self, model: str) -> None:
        package = import_optional(
            "sentence_transformers", extra=EXTRA, purpose=f"the embedding model '{TRANSFORMERS_PREFIX}…'"
        )
        self.name = f"{TRANSFORMERS_PREFIX}{model}"
        self.cut_texts = 0
        try:
            self._model: Any = package.SentenceTransformer(model)
        except (OSError, ValueError) as error:
            reason = first_line(error)
            raise EmbeddingError(f"sentence-transformers cannot load {model!r}: {reason}") from error

    @property
    def dimensions(self) -> int:
        """Numbers in a vector."""
        return len(self.embed_query("dimensions"))

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one vector of length 1 per text."""
        self.cut_texts += self._too_long(texts)
        return self._vectors(self._model.encode_document, list(texts))

    def embed_query(self, text: str) -> Vectors:
        """Return the vector of a query, with the prompt that the model wants before one."""
        vector: Vectors = self.embed_queries([text])[0]
        return vector

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of queries, with the same prompt."""
        return self._vectors(self._model.encode_query, list(texts))

    def _vectors(self, encode: Any, texts: list[str]) -> Vectors:
        found = encode(texts, batch_size=_TEXTS_AT_ONCE, convert_to_numpy=True, show_progress_bar=False)
        return normalized(np.asarray(found, dtype=np.float32))

    def _too_long(self, texts: Sequence[str]) -> int:
        limit = self._model.max_seq_length
        if limit is None:
            return 0
        found = self._model.tokenizer(list(texts), truncation=False, padding=False, verbose=False)["input_ids"]
        return sum(len(tokens) > limit for tokens in found)
