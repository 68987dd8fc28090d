"""An embedding model as the second stage: it reads texts one by one, and their vectors are remembered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from archive_pipeline.errors import ConfigurationError, EmbeddingError, RerankerError
from archive_pipeline.retrieval.embedders.interface import Embedder
from archive_pipeline.retrieval.rerank.interface import Scores
from archive_pipeline.retrieval.rerank.remembered import Remembered, text_key

# 16 MB of vectors with 384 dimensions.
MOST_REMEMBERED: Final = 20_000

_Half = npt.NDArray[np.float16]


@dataclass
class EmbeddingReranker:
    """Scores of texts are the cosines of their vectors with the question's.

    Attributes:
        embedder: the model.
        most_remembered: vectors that are kept, by the hashes of their texts, the last used ones.
    """

    embedder: Embedder
    most_remembered: int = MOST_REMEMBERED
    is_of_meaning = True
    _remembered: Remembered[bytes, _Half] = field(init=False, repr=False)
    _asked: tuple[str, npt.NDArray[np.float32]] | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        self._remembered = Remembered(self.most_remembered)

    @property
    def name(self) -> str:
        """That of the embedding model."""
        return self.embedder.name

    def scores(self, question: str, texts: Sequence[str]) -> Scores:
        """Return the cosine of each text, as ``Reranker`` says."""
        try:
            asked = self._question(question)
            vectors = self._vectors(texts)
        except (EmbeddingError, ConfigurationError) as error:
            raise RerankerError(str(error)) from error
        scores: Scores = vectors.astype(np.float32) @ asked
        return scores

    def _question(self, question: str) -> npt.NDArray[np.float32]:
        """Return the vector of a question, which is asked for once for each batch of a search."""
        if self._asked is None or self._asked[0] != question:
            self._asked = question, self.embedder.embed_query(question)
        return self._asked[1]

    def _vectors(self, texts: Sequence[str]) -> _Half:
        keys = [text_key(text) for text in texts]
        known = self._remembered.known(keys)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        if missing:
            made = self.embedder.embed(list(missing.values())).astype(np.float16)
            new = dict(zip(missing, made, strict=True))
            self._remembered.add(new)
            known |= new
        return np.array([known[key] for key in keys])
