"""An embedding model as the second stage: it reads texts one by one, and their vectors are remembered."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from archive_pipeline.errors import ConfigurationError, EmbeddingError, RerankerError
from archive_pipeline.retrieval.embedders.interface import Embedder
from archive_pipeline.retrieval.rerank.interface import Scores

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
    _remembered: OrderedDict[bytes, _Half] = field(default_factory=OrderedDict, init=False, repr=False)
    _asked: tuple[str, npt.NDArray[np.float32]] | None = field(default=None, init=False, repr=False)

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
        keys = [hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest() for text in texts]
        known = {key: self._remembered[key] for key in keys if key in self._remembered}
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        if missing:
            made = self.embedder.embed(list(missing.values())).astype(np.float16)
            known |= dict(zip(missing, made, strict=True))
        for key in known:
            self._remembered[key] = known[key]
            self._remembered.move_to_end(key)
        while len(self._remembered) > self.most_remembered:
            self._remembered.popitem(last=False)
        return np.array([known[key] for key in keys])
