"""Reading queries with another model than the texts: a linear map takes its vectors to where those of the texts are.

A transformer knows that a plum crumble is a stone fruit dessert, and takes too long to read a whole archive. Static
vectors take moments, and do not know. The map is fitted on some texts of the archive, which both models read: the
transformer's vector of a text is predicted from the static one, and a query goes the other way. So texts keep their
static vectors, and only what is searched for is read by the transformer (decision 29).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from archive_pipeline.errors import EmbeddingError
from archive_pipeline.retrieval.embedders.interface import Embedder, Vectors, check_dimensions, normalized

# How much the query's own static vector counts, beside 1 for what the map makes of the other one.
_OWN_SHARE: Final = 0.5
# Of ridge regression; and how much a word counts that stands for a text where the archive has few.
_RIDGE: Final = 0.1
_WORD_WEIGHT: Final = 0.1


@dataclass(frozen=True, slots=True)
class Pairs:
    """Vectors of length 1 of the same texts, a row each: static ones and those of the model that reads queries."""

    own: Vectors
    read: Vectors


@dataclass(frozen=True, slots=True)
class Alignment:
    """The map of a query's vectors.

    Attributes:
        matrix: shape (dimensions of the model that reads queries + 1, dimensions of the texts' vectors); the last row
            is added.
    """

    matrix: Vectors

    def aligned(self, read: Vectors) -> Vectors:
        """Return vectors of length 1 among those of the texts."""
        return normalized(read @ self.matrix[:-1] + self.matrix[-1])


def fit_alignment(texts: Pairs, words: Pairs) -> Alignment:
    """Fit a map.

    Args:
        texts: of the archive.
        words: which keep the map in place where there are few texts; none if there are many.
    """
    own, read = texts.own.astype(np.float64), texts.read.astype(np.float64)
    center = _mean(read)
    given = np.vstack([own - _mean(own), _WORD_WEIGHT * _centered(words.own)])
    wanted = np.vstack([read - center, _WORD_WEIGHT * _centered(words.read)])
    # Nearness of a query and a text is query @ (text @ solved), so the transposed map takes the query.
    solved = np.linalg.solve(given.T @ given + _RIDGE * np.eye(given.shape[1]), given.T @ wanted)
    return Alignment(np.vstack([solved.T, -(center @ solved.T)]).astype(np.float32))


def _centered(vectors: Vectors) -> npt.NDArray[np.float64]:
    wide = vectors.astype(np.float64)
    return wide - _mean(wide)


def _mean(vectors: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the mean of vectors, 0 of none: texts may be deleted while a map is fitted."""
    mean: npt.NDArray[np.float64] = vectors.sum(axis=0) / max(len(vectors), 1)
    return mean


class AlignedEmbedder:
    """A model of texts whose queries are read by another one, too.

    Args:
        own: of texts.
        reader: of queries.
        alignment: fitted to both.

    Methods that read queries raise ``EmbeddingError`` if one of the models is another one now.
    """

    def __init__(self, own: Embedder, reader: Embedder, alignment: Alignment) -> None:
        self._own = own
        self._reader = reader
        self._alignment = alignment

    @property
    def name(self) -> str:
        """The name of the model of texts."""
        return self._own.name

    @property
    def dimensions(self) -> int:
        """Numbers in a vector."""
        return self._own.dimensions

    @property
    def cut_texts(self) -> int:
        """Texts so far of which the model read only the beginning."""
        return self._own.cut_texts

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one vector of length 1 per text: those of the model of texts."""
        return self._own.embed(texts)

    def embed_query(self, text: str) -> Vectors:
        """Return the vector of a query."""
        # Somebody waits for it, which an endpoint is to know.
        aligned = self._aligned(self._reader.embed_query(text)[np.newaxis])
        vector: Vectors = self._with_own(aligned, self._own.embed_query(text)[np.newaxis])[0]
        return vector

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of queries."""
        aligned = self._aligned(self._reader.embed_queries(texts))
        return self._with_own(aligned, self._own.embed_queries(texts))

    def _aligned(self, read: Vectors) -> Vectors:
        if read.shape[1] != len(self._alignment.matrix) - 1:
            raise EmbeddingError(f"{self._reader.name} is another model now; `llm-archive index` fits the map to it")
        return self._alignment.aligned(read)

    def _with_own(self, aligned: Vectors, own: Vectors) -> Vectors:
        check_dimensions(self._own.name, own, aligned.shape[1])
        return normalized(aligned + _OWN_SHARE * own)
