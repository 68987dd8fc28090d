"""The second stage of a search: a better model than that of the index orders the best pages anew."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Final

import numpy as np

from archive_pipeline.retrieval.rerank.interface import Scores
from archive_pipeline.retrieval.rerank.scoring import TimedReranker
from archive_pipeline.retrieval.search.modes import Retriever
from archive_pipeline.retrieval.search.near_words import WORDS
from archive_pipeline.retrieval.search.relevance import NEAR_TO_BEST
from archive_pipeline.retrieval.search.results import FoundPage

MOST_RERANKED: Final = 50
# Of an embedding model, which remembers most texts, so many more if there is time.
MORE_RERANKED: Final = 50
# Beside an embedding model's cosines; learnt on the tuning half of `make bench-quality` with all-MiniLM-L6-v2.
SECOND_WEIGHT: Final = 0.35
FIRST_WEIGHTS: Final[Mapping[str, float]] = MappingProxyType(
    {Retriever.DENSE: 0.15, Retriever.LEXICAL: 0.5, WORDS: 0.2}
)
NOT_RERANKED: Final = "the order is that of the first stage: {reason}"
NO_TIME: Final = "the reranker needs more than {seconds:g} s for this search"


def reranked(
    pages: Sequence[FoundPage], relevant: Sequence[FoundPage], question: str, reranker: TimedReranker
) -> list[FoundPage] | None:
    """Return the pages, the best ones ordered by their scores of the model; equal ones and all others keep their order.

    Beside the cosines of an embedding model, words and meaning of the first stage count, too; and what is not relevant
    in the first stage's meaning stays if it is nearly as good as the best page by all three. The highest ``score`` goes
    to the page that is first now, the next one to the second: what sorts by scores gets the order of the second stage,
    and pages beyond the best ones stay below them. None if the time ends before the best 50 are scored.

    Args:
        pages: of the first stage.
        relevant: those of them that are shown without a second stage.
        question: what is asked.
        reranker: the model.

    Raises:
        RerankerError: the model fails.
    """
    if not reranker.reranker.is_of_meaning:
        read = _read(relevant, question, reranker, more=0)
        return None if read is None else _placed(relevant, read, list(range(len(read))), read)
    read = _read(pages, question, reranker, more=MORE_RERANKED)
    if read is None:
        return None
    together = _beside_first_stage(read, pages)
    kept = {found.page for found in relevant}
    enough = NEAR_TO_BEST * together.max()
    shown = [at for at in range(len(read)) if pages[at].page in kept or together[at] >= enough]
    others = [found for found in pages[len(read) :] if found.page in kept]
    return _placed([*pages[: len(read)], *others], read, shown, together)


def _read(pages: Sequence[FoundPage], question: str, reranker: TimedReranker, *, more: int) -> Scores | None:
    """Return the scores of the first 50 pages and, if there is time, of ``more``; None if there is too little."""
    end = reranker.end
    texts = [found.text for found in pages[: MOST_RERANKED + more]]
    scores = reranker.scores(question, texts[:MOST_RERANKED], end)
    further = reranker.scores(question, texts[MOST_RERANKED:], end) if scores is not None else None
    return scores if scores is None or further is None else np.concatenate([scores, further])


def _placed(pages: Sequence[FoundPage], scores: Scores, shown: Sequence[int], places: Scores) -> list[FoundPage]:
    """Return what was read and is shown, ordered by its places, and below it what was not read."""
    order = sorted(shown, key=lambda at: -places[at])
    placed = [
        replace(pages[at], score=place.score, rerank_score=float(scores[at]))
        for at, place in zip(order, pages, strict=False)
    ]
    return [*placed, *pages[len(scores) :]]


def _beside_first_stage(cosines: Scores, pages: Sequence[FoundPage]) -> Scores:
    """Return what orders pages: where their cosines are between the lowest and the best one, and the first stage."""
    lowest, best = cosines.min(), cosines.max()
    together: Scores = SECOND_WEIGHT * (cosines - lowest) / max(best - lowest, np.finfo(np.float32).tiny)
    for retriever, weight in FIRST_WEIGHTS.items():
        together += weight * np.array([found.shares.get(retriever, 0.0) for found in pages[: len(cosines)]], np.float32)
    return together
