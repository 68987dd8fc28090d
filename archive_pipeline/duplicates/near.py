"""Near-duplicates: from the keys of bands to clusters of entities whose texts are similar."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt

from archive_pipeline.duplicates.candidates import candidate_pairs
from archive_pipeline.duplicates.clusters import UNCLUSTERED, Members, Numbers, Stars, near_clusters
from archive_pipeline.duplicates.columns import ColumnFile
from archive_pipeline.duplicates.minhash import BANDS
from archive_pipeline.duplicates.shingles import ShingleStore
from archive_pipeline.duplicates.similarity import THRESHOLD, jaccard, thresholds

HAS_SHINGLES = "has_shingles"


def key_column(band: int) -> str:
    """Return the name of the column with the keys of a band, of the texts that have shingles."""
    return f"key:{band}"


def near_members(
    columns: ColumnFile, store: ShingleStore, order: Numbers, full_class: Numbers, folder: Path
) -> Members:
    """Return the near clusters.

    Args:
        columns: of the entities in the order in which they came: ``HAS_SHINGLES``, and the keys of those that have any.
        store: the shingles of these.
        order: the entities in order of preference.
        full_class: of each entity, in that order, the class of its text under ``full``.
        folder: takes pairs while they are put together.
    """
    text_of, stored = _texts(columns, order, full_class)
    sizes = store.sizes[stored]
    stars = Stars(stored.size)

    def keys_of(band: int) -> npt.NDArray[np.uint32]:
        keys: npt.NDArray[np.uint32] = columns.read(key_column(band))[stored]
        return keys

    for left, right in candidate_pairs(keys_of, BANDS, sizes, THRESHOLD, folder):
        similarity = jaccard(store, stored[left], stored[right])
        is_near = similarity >= thresholds(sizes[left], sizes[right])
        stars.add(left[is_near], right[is_near], similarity[is_near])
    kept_of, similar = stars.found()
    return near_clusters(kept_of, similar, text_of)


def _texts(columns: ColumnFile, order: Numbers, full_class: Numbers) -> tuple[Numbers, Numbers]:
    """Number the different texts that have shingles by their first entity: in order of preference, too.

    Returns:
        Per entity, in order of preference, its text or ``UNCLUSTERED``; per text, its number in the store.
    """
    in_store = columns.read(HAS_SHINGLES)
    number = np.cumsum(in_store, dtype=np.int32) - np.int32(1)
    number[~in_store] = UNCLUSTERED
    number = number[order]
    comparable = np.flatnonzero(number != UNCLUSTERED).astype(np.int32)
    classes = full_class[comparable]
    first = np.full(int(classes.max(initial=-1)) + 1, UNCLUSTERED, dtype=np.int32)
    first[classes[::-1]] = np.arange(classes.size - 1, -1, -1, dtype=np.int32)  # the last one that is written stays
    is_first = np.zeros(classes.size, dtype=np.bool_)
    is_first[first[first != UNCLUSTERED]] = True
    place = np.cumsum(is_first, dtype=np.int32) - np.int32(1)
    text_of = np.full(order.size, UNCLUSTERED, dtype=np.int32)
    text_of[comparable] = place[first[classes]]
    return text_of, number[comparable[is_first]]
