"""What the second stage of search needs of a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt

# float32, (number of texts,).
Scores = npt.NDArray[np.float32]

# Of question and text together. Longer ones take time by the square, and chunks have 256 (`ARCHIVE_CHUNK_TOKENS`).
MOST_TOKENS: Final = 512


class Reranker(Protocol):
    """A model that tells how well texts answer a question."""

    @property
    def name(self) -> str:
        """What its scores are kept under, as in ``ARCHIVE_RERANKER``."""

    @property
    def is_of_meaning(self) -> bool:
        """Whether it compares vectors of meaning, beside which words count; it reads both together otherwise."""

    def scores(self, question: str, texts: Sequence[str]) -> Scores:
        """Return how well each text answers the question, higher is better; shape (texts,). One call at a time.

        Raises:
            RerankerError: the model fails, or gives something else than finite numbers.
        """
