"""Pairs of texts to compare: those that share the key of a band, but never all pairs of a large group.

In a group of at most ``GROUP_LIMIT`` texts with one key every pair is a candidate. In a larger one (a template that was
filled in thousands of times) each text is compared with the first of the group, and with the texts that share the key
of the next band as well, by the same rule once more. Candidates therefore grow with the texts, not with their square.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from archive_pipeline.duplicates.columns import ColumnFile

GROUP_LIMIT: Final = 16
_SHIFT: Final = np.uint64(32)
_LOW: Final = np.uint64(0xFFFFFFFF)
_KEY_BITS: Final = 32
# What bounds memory: texts that are grouped by their keys at once, first texts whose pairs are put together at once,
# pairs that are handed on at once. There are not more than 2**_MOST_RANGES_BITS and _MOST_PARTS rounds of the former.
_TEXTS_AT_ONCE: Final = 1 << 17
_MOST_RANGES_BITS: Final = 4
_MOST_PARTS: Final = 64
_PAIRS_AT_ONCE: Final = 1 << 17

_U32 = npt.NDArray[np.uint32]
_U64 = npt.NDArray[np.uint64]
_Index = npt.NDArray[np.int64]


def candidate_pairs(
    keys_of: Callable[[int], _U32], bands: int, sizes: npt.NDArray[np.integer[Any]], smallest_ratio: float, folder: Path
) -> Iterator[tuple[_Index, _Index]]:
    """Yield candidates, some at a time, as two arrays: ascending, without repetitions, the smaller number first.

    Args:
        keys_of: returns the keys of a band, by its number, of all texts. Texts are numbered in order of preference: the
            first text of a large group is the one that all others of it are compared with.
        bands: how many there are.
        sizes: of the sets of shingles of all texts.
        smallest_ratio: pairs are left out whose sizes differ more: their similarity cannot be larger than the ratio.
        folder: takes the pairs of the bands, eight bytes each, while they are put together.
    """
    with closing(ColumnFile(folder)) as found:
        texts_of_part = max(_TEXTS_AT_ONCE, -(-sizes.size // _MOST_PARTS))
        edges = np.arange(texts_of_part, sizes.size, texts_of_part, dtype=np.uint64) << _SHIFT
        keys = keys_of(0)
        for band in range(bands):
            next_keys = keys_of((band + 1) % bands)
            for pairs in _pairs_of_band(keys, next_keys):
                left, right = sizes[_first(pairs)], sizes[_second(pairs)]
                fitting = np.minimum(left, right) >= smallest_ratio * np.maximum(left, right)
                distinct = np.unique(pairs[fitting])
                for part, some in enumerate(np.split(distinct, np.searchsorted(distinct, edges))):
                    found.append(str(part), some)
            keys = next_keys
        for part in range(edges.size + 1):
            yield from _put_together(found, str(part))


def _put_together(found: ColumnFile, part: str) -> Iterator[tuple[_Index, _Index]]:
    pairs = np.unique(found.read(part)) if part in found else np.empty(0, dtype=np.uint64)
    for start in range(0, pairs.size, _PAIRS_AT_ONCE):
        some = pairs[start : start + _PAIRS_AT_ONCE]
        yield _first(some), _second(some)


def _pairs_of_band(keys: _U32, next_keys: _U32) -> Iterator[_U64]:
    """Yield the pairs of a band in any order; texts with one key are in one range of the keys."""
    bits = min(_MOST_RANGES_BITS, (keys.size // _TEXTS_AT_ONCE).bit_length())
    if not bits:
        yield from _pairs(np.arange(keys.size), keys, next_keys)
        return
    ranges = (keys >> np.uint32(_KEY_BITS - bits)).astype(np.uint8)
    for number in range(1 << bits):
        yield from _pairs(np.flatnonzero(ranges == number), keys, next_keys)


def _pairs(some: _Index, keys: _U32, next_keys: _U32) -> Iterator[_U64]:
    texts, starts, counts = _groups(keys[some], some.astype(np.uint64))
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
