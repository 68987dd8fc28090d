"""Sets of shingles, the things that near-duplicates have in common; kept on disk, not in memory.

A shingle is three consecutive words of the text under ``full``, as in version 2 of the simhash: a character of kana,
Han or Hangul is a word of its own, so that text without spaces has shingles too. A set holds the different shingles of
a text as hashes of 48 bits in ascending order, so that 16 bits are left to tell sets apart while many are sorted at
once.
"""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from archive_pipeline.text.simhash import WordHashes, shingle_counts, shingle_hashes

HASH_BITS: Final = 48
# As many sets can be told apart in one sort.
SETS_PER_SORT: Final = 1 << (64 - HASH_BITS)
_HASH_BYTES: Final = 8
_TAG_SHIFT: Final = np.uint64(HASH_BITS)
_HASH_MASK: Final = np.uint64((1 << HASH_BITS) - 1)

_U64 = npt.NDArray[np.uint64]
_Index = npt.NDArray[np.int64]


@dataclass(frozen=True)
class ShingleSets:
    """Sets of shingles: that of text ``i`` is ``hashes[offsets[i]:offsets[i + 1]]``, ascending, without repetitions."""

    hashes: _U64
    offsets: _Index


def shingle_sets(words: WordHashes) -> ShingleSets:
    """Return the set of shingles of each text, fewer than ``SETS_PER_SORT`` texts."""
    counts = np.diff(words.offsets)
    hashes = shingle_hashes(words.hashes, words.offsets, counts) if words.hashes.size else words.hashes
    tagged = np.sort(tag(hashes >> np.uint64(64 - HASH_BITS), shingle_counts(counts)))
    if tagged.size:
        tagged = tagged[np.concatenate(([True], tagged[1:] != tagged[:-1]))]
    sizes = np.bincount((tagged >> _TAG_SHIFT).astype(np.int64), minlength=counts.size)
    return ShingleSets(tagged & _HASH_MASK, offsets_of(sizes))


def tag(hashes: _U64, sizes: npt.NDArray[np.intp]) -> _U64:
    """Return hashes of consecutive sets of the given sizes with the number of their set above their own bits."""
    return hashes | (np.repeat(np.arange(sizes.size, dtype=np.uint64), sizes) << _TAG_SHIFT)


def offsets_of(sizes: npt.NDArray[np.integer[Any]]) -> _Index:
    """Return where each set begins, and where the last one ends."""
    return np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(sizes, dtype=np.int64)))


class ShingleStore:
    """Sets of shingles in a file without a name, which is gone with the process.

    Sets are appended in the order of their texts and read in any order; the file grows by eight bytes a shingle. It is
    read, not mapped, so that the memory of the process stays what it is.
    """

    def __init__(self, folder: Path) -> None:
        self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 (closed by `close`)
        self._sizes: list[npt.NDArray[np.int32]] = []

    def append(self, sets: ShingleSets) -> None:
        """Append sets; none can be appended once some were read."""
        self._file.write(sets.hashes.tobytes())
        self._sizes.append(np.diff(sets.offsets).astype(np.int32))

    @cached_property
    def sizes(self) -> npt.NDArray[np.int32]:
        """Number of shingles of each set."""
        self._file.flush()
        sizes = np.concatenate([np.zeros(0, dtype=np.int32), *self._sizes])
        self._sizes.clear()
        return sizes

    @cached_property
    def _offsets(self) -> _Index:
        return offsets_of(self.sizes)

    def read(self, numbers: npt.NDArray[np.integer[Any]]) -> tuple[_U64, npt.NDArray[np.int64]]:
        """Return the hashes of the given sets, one set after another, and the sizes of the sets."""
        sizes = self.sizes[numbers].astype(np.int64)
        places = zip((sizes * _HASH_BYTES).tolist(), (self._offsets[numbers] * _HASH_BYTES).tolist(), strict=True)
        file = self._file.fileno()
        read = b"".join([os.pread(file, size, offset) for size, offset in places])
        return np.frombuffer(read, dtype=np.uint64), sizes

    def close(self) -> None:
        """Give the disk space back."""
        self._file.close()
