"""What is compared: retrievers alone, ways to make one ranking of two, and each part of the ranking left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from archive_pipeline.retrieval.search.fusion import PageKey, Retrieved, fuse
from archive_pipeline.retrieval.search.interface import RankingRules

_PLAIN: Final = RankingRules(is_relevance_judged=False, are_times_read=False, are_words_compared=False)
_TRIED_WEIGHTS: Final = (0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85)


@dataclass(frozen=True, slots=True)
class Variant:
    """One way to search.

    Attributes:
        name: for the table.
        mode: of the search.
        rules: of the ranking.
        has_second_stage: whether the reranker that the user names orders the best pages anew.
    """

    name: str
    mode: str
    rules: RankingRules
    has_second_stage: bool = False


def _by_reciprocal_ranks(retrieved: Mapping[str, Retrieved[PageKey]]) -> dict[PageKey, float]:
    """Fuse by ranks alone."""
    return fuse({name: Retrieved(own.keys, None) for name, own in retrieved.items()}, {})


def _by_own_best(retrieved: Mapping[str, Retrieved[PageKey]]) -> dict[PageKey, float]:
    """Fuse shares of the best score of each list, rather than of the highest that there could be."""
    return fuse({name: Retrieved(own.keys, _of_best(own.shares or ())) for name, own in retrieved.items()})


def _of_best(shares: Sequence[float]) -> list[float]:
    best = max(shares, default=0.0) or 1.0
    return [share / best for share in shares]


def _weighted(dense: float) -> Variant:
    """Fuse shares with another weight of meaning."""
    weights = {"dense": dense, "lexical": 1 - dense}
    rules = replace(_PLAIN, fuse=lambda retrieved: fuse(retrieved, weights))
    return Variant(f"weight of meaning {dense}", "hybrid", rules)


DEFAULT: Final = Variant("+ nothing below chance (the default)", "hybrid", RankingRules())
VARIANTS: Final = (
    Variant("meaning alone", "text", _PLAIN),
    Variant("words alone", "lexical", _PLAIN),
    Variant("reciprocal ranks", "hybrid", replace(_PLAIN, fuse=_by_reciprocal_ranks)),
    Variant("convex, shares of the best score", "hybrid", replace(_PLAIN, fuse=_by_own_best)),
    Variant("convex, shares of the highest score", "hybrid", _PLAIN),
    Variant("+ words are compared", "hybrid", replace(_PLAIN, are_words_compared=True)),
    Variant("+ times are filters", "hybrid", RankingRules(is_relevance_judged=False)),
    DEFAULT,
)
SECOND_STAGE: Final = Variant("+ second stage", "hybrid", RankingRules(), has_second_stage=True)
WEIGHTS: Final = tuple(map(_weighted, _TRIED_WEIGHTS))
