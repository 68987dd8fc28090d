"""The second stage of a search: a model that reads question and page together orders the best pages anew."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from archive_pipeline.retrieval.rerank.scoring import TimedReranker
from archive_pipeline.retrieval.search.results import FoundPage

MOST_RERANKED: Final = 50
NOT_RERANKED: Final = "the order is that of the first stage: {reason}"
NO_TIME: Final = "the reranker needs more than {seconds:g} s for this search"


def reranked(pages: Sequence[FoundPage], question: str, reranker: TimedReranker) -> list[FoundPage] | None:
    """Return the pages, the best 50 ordered by their scores of the model; equal ones and all others keep their order.

    The highest ``score`` goes to the page that is first now, the next one to the second: what sorts by scores gets the
    order of the second stage, and pages beyond the best 50 stay below them. None if the time ends before the best are
    scored.

    Raises:
        RerankerError: the model fails.
    """
    best, others = pages[:MOST_RERANKED], pages[MOST_RERANKED:]
    scores = reranker.scores(question, [_text(found) for found in best])
    if scores is None:
        return None
    order = sorted(range(len(best)), key=lambda at: -scores[at])
    placed = [
        replace(best[at], score=place.score, rerank_score=float(scores[at]))
        for at, place in zip(order, best, strict=True)
    ]
    return [*placed, *others]


def _text(found: FoundPage) -> str:
    """Return what is read of a page: its best chunk, and what was found of the answer where that is a question."""
    if found.chunk.side == "question" and found.answer is not None:
        return f"{found.chunk.text}\n\n{found.answer.text}"
    return found.chunk.text
