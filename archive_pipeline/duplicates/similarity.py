"""Jaccard similarity of pairs of shingle sets, and how much of it makes a near-duplicate."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from archive_pipeline.duplicates.shingles import HASH_BITS, SETS_PER_SORT, ShingleStore, tag

# A changed word takes three shingles with it, so less of a short text has to change for it to say something else; and
# below ten shingles (twelve words) a pair shares a few of them by chance.
SMALLEST_SET: Final = 10
SHORT_BELOW: Final = 40
SHORT_THRESHOLD: Final = 0.8
THRESHOLD: Final = 0.7
# Sorted at once: bounds the memory of a comparison.
_SHINGLES_PER_SORT: Final = 1 << 19

_Index = npt.NDArray[np.integer[Any]]
_Float = npt.NDArray[np.float64]


def thresholds(sizes: _Index, other_sizes: _Index) -> _Float:
    """Return the similarity from which two sets of the given sizes are near-duplicates; the smaller set decides."""
    return np.where(np.minimum(sizes, other_sizes) < SHORT_BELOW, SHORT_THRESHOLD, THRESHOLD)


def threshold(smaller: int) -> float:
    """Return ``thresholds`` of one pair, whose smaller set has this size."""
    return SHORT_THRESHOLD if smaller < SHORT_BELOW else THRESHOLD


def jaccard(store: ShingleStore, left: _Index, right: _Index) -> _Float:
    """Return the Jaccard similarity of pairs of sets, given by their numbers in the store; none of them is empty."""
    sizes = store.sizes
    together = sizes[left].astype(np.int64) + sizes[right]
    shared: list[_Index] = [np.zeros(0, dtype=np.int64)]
    for first, last in _parts(together):
        shared.append(_shared(store, left[first:last], right[first:last]))
    common = np.concatenate(shared)
    similarity: _Float = common / (together - common)
    return similarity


def _shared(store: ShingleStore, left: _Index, right: _Index) -> _Index:
    """Return how many shingles the two sets of each pair have in common.

    Hashes get the number of their pair as highest bits. Sorted, a hash of both sets stands beside itself.
    """
    both = np.sort(np.concatenate([tag(*store.read(numbers)) for numbers in (left, right)]))
    repeated = both[1:][both[1:] == both[:-1]]
    return np.bincount((repeated >> np.uint64(HASH_BITS)).astype(np.int64), minlength=left.size)


def _parts(sizes: _Index) -> Iterator[tuple[int, int]]:
    """Cut pairs into parts of bounded size; a pair is never cut."""
    ends = np.cumsum(sizes)
    first = 0
    while first < sizes.size:
        before = int(ends[first - 1]) if first else 0
        last = max(first + 1, int(np.searchsorted(ends, before + _SHINGLES_PER_SORT, side="right")))
        last = min(last, first + SETS_PER_SORT)
        yield first, last
        first = last
