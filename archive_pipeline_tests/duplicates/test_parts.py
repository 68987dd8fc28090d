"""The parts of the search: bands, candidates, similarity, stars, preference."""

from __future__ import annotations

import tempfile
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.domain.batch import NO_TIME
from archive_pipeline.domain.choices import Normalization
from archive_pipeline.duplicates import candidates as candidates_module
from archive_pipeline.duplicates import clusters as clusters_module
from archive_pipeline.duplicates.candidates import GROUP_LIMIT, candidate_pairs
from archive_pipeline.duplicates.clusters import UNCLUSTERED, Preference, Stars, exact_clusters, preference_order
from archive_pipeline.duplicates.minhash import BANDS, band_keys
from archive_pipeline.duplicates.shingles import HASH_BITS, ShingleSets, ShingleStore, offsets_of, shingle_sets
from archive_pipeline.duplicates.similarity import jaccard
from archive_pipeline.store.tables import hashes
from archive_pipeline.text.normalization import normalize
from archive_pipeline.text.simhash import WordHashes, shingles, word_hashes
from archive_pipeline_tests.duplicates.finding import changed, prose
from archive_pipeline_tests.trials import trials


def sets_of(*texts: str) -> ShingleSets:
    return shingle_sets(word_hashes([text.encode() for text in texts]))


def as_sets(sets: ShingleSets) -> list[set[int]]:
    bounds = sets.offsets.tolist()
    return [set(sets.hashes[a:b].tolist()) for a, b in pairwise(bounds)]


def test_a_set_has_each_shingle_once_in_ascending_order() -> None:
    sets = sets_of("a b c a b c", "", "one", "x y z w")
    assert np.diff(sets.offsets).tolist() == [3, 0, 1, 2]
    for values in np.split(sets.hashes, sets.offsets[1:-1]):
        assert (np.diff(values.astype(np.int64)) > 0).all()
        assert (values < 1 << HASH_BITS).all()
    assert as_sets(sets_of("b c a b c"))[0] == as_sets(sets)[0]


@given(st.lists(st.text(st.sampled_from("ab7é茶は한😀 "), max_size=40), min_size=2, max_size=2))
def test_sets_of_a_few_texts_have_as_many_shingles_in_common(texts: list[str]) -> None:
    encoded = normalize(texts, Normalization.FULL)
    sets = shingle_sets(word_hashes(encoded))
    one, other = (set(sets.hashes[start:end].tolist()) for start, end in pairwise(sets.offsets))
    left, right = (set(shingles(text)) for text in encoded)
    assert (len(left), len(right), len(left & right)) == (len(one), len(other), len(one & other))


def test_bands_are_the_same_for_ever() -> None:
    # Stored clusters would change with these keys, so a change needs a new code version.
    keys = band_keys(sets_of("the quick brown fox jumps over the lazy dog", prose(100)))
    assert keys.shape == (2, BANDS)
    assert [f"{value:08x}" for value in keys[:, 0]] == ["039df021", "e0f6a41e"]
    assert [f"{value:08x}" for value in keys[:, -1]] == ["09e59af4", "5bb431f0"]


def test_bands_do_not_depend_on_what_stands_beside_a_text() -> None:
    texts = [prose(40 + number, start=number) for number in range(300)] + [prose(50_000)]
    together = band_keys(sets_of(*texts))
    for number in (0, 1, 150, 300):
        assert band_keys(sets_of(texts[number]))[0].tolist() == together[number].tolist()


@pytest.mark.parametrize(("similarity", "expected"), [(0.9, 1.0), (0.7, 0.99), (0.5, 0.55), (0.3, 0.06)])
def test_pairs_share_a_band_as_often_as_the_theory_says(similarity: float, expected: float) -> None:
    rng = np.random.default_rng(3)
    trials, size = 400, 200
    shared = round(2 * size * similarity / (1 + similarity))
    hashes, sizes = [], []
    for _ in range(trials):
        values = rng.choice(1 << HASH_BITS, size=2 * size - shared, replace=False).astype(np.uint64)
        for own in (values[:size], values[size - shared :]):
            hashes.append(np.sort(own))
            sizes.append(size)
    keys = band_keys(ShingleSets(np.concatenate(hashes), offsets_of(np.array(sizes))))
    found = (keys[::2] == keys[1::2]).any(axis=1).mean()
    assert found == pytest.approx(expected, abs=0.07)


