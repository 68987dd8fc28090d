"""Pairs of texts to compare: those that share the key of a band, but never all pairs of a large group.

In a group of at most ``GROUP_LIMIT`` texts with one key every pair is a candidate. In a larger one (a template that was
filled in thousands of times) each text is compared with the first of the group, and with the texts that share the key
of the next band as well, by the same rule once more. Candidates therefore grow with the texts, not with their square.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
import numpy.typing as npt

GROUP_LIMIT: Final = 16
_SHIFT: Final = np.uint64(32)
_LOW: Final = np.uint64(0xFFFFFFFF)

_U32 = npt.NDArray[np.uint32]
_U64 = npt.NDArray[np.uint64]
_Index = npt.NDArray[np.int64]


def candidate_pairs(keys: _U32, sizes: _Index, smallest_ratio: float) -> tuple[_Index, _Index]:
    """Return candidates as two arrays, ascending, without repetitions; the first of a pair has the smaller number.

    Args:
        keys: of the bands, shape (texts, bands). Texts are numbered in order of preference: the first text of a large
            group is the one that all others of it are compared with.
        sizes: of the sets of shingles.
        smallest_ratio: pairs are left out whose sizes differ more: their similarity cannot be larger than the ratio.
    """
    found: list[_U64] = [np.empty(0, dtype=np.uint64)]
    bands = keys.shape[1]
    for band in range(bands):
        pairs = np.concatenate([np.empty(0, dtype=np.uint64), *_pairs(keys[:, band], keys[:, (band + 1) % bands])])
        left, right = sizes[_first(pairs)], sizes[_second(pairs)]
        fitting = np.minimum(left, right) >= smallest_ratio * np.maximum(left, right)
        found = [np.union1d(found[0], pairs[fitting])]
    return _first(found[0]), _second(found[0])


def _pairs(keys: _U32, next_keys: _U32) -> Iterator[_U64]:
    texts, starts, counts = _groups(keys, np.arange(keys.size, dtype=np.uint64))
    is_large = counts > GROUP_LIMIT
    yield _all_pairs(texts, starts[~is_large], counts[~is_large])
    yield _pairs_with_first(texts, starts[is_large], counts[is_large])
    # A key of two bands: that of the group, by its place, and the next one.
    large = _members(texts, starts[is_large], counts[is_large])
    group = np.repeat(np.arange(is_large.sum(), dtype=np.uint64), counts[is_large])
    both = np.unique((group << _SHIFT) | next_keys[large.astype(np.int64)], return_inverse=True)[1].astype(np.uint32)
    texts, starts, counts = _groups(both, large)
    is_large = counts > GROUP_LIMIT
    yield _all_pairs(texts, starts[~is_large], counts[~is_large])
    yield _pairs_with_first(texts, starts[is_large], counts[is_large])


def _groups(keys: _U32, texts: _U64) -> tuple[_U64, _Index, _Index]:
    """Return the texts sorted by key, then number, and where groups of two and more begin and how large they are."""
    order = np.sort((keys.astype(np.uint64) << _SHIFT) | texts)
    keys_in_order = order >> _SHIFT
    starts = np.flatnonzero(
        np.concatenate((np.ones(min(order.size, 1), np.bool_), keys_in_order[1:] != keys_in_order[:-1]))
    )
    counts = np.diff(np.append(starts, order.size))
    several = counts > 1
    return order & _LOW, starts[several], counts[several]


def _all_pairs(texts: _U64, starts: _Index, counts: _Index) -> _U64:
    found = [np.empty(0, dtype=np.uint64)]
    for distance in range(1, GROUP_LIMIT):
        is_longer = counts > distance
        lefts = _members_at(starts[is_longer], counts[is_longer] - distance)
        found.append((texts[lefts] << _SHIFT) | texts[lefts + distance])
    return np.concatenate(found)


def _pairs_with_first(texts: _U64, starts: _Index, counts: _Index) -> _U64:
    first = np.repeat(texts[starts], counts - 1)
    return (first << _SHIFT) | texts[_members_at(starts + 1, counts - 1)]


def _members(texts: _U64, starts: _Index, counts: _Index) -> _U64:
    return texts[_members_at(starts, counts)]


def _members_at(starts: _Index, counts: _Index) -> _Index:
    before = np.cumsum(counts) - counts
    return np.repeat(starts - before, counts) + np.arange(counts.sum())


def _first(pairs: _U64) -> _Index:
    return (pairs >> _SHIFT).astype(np.int64)


def _second(pairs: _U64) -> _Index:
    return (pairs & _LOW).astype(np.int64)
