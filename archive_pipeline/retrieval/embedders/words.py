"""How near texts come to a question word by word: each word of it counts by the word of the text nearest to it.

The vector of a text is the mean of all its words, in which a detail is lost. Late interaction (Khattab and Zaharia,
2020) compares single words instead, here by static vectors, so that nothing is stored of a text. The length of a word's
vector says how much it means: that of "some" is 2, of "yet" 6, of "origami" 25.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from itertools import islice
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt

from archive_pipeline.retrieval.embedders.interface import Vectors, normalized
from archive_pipeline.text.search_terms import split_words

Nearness = npt.NDArray[np.float32]
Numbers = npt.NDArray[np.intp]

# Different words of a text, from its beginning; a chunk of 256 tokens has fewer.
_MOST_WORDS: Final = 1_000
_MOST_ASKED: Final = 48
# Words whose vectors are kept: 64 MB at most.
_KEPT: Final = 1 << 16


class SumsOfTokens(Protocol):
    """A model that knows single words: ``static.StaticEmbedder``."""

    @property
    def dimensions(self) -> int:
        """Numbers in a vector."""

    def sums(self, texts: Sequence[str]) -> Vectors:
        """Return one vector per text: the sum of its tokens' vectors."""


class WordVectors:
    """Compares texts with questions by their words. Several threads may use one.

    Args:
        model: makes the vector of a word, which is kept until there are too many.
    """

    def __init__(self, model: SumsOfTokens) -> None:
        self._model = model
        self._lock = threading.Lock()
        self._numbers: dict[str, int] = {}
        self._directions: Vectors = np.empty((_KEPT, model.dimensions), dtype=np.float32)
        self._lengths: Nearness = np.empty(_KEPT, dtype=np.float32)

    def nearness(self, question: str, texts: Sequence[str]) -> Nearness | None:
        """Return how near each text comes to the question, 1 if it has all its words; None if that has no words.

        It is the mean, over the words of the question, of the cosine of the nearest word of the text; a word counts by
        the square of its vector's length.

        Args:
            question: what is asked.
            texts: one at least.
        """
        asked, words = _words(question, _MOST_ASKED), [_words(text, _MOST_WORDS) for text in texts]
        with self._lock:
            numbers = self._looked_up([asked, *words])
            asked_weights = self._lengths[numbers[0]] ** 2
            if not asked_weights.any():
                return None
            together, places = np.unique(np.concatenate(numbers[1:]), return_inverse=True)
            # As fast as `@`, whose library keeps another core busy for milliseconds after each product.
            cosines = np.einsum("ad,td->at", self._directions[numbers[0]], self._directions[together])
        best = np.zeros((len(numbers[0]), len(texts)), dtype=np.float32)
        counts = np.array([len(own) for own in numbers[1:]])
        filled = np.flatnonzero(counts)
        if filled.size:
            starts = np.cumsum(counts)[filled] - counts[filled]
            best[:, filled] = np.maximum.reduceat(cosines[:, places], starts, axis=1)
        nearness: Nearness = (asked_weights @ best) / asked_weights.sum()
        return nearness

    def _looked_up(self, texts: Sequence[Sequence[str]]) -> list[Numbers]:
        """Return the numbers of the words of each text."""
        new = self._unknown(texts)
        if len(self._numbers) + len(new) > _KEPT:
            self._numbers.clear()
            new = self._unknown(texts)[:_KEPT]
        if new:
            sums = self._model.sums(new)
            start, end = len(self._numbers), len(self._numbers) + len(new)
            self._directions[start:end] = normalized(sums)
            self._lengths[start:end] = np.linalg.norm(sums, axis=1)
            self._numbers.update(zip(new, range(start, end), strict=True))
        known = self._numbers
        return [np.array([known[word] for word in words if word in known], dtype=np.intp) for words in texts]

    def _unknown(self, texts: Sequence[Sequence[str]]) -> list[str]:
        return list(dict.fromkeys(word for words in texts for word in words if word not in self._numbers))


def _words(text: str, most: int) -> list[str]:
    """Return the first different words of a text."""
    return list(islice(dict.fromkeys(split_words(text.lower())), most))