@given(st.lists(st.lists(st.sampled_from("abcdef"), min_size=1, max_size=12), min_size=2, max_size=6))
@trials(50)
def test_similarity_is_that_of_the_sets_and_symmetric(words: list[list[str]]) -> None:
    sets = sets_of(*(" ".join(text) for text in words))
    store = ShingleStore(Path(tempfile.gettempdir()))
    half = sets.offsets.size // 2
    for part in (slice(None, half + 1), slice(half, None)):  # appended in two parts, compared across them
        offsets = sets.offsets[part]
        store.append(ShingleSets(sets.hashes[offsets[0] : offsets[-1]], offsets - offsets[0]))
    plain = as_sets(sets)
    left, right = map(np.ravel, np.meshgrid(np.arange(len(plain)), np.arange(len(plain))))
    expected = [len(plain[a] & plain[b]) / len(plain[a] | plain[b]) for a, b in zip(left, right, strict=True)]
    assert jaccard(store, left, right).tolist() == pytest.approx(expected)
    assert jaccard(store, right, left).tolist() == jaccard(store, left, right).tolist()
    store.close()


def test_many_pairs_are_compared_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    sets = sets_of(prose(60), changed(prose(60), 30), prose(60, step=11))
    store = ShingleStore(Path(tempfile.gettempdir()))
    store.append(sets)
    pairs = np.array([(a, b) for a in range(3) for b in range(3)] * 50).T
    whole = jaccard(store, *pairs)
    monkeypatch.setattr("archive_pipeline.duplicates.similarity._SHINGLES_PER_SORT", 200)
    assert jaccard(store, *pairs).tolist() == whole.tolist()
    store.close()


def candidates(keys: list[list[int]], sizes: list[int] | None = None, ratio: float = 0.0) -> set[tuple[int, int]]:
    array = np.array(keys, dtype=np.uint32)
    found: list[tuple[int, int]] = []
    for left, right in candidate_pairs(
        lambda band: array[:, band],
        array.shape[1],
        np.array(sizes or [1] * len(keys)),
        ratio,
        Path(tempfile.gettempdir()),
    ):
        assert (left < right).all()
        found += zip(left.tolist(), right.tolist(), strict=True)
    assert found == sorted(set(found))
    return set(found)


def test_texts_with_a_common_band_are_candidates() -> None:
    assert candidates([[1, 2], [3, 2], [1, 5], [7, 8]]) == {(0, 1), (0, 2)}
    assert candidates([[1, 2]]) == set()
    assert candidates([[1, 1], [2, 1], [1, 2]]) == {(0, 1), (0, 2)}  # keys of different bands are not compared


def test_sizes_that_differ_too_much_are_no_candidates() -> None:
    assert candidates([[1], [1], [1]], [10, 7, 5], 0.7) == {(0, 1), (1, 2)}


