"""One ranking from several: a convex combination of shares, and reciprocal ranks where a retriever has none.

Bruch, Gai and Ingber (2023): a convex combination of normalised scores finds more than reciprocal rank fusion, which
throws the scores away, and its one weight is learnt from few questions. The share of words is BM25 over the highest
score that any text could have for the query, so that a page with one unimportant word of many gets little; that of
meaning lies between the hundredth best cosine and the best one.

Reciprocal ranks (Cormack, Clarke and Büttcher, 2009) stand for shares where scores have no scale, as those of images.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Generic, TypeVar

RANK_OFFSET: Final = 60
# Learnt on the tuning half of `make bench-quality`; between 0.25 and 0.5 little changes.
WEIGHTS: Final[Mapping[str, float]] = MappingProxyType({"dense": 0.35, "lexical": 0.65})
# Of what only has ranks, beside the others.
_RANKED_WEIGHT: Final = 0.5

KeyT = TypeVar("KeyT", bound=Hashable)
PageKey = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Retrieved(Generic[KeyT]):
    """What one retriever found.

    Attributes:
        keys: best first, each once.
        shares: of the highest score there could be, 0 to 1, one per key; None if the retriever's scores have no scale.
    """

    keys: Sequence[KeyT]
    shares: Sequence[float] | None


Fuse = Callable[[Mapping[str, "Retrieved[PageKey]"]], dict[PageKey, float]]


def fuse(retrieved: Mapping[str, Retrieved[KeyT]], weights: Mapping[str, float] = WEIGHTS) -> dict[KeyT, float]:
    """Return each key's score, best first; 1 is what is best for every retriever.

    Args:
        retrieved: retriever -> what it found.
        weights: of the retrievers that have shares; the others weigh as much as these do on average.
    """
    weight = {name: weights.get(name, _RANKED_WEIGHT) for name in retrieved}
    total = sum(weight.values())
    scores: dict[KeyT, float] = {}
    for name, own in retrieved.items():
        shares = reciprocal_ranks(len(own.keys)) if own.shares is None else own.shares
        for key, share in zip(own.keys, shares, strict=True):
            scores[key] = scores.get(key, 0.0) + share * weight[name] / total
    return dict(sorted(scores.items(), key=lambda item: -item[1]))


def reciprocal_ranks(number: int) -> list[float]:
    """Return what stands for the shares of so many ranks; the first has 1."""
    return [(RANK_OFFSET + 1) / (RANK_OFFSET + rank) for rank in range(1, number + 1)]
