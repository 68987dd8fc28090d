"""What the second stage of search needs of a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

# float32, (number of texts,).
Scores = npt.NDArray[np.float32]


class Reranker(Protocol):
    """A model that reads a question and a text together."""

    @property
    def name(self) -> str:
        """What its scores are kept under, as in ``ARCHIVE_RERANKER``."""

    def scores(self, question: str, texts: Sequence[str]) -> Scores:
        """Return how well each text answers the question, higher is better; shape (texts,). One call at a time.

        Raises:
            RerankerError: the model fails, or gives something else than finite numbers.
        """