def test_a_large_group_is_compared_with_its_first_text_and_within_the_next_band() -> None:
    count = 1_000
    found = candidates([[9, number // 2] for number in range(count)])
    expected = {(0, number) for number in range(1, count)} | {(number, number + 1) for number in range(0, count, 2)}
    assert found == expected
    everywhere_equal = candidates([[9] * BANDS for _ in range(count)])
    assert everywhere_equal == {(0, number) for number in range(1, count)}
    small = GROUP_LIMIT
    assert len(candidates([[9] * BANDS for _ in range(small)])) == small * (small - 1) // 2


def test_candidates_are_the_same_however_many_texts_are_grouped_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    # Groups of few texts, and two large ones.
    keys = rng.integers(0, 1 << 32, size=(2_000, 3), dtype=np.uint32)
    keys[:, 0] = keys[rng.integers(0, 600, 2_000), 0]
    keys[100:400, 1] = 7
    keys[300:600, 2] = 1 << 31
    at_once = candidates(keys.tolist())
    assert len(at_once) > 2_000
    monkeypatch.setattr(candidates_module, "_TEXTS_AT_ONCE", 300)
    monkeypatch.setattr(candidates_module, "_PAIRS_AT_ONCE", 50)
    assert candidates(keys.tolist()) == at_once


def test_a_star_takes_what_is_similar_to_the_kept_text_itself() -> None:
    # 0 is like 1, and 1 is like 2 and 3, which are not like 0 and not like each other; 4 is like 5.
    stars = Stars(7)
    stars.add(np.array([0, 1]), np.array([1, 2]), np.array([0.9, 0.8]))
    stars.add(np.array([1, 4]), np.array([3, 5]), np.array([0.85, 0.75]))
    kept_of, similarity = stars.found()
    assert kept_of.tolist() == [0, 0, UNCLUSTERED, UNCLUSTERED, 4, 4, UNCLUSTERED]
    assert similarity[[1, 5]].tolist() == [0.9, 0.75]


def test_exact_clusters_leave_out_what_occurs_once() -> None:
    members = exact_clusters(np.array([5, 3, 5, 8, 3, 5]))
    assert members.entity.tolist() == [1, 4, 0, 2, 5]
    assert members.is_kept.tolist() == [True, False, True, False, False]
    assert members.size.tolist() == [2, 2, 3, 3, 3]


def test_parts_of_clusters_are_whole_clusters() -> None:
    members = exact_clusters(np.array([0, 0, 1, 1, 1, 1, 1, 2, 2, 3, 3], dtype=np.int32))
    assert [list(members.parts(limit)) for limit in (1, 4, 9, 11)] == [
        [(0, 2), (2, 7), (7, 9), (9, 11)],
        [(0, 2), (2, 7), (7, 11)],
        [(0, 9), (9, 11)],
        [(0, 11)],
    ]
    part = members.part(2, 9)
    assert part.entity.tolist() == [2, 3, 4, 5, 6, 7, 8]
    assert part.size.tolist() == [5] * 5 + [2] * 2
    assert part.is_kept.tolist() == [True, *[False] * 4, True, False]


@pytest.mark.parametrize(
    ("better", "worse", "reason"),
    [
        ((True, 10, 5, 26), (False, 99, 9, 1), "active_path"),
        ((True, 11, 5, 26), (True, 10, 9, 1), "longest"),
        ((True, 10, 9, 26), (True, 10, 5, 1), "newest"),
        ((True, 10, 5, 26), (True, 10, NO_TIME, 1), "newest"),
        ((True, 10, 5, 1), (True, 10, 5, 2), "smallest_id"),
        ((False, 10, NO_TIME, 1), (False, 10, NO_TIME, 2), "smallest_id"),
        ((False, 10, 5, 1 << 70), (False, 10, 5, (1 << 71) + 1), "smallest_id"),
    ],
)
def test_what_is_kept_and_why(better, worse, reason: str) -> None:
    for pair in ([better, worse], [worse, better]):
        active, length, created = (np.array(values) for values in list(zip(*pair, strict=True))[:3])
        high, low = (np.array([each[3] >> bits & (1 << 64) - 1 for each in pair], dtype=np.uint64) for bits in (64, 0))
        preference = Preference(active, length, created, high, low)
        order = preference_order(partial(getattr, preference))
        assert order[0] == pair.index(better)
        assert preference.reasons(order[:1], order[1:]).tolist() == [reason]


def test_the_table_allows_what_the_search_says() -> None:
    assert clusters_module.KEEP_REASONS == hashes.KEEP_REASONS
    assert clusters_module.COPY_KINDS == hashes.COPY_KINDS


def test_words_of_nothing_have_no_shingles() -> None:
    empty = WordHashes(np.empty(0, dtype=np.uint64), np.zeros(3, dtype=np.intp))
    assert shingle_sets(empty).offsets.tolist() == [0, 0, 0]
