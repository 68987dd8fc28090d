"""The best pages in the order of what was found, and of how near their words come to those of the question."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from archive_pipeline.retrieval.embedders.words import Nearness
from archive_pipeline.retrieval.search.results import FoundPage

MOST_COMPARED: Final = 30
# Beside 1 for what the retrievers say; learnt on the tuning half of `make bench-quality`, where 0.2 to 0.5 do as well.
WEIGHT: Final = 0.3
# The name of the share in ``FoundPage.shares``.
WORDS: Final = "words"


def by_words(pages: Sequence[FoundPage], nearness: Callable[[Sequence[str]], Nearness | None]) -> list[FoundPage]:
    """Return the pages with the share of their words in their scores, best first; 1 is still the highest score.

    The share lies between the page whose words are farthest and the one whose words are nearest; pages beyond the best
    ones have none.

    Args:
        pages: best first.
        nearness: how near texts come to the question; None if that has no words.
    """
    compared = pages[:MOST_COMPARED]
    near = nearness([page.text for page in compared]) if compared else None
    if near is None:
        return list(pages)
    spread = near.max() - near.min()
    shares = (near - near.min()) / spread if spread > 0 else np.ones_like(near)
    placed = [
        replace(page, score=(page.score + WEIGHT * share) / (1 + WEIGHT), shares={**page.shares, WORDS: share})
        for page, share in zip(compared, shares.tolist(), strict=True)
    ]
    others = [replace(page, score=page.score / (1 + WEIGHT)) for page in pages[MOST_COMPARED:]]
    return sorted([*placed, *others], key=lambda page: -page.score)
