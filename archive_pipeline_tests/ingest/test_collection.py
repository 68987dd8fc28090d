"""Garbage is collected seldom while an import runs, and as before when it has ended."""

from __future__ import annotations

import gc

import pytest

from archive_pipeline.ingest.collection import OBJECTS_BETWEEN, seldom_collected

pytestmark = pytest.mark.usefixtures("collected_as_by_python")


def collections_during(objects: int) -> int:
    """How often garbage is collected while so many containers are made and kept."""
    before = sum(generation["collections"] for generation in gc.get_stats())
    kept = [[number] for number in range(objects)]
    assert len(kept) == objects
    return sum(generation["collections"] for generation in gc.get_stats()) - before


@pytest.mark.slow
def test_collections_are_seldom_and_do_not_stop():
    with seldom_collected():
        assert gc.get_freeze_count() > 0
        assert 1 <= collections_during(3 * OBJECTS_BETWEEN) <= 3
    assert collections_during(OBJECTS_BETWEEN) > 100


def test_all_is_as_before_after_an_error():
    thresholds = gc.get_threshold()
    with pytest.raises(ValueError, match="in the middle"), seldom_collected():
        raise ValueError("in the middle")
    assert gc.get_threshold() == thresholds
    assert gc.get_freeze_count() == 0


def test_a_block_inside_another_leaves_all_to_the_outer_one():
    with seldom_collected():
        frozen, thresholds = gc.get_freeze_count(), gc.get_threshold()
        with seldom_collected():
            pass
        assert gc.get_freeze_count() > frozen / 2 > 0  # threads of other tests may have let go of some
        assert gc.get_threshold() == thresholds
    assert gc.get_freeze_count() == 0
