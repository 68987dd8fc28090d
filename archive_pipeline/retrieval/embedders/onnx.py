"""Embeddings by a model in ONNX, on the processor: exports of sentence-transformers' models, as hubs have them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

import numpy as np

from archive_pipeline.errors import EmbeddingError
from archive_pipeline.retrieval.embedders.interface import Vectors, normalized
from archive_pipeline.retrieval.onnx.files import OnnxFiles, OnnxModelError
from archive_pipeline.retrieval.onnx.model import Numbers, OnnxModel

# Vectors of tokens that are one vector of a text, and those of texts: their numbers of dimensions.
_OF_TOKENS: Final = 2
_OF_TEXT: Final = 1


class OnnxEmbedder:
    """A model, and the files that it is of.

    Attributes:
        name: as in the settings.
        cut_texts: texts that were longer than what the model reads.
    """

    def __init__(self, name: str, find: Callable[[], OnnxFiles]) -> None:
        """Load a model.

        Args:
            name: as in the settings.
            find: returns its files.

        Raises:
            MissingExtraError: onnxruntime is not installed, or a package that has the model.
            EmbeddingError: the model is not there, cannot be loaded or gives no vectors.
        """
        self.name = name
        self.cut_texts = 0
        try:
            self._files = find()
            self._model = OnnxModel(self._files)
            self._dimensions = len(self._vector("dimensions"))
        except OnnxModelError as error:
            raise EmbeddingError(str(error)) from error

    @property
    def dimensions(self) -> int:
        """Numbers in a vector."""
        return self._dimensions

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one vector of length 1 per text."""
        return self._vectors(self._files.text_prompt + text for text in texts)

    def embed_query(self, text: str) -> Vectors:
        """Return the vector of a query, with the prompt that the model wants before one."""
        vector: Vectors = self.embed_queries([text])[0]
        return vector

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of queries, with the same prompt."""
        return self._vectors(self._files.query_prompt + text for text in texts)

    def _vectors(self, texts: Iterable[str]) -> Vectors:
        try:
            found = [self._vector(text) for text in texts]
        except OnnxModelError as error:
            raise EmbeddingError(str(error)) from error
        return normalized(np.array(found, dtype=np.float32).reshape(len(found), self._dimensions))

    def _vector(self, text: str) -> Numbers:
        output, is_cut = self._model.run(text)
        self.cut_texts += is_cut
        if output.ndim == _OF_TEXT:
            return output
        if output.ndim == _OF_TOKENS:
            vector: Numbers = output[0] if self._files.takes_first_token else output.mean(axis=0)
            return vector
        raise OnnxModelError(f"{self._files.model} gives no vectors of texts or tokens")
