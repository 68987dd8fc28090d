"""What finding duplicates holds in memory of each text: counted in bytes that Python and NumPy ask for."""

from __future__ import annotations

import gc
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from archive_pipeline.domain.choices import Normalization
from archive_pipeline.duplicates.cluster_rows import ROWS_AT_ONCE
from archive_pipeline.duplicates.clusters import Preference
from archive_pipeline.duplicates.finder import DuplicateFinder, duplicate_finder
from archive_pipeline.duplicates.minhash import band_keys
from archive_pipeline.duplicates.paths import Openings
from archive_pipeline.duplicates.runs import result_sets
from archive_pipeline.duplicates.shingles import HASH_BITS, ShingleSets, offsets_of
from archive_pipeline.duplicates.signatures import Signatures, TextSignatures
from archive_pipeline_tests.derive.batches import batch_of

_BATCH = 4_000
_SHINGLES = 12


def signatures(number: int) -> Signatures:
    """Return those of a batch: half of its texts are in one more batch as they are, half with few changes."""
    rng = np.random.default_rng(number // 2)
    digests = rng.integers(0, 1 << 63, size=(_BATCH, 2), dtype=np.uint64)
    hashes = np.sort(rng.integers(0, 1 << HASH_BITS, size=(_BATCH, _SHINGLES), dtype=np.uint64), axis=1)
    own = np.random.default_rng(1_000 + number)
    digests[: _BATCH // 2] = own.integers(0, 1 << 63, size=(_BATCH // 2, 2), dtype=np.uint64)
    shingles = ShingleSets(hashes.ravel(), offsets_of(np.full(_BATCH, _SHINGLES)))
    ids = own.integers(0, 1 << 63, size=(2, _BATCH), dtype=np.uint64)
    zeros = np.zeros(_BATCH, dtype=np.int64)
    preference = Preference(np.ones(_BATCH, dtype=np.bool_), zeros + 80, zeros, *ids)
    texts = TextSignatures(
        preference,
        zeros,
        own.integers(1, 1 << 62, size=_BATCH),
        np.zeros(_BATCH, dtype=np.uint64),
        {Normalization.FULL: digests},
        np.ones(_BATCH, dtype=np.bool_),
        band_keys(shingles),
        shingles,
    )
    nothing = np.zeros(0, dtype=np.int64)
    openings = Openings(nothing, nothing.astype(np.uint64), nothing)
    return Signatures([f"dialogue {number}"], _BATCH, openings, {"message": texts}, result_sets(batch_of()))


def peak_of(finder: DuplicateFinder) -> tuple[int, int]:
    """Return the bytes that making the clusters takes at most, and the rows."""
    count = 0
    gc.collect()
    tracemalloc.start()
    try:
        for rows in finder.clusters():
            assert len(rows) <= ROWS_AT_ONCE
            count += len(rows)
        return tracemalloc.get_traced_memory()[1], count
    finally:
        tracemalloc.stop()


def measured(folder: Path, batches: int) -> tuple[int, int]:
    with duplicate_finder([Normalization.FULL], folder) as finder:
        for number in range(batches):
            finder.add(signatures(number))
        return peak_of(finder)


@pytest.mark.long
def test_a_text_takes_less_than_a_hundred_bytes(tmp_path: Path) -> None:
    smaller, rows_of_smaller = measured(tmp_path, 20)
    larger, rows_of_larger = measured(tmp_path, 60)
    assert rows_of_larger == 3 * rows_of_smaller == 60 * _BATCH  # exact copies of half, near ones of the others
    assert (larger - smaller) / (40 * _BATCH) < 100


def test_adding_texts_keeps_next_to_nothing_of_them(tmp_path: Path) -> None:
    batch = signatures(0)
    with duplicate_finder([Normalization.FULL], tmp_path) as finder:
        finder.add(batch)
        gc.collect()
        tracemalloc.start()
        try:
            for _ in range(10):
                finder.add(batch)
            kept = tracemalloc.get_traced_memory()[0]
        finally:
            tracemalloc.stop()
    assert kept / (10 * _BATCH) < 10  # bytes a text: the size of its set of shingles, and where columns are


def test_a_cluster_of_any_size_is_made_into_rows_some_at_a_time(tmp_path: Path) -> None:
    batch = signatures(0)
    count = 3 * _BATCH
    with duplicate_finder([Normalization.FULL], tmp_path) as finder:
        texts = batch.texts["message"]
        same = {Normalization.FULL: np.broadcast_to(texts.digests[Normalization.FULL][0], (_BATCH, 2))}
        for number in range(3):
            made = signatures(10 * number).texts["message"]
            equal = TextSignatures(
                made.preference,
                made.dialogue,
                made.handle,
                made.linked,
                same,
                np.zeros(_BATCH, dtype=np.bool_),
                texts.keys[:0],
                ShingleSets(texts.shingles.hashes[:0], np.zeros(1, dtype=np.int64)),
            )
            finder.add(Signatures([f"dialogue {number}"], _BATCH, batch.openings, {"message": equal}, batch.results))
        parts = list(finder.clusters())
    assert [len(rows) for rows in parts] == [ROWS_AT_ONCE, count - ROWS_AT_ONCE]
    assert len({name for rows in parts for name in rows["cluster_id"]}) == 1
    assert [int(rows["is_kept"].sum()) for rows in parts] == [1, 0]
    assert {size for rows in parts for size in rows["cluster_size"]} == {count}
    assert min(name for rows in parts for name in rows["entity_id"]) == parts[0]["entity_id"].iloc[0]
