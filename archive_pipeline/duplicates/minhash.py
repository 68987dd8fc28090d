"""MinHash in bands: texts that have much in common agree in some band, others rarely.

Of a set of shingles the smallest hash under each of ``BANDS * ROWS`` permutations is taken; two sets have the same
smallest one with the probability of their Jaccard similarity. ``ROWS`` of them are combined into the key of a band. A
pair of similarity s shares a key with probability ``1 - (1 - s ** ROWS) ** BANDS``: 0.990 at 0.7, 0.9999 at 0.8, 0.55
at 0.5, 0.06 at 0.3. A permutation is ``(x * a + b) mod 2**32`` with an odd ``a``; ``x`` are 32 bits of a hash.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from archive_pipeline.duplicates.shingles import HASH_BITS, ShingleSets

BANDS: Final = 25
ROWS: Final = 5
# Arrays of so many shingles stay in the processor's cache while all permutations go over them.
_GROUP_SHINGLES: Final = 1 << 15
_SEED: Final = 20_240_601
_MULTIPLIER: Final = np.uint64(0x9E3779B97F4A7C15)

_U32 = npt.NDArray[np.uint32]


def _permutations() -> tuple[_U32, _U32]:
    # PCG64 is documented to give the same stream in every version of NumPy.
    bits = np.random.PCG64(_SEED).random_raw(2 * BANDS * ROWS) >> 32
    factors, summands = bits.astype(np.uint32).reshape(2, -1)
    return factors | np.uint32(1), summands


_FACTORS, _SUMMANDS = _permutations()


def band_keys(sets: ShingleSets) -> _U32:
    """Return the keys of the bands of each set, which is not empty; shape (sets, ``BANDS``)."""
    count = sets.offsets.size - 1
    keys = np.empty((count, BANDS), dtype=np.uint32)
    first = 0
    while first < count:
        bound = sets.offsets[first] + _GROUP_SHINGLES
        last = max(first + 1, int(np.searchsorted(sets.offsets, bound, side="right")) - 1)
        start, end = sets.offsets[first], sets.offsets[last]
        hashes = (sets.hashes[start:end] >> np.uint64(HASH_BITS - 32)).astype(np.uint32)
        keys[first:last] = _group_keys(hashes, sets.offsets[first:last] - start)
        first = last
    return keys


def _group_keys(hashes: _U32, starts: npt.NDArray[np.int64]) -> _U32:
    permuted = np.empty_like(hashes)
    combined = np.zeros((BANDS, starts.size), dtype=np.uint64)
    for number, (factor, summand) in enumerate(zip(_FACTORS, _SUMMANDS, strict=True)):
        np.multiply(hashes, factor, out=permuted)
        np.add(permuted, summand, out=permuted)
        band = combined[number // ROWS]
        band ^= np.minimum.reduceat(permuted, starts)
        band *= _MULTIPLIER
        band ^= band >> np.uint64(29)
    keys: _U32 = (combined >> np.uint64(32)).astype(np.uint32).T
    return keys
