"""A batch is freed with the last reference to it, whatever was computed of it: builds look for cycles seldom."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest

from archive_pipeline.derive.exchange_runs import exchange_runs_of
from archive_pipeline.derive.registry import ASSETS
from archive_pipeline.domain.batch import DialogueBatch
from archive_pipeline.settings import Settings
from archive_pipeline.store.replace import encode_frames
from archive_pipeline_tests.derive.batches import batch_of, linear


@pytest.fixture
def no_cycles_found() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def two_turns() -> DialogueBatch:
    """Return a batch of which each asset makes rows: the last user's message has no answer."""
    said = (("user", "Why?"), ("assistant", "So."), ("user", "Go on"), ("assistant", "Well."), ("user", "Thanks"))
    return batch_of(linear("d", *said))


@pytest.mark.parametrize("asset", ASSETS)
@pytest.mark.usefixtures("no_cycles_found")
def test_rows_of_an_asset_keep_no_batch(asset: str):
    batch = two_turns()
    encoded = encode_frames(ASSETS[asset].derive(batch, Settings()))
    freed = weakref.ref(batch)
    del batch
    assert freed() is None
    assert sum(rows.count for rows in encoded.values()) > 0


def test_exchanges_say_that_their_batch_is_gone():
    exchanges = exchange_runs_of(two_turns())
    with pytest.raises(ReferenceError, match="is gone"):
        _ = exchanges.along_paths
