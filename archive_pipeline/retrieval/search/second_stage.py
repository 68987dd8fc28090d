"""The second stage of a search: a better model than that of the index orders the best pages anew."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from archive_pipeline.retrieval.rerank.interface import Scores
from archive_pipeline.retrieval.rerank.scoring import TimedReranker
from archive_pipeline.retrieval.search.fusion import WEIGHTS
from archive_pipeline.retrieval.search.modes import Retriever
from archive_pipeline.retrieval.search.relevance import NEAR_TO_BEST
from archive_pipeline.retrieval.search.results import FoundPage

MOST_RERANKED: Final = 50
NOT_RERANKED: Final = "the order is that of the first stage: {reason}"
NO_TIME: Final = "the reranker needs more than {seconds:g} s for this search"


def reranked(
    pages: Sequence[FoundPage], relevant: Sequence[FoundPage], question: str, reranker: TimedReranker
) -> list[FoundPage] | None:
    """Return the pages, the best 50 ordered by their scores of the model; equal ones and all others keep their order.

    Beside the cosines of an embedding model, the words of the first stage count as much as there; and what is not
    relevant in the first stage's meaning stays if it is nearly as good as the best page by the better one. The highest
    ``score`` goes to the page that is first now, the next one to the second: what sorts by scores gets the order of the
    second stage, and pages beyond the best 50 stay below them. None if the time ends before the best are scored.

    Args:
        pages: of the first stage.
        relevant: those of them that are shown without a second stage.
        question: what is asked.
        reranker: the model.

    Raises:
        RerankerError: the model fails.
    """
    is_of_meaning = reranker.reranker.is_of_meaning
    read = pages if is_of_meaning else relevant
    best, others = read[:MOST_RERANKED], read[MOST_RERANKED:]
    scores = reranker.scores(question, [_text(found) for found in best])
    if scores is None:
        return None
    places = _beside_words(scores, best) if is_of_meaning else scores
    kept = {found.page for found in relevant}
    enough = NEAR_TO_BEST * places.max() if is_of_meaning else np.inf
    order = [
        at
        for at in sorted(range(len(best)), key=lambda at: -places[at])
        if best[at].page in kept or places[at] >= enough
    ]
    placed = [
        replace(best[at], score=place.score, rerank_score=float(scores[at]))
        for at, place in zip(order, best, strict=False)
    ]
    return [*placed, *(found for found in others if found.page in kept)]


def _beside_words(cosines: Scores, pages: Sequence[FoundPage]) -> Scores:
    """Return what orders pages: the places of their cosines between the lowest and the best one, and their words."""
    lowest, best = cosines.min(), cosines.max()
    meaning = (cosines - lowest) / max(best - lowest, np.finfo(np.float32).tiny)
    words = np.array([page.shares.get(Retriever.LEXICAL, 0.0) for page in pages], dtype=np.float32)
    together: Scores = WEIGHTS[Retriever.DENSE] * meaning + WEIGHTS[Retriever.LEXICAL] * words
    return together


def _text(found: FoundPage) -> str:
    """Return what is read of a page: its best chunk, and what was found of the answer where that is a question."""
    if found.chunk.side == "question" and found.answer is not None:
        return f"{found.chunk.text}\n\n{found.answer.text}"
    return found.chunk.text
