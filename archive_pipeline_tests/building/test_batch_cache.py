"""The cache of batches: bounded in memory, in a file beyond that, and never anything but what was read."""

from __future__ import annotations

import errno
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from archive_pipeline.building import batch_cache, dialogue_source
from archive_pipeline.building.batch_cache import BatchCache
from archive_pipeline.building.dialogues import build_asset, build_stale
from archive_pipeline.building.engine import build_tasks
from archive_pipeline.building.executors.cached import run_cached
from archive_pipeline.building.spilled_batches import SpilledBatches
from archive_pipeline.derive import forest
from archive_pipeline.derive.exchange_runs import find_exchanges
from archive_pipeline.derive.forest import Forest, build_forest, forest_of
from archive_pipeline.derive.registry import ASSETS
from archive_pipeline.domain.batch import DialogueBatch
from archive_pipeline.settings import Settings
from archive_pipeline.store.batches import load_batch
from archive_pipeline.store.database import Database
from archive_pipeline.store.staleness import stale_dialogues
from archive_pipeline_tests.derive.batches import Row, Talk, Tool, batch_of, linear, store
from archive_pipeline_tests.golden.cases import DIALOGUES
from archive_pipeline_tests.tables import query

COUNTED: list[str] = []


def counted_forest(batch: DialogueBatch) -> Forest:
    COUNTED.extend(batch.dialogue_ids)
    return build_forest(batch)


TALKS = [linear(f"d{number}", ("user", f"Why {number}?"), ("assistant", "Because… " * 50)) for number in range(3)]


def is_same(one: DialogueBatch, other: DialogueBatch) -> bool:
    names = [field.name for field in fields(DialogueBatch) if field.init and field.name != "created_at"]
    is_same_time = np.array_equal(one.created_at, other.created_at)
    return is_same_time and all(getattr(one, name) == getattr(other, name) for name in names)


@pytest.mark.parametrize("case", ["texts", "tools", "media", "branches", "empty"])
def test_a_batch_comes_back_from_the_file_as_it_was(case: str):
    batch = batch_of(*DIALOGUES[case])
    forest_of(batch)
    spilled = SpilledBatches(1 << 20)
    spilled.put("other", batch_of(TALKS[0]))
    spilled.put("key", batch)
    found = spilled.get("key")
    assert found is not None
    assert is_same(found, batch)
    assert found.results == {}
    assert spilled.get("unknown") is None


@pytest.mark.parametrize("case", ["texts", "tools", "media", "branches", "empty"])
def test_what_assets_computed_of_a_batch_comes_back_with_it(case: str, settings: Settings):
    batch = batch_of(*DIALOGUES[case])
    spilled = SpilledBatches(1 << 20)
    spilled.put("key", batch)
    for number, asset in enumerate(ASSETS.values()):
        expected = asset.derive(batch_of(*DIALOGUES[case]), settings)
        found = spilled.get("key")
        assert found is not None
        assert is_same(found, batch)
        for name, rows in asset.derive(found, settings).items():
            pd.testing.assert_frame_equal(rows, expected[name])
        spilled.put_results("key", found.results)
        spilled.put(number, batch_of(TALKS[0]))  # what follows it in the file
    found = spilled.get("key")
    assert found is not None
    assert {build_forest, find_exchanges} <= found.results.keys()
    assert found.results == {function: function(batch) for function in found.results}


def test_results_that_do_not_fit_or_whose_batch_is_not_there_are_not_kept():
    batch = batch_of(TALKS[0])
    spilled = SpilledBatches(1 << 20)
    spilled.put("key", batch)
    forest_of(batch)
    spilled.put_results("unknown", batch.results)
    spilled.budget = spilled._end + 10
    spilled.put_results("key", batch.results)
    found = spilled.get("key")
    assert found is not None
    assert found.results == {}
    assert spilled.get("unknown") is None


def test_a_batch_of_many_messages_comes_back_from_the_file_as_it_was():
    roles = [(("user", "assistant")[number % 2], "So…") for number in range(9_000)]  # times of more than 64 KB
    batch = batch_of(linear("long", *roles))
    spilled = SpilledBatches(1 << 24)
    spilled.put("key", batch)
    found = spilled.get("key")
    assert found is not None
    assert is_same(found, batch)


def test_the_times_of_many_messages_count_by_their_bytes():
    batch = batch_of(linear("long", *[("user", "So…")] * 9_000))
    spilled = SpilledBatches(1 << 24)
    spilled.put("key", batch)
    for budget, is_kept in ((spilled._end, True), (spilled._end - 1, False)):
        bounded = SpilledBatches(budget)
        bounded.put("key", batch)
        assert (bounded.get("key") is not None) == is_kept


def test_the_file_keeps_to_its_budget():
    spilled = SpilledBatches(budget=3_000)
    for number, talk in enumerate(TALKS):
        spilled.put(number, batch_of(talk))
    assert [spilled.get(number) is not None for number in range(3)] == [True, True, False]


def test_a_full_disk_only_means_that_batches_are_read_again(monkeypatch: pytest.MonkeyPatch):
    def full(**_: object) -> object:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(tempfile, "TemporaryFile", full)
    spilled = SpilledBatches(budget=1 << 20)
    spilled.put("key", batch_of(TALKS[0]))
    assert spilled.get("key") is None


@pytest.mark.postgres
@pytest.mark.parametrize(
    ("budget", "disk_budget", "is_kept"), [(1 << 20, 0, True), (0, 1 << 20, True), (0, 0, False), (5_000, 0, False)]
)
def test_what_is_kept_is_read_again_only_when_it_changes(
    database: Database, budget: int, disk_budget: int, *, is_kept: bool
):
    store(database, batch_of(*TALKS))
    with database.session() as connection:
        refs = stale_dialogues(connection, "", "")
    cache = BatchCache(budget, disk_budget)
    first = cache.load(database, refs)
    query(database, "DELETE FROM raw.dialogues RETURNING 1")
    assert is_same(cache.load(database, refs), first) == is_kept
    changed = [replace(ref, fingerprint="other") for ref in refs]
    assert not is_same(cache.load(database, changed), first)


@pytest.mark.postgres
@pytest.mark.parametrize("is_worker", [False, True])
def test_what_several_assets_need_is_computed_once(
    database: Database, settings: Settings, monkeypatch: pytest.MonkeyPatch, *, is_worker: bool
):
    store(database, batch_of(*TALKS))
    with database.session() as connection:
        refs = stale_dialogues(connection, "", "")
    monkeypatch.setattr(forest, "build_forest", counted_forest)
    monkeypatch.setattr(dialogue_source.DIALOGUES, "max_items", 1)
    COUNTED.clear()
    cache = BatchCache(budget=0)
    for name in ASSETS:
        if is_worker:
            for task in build_tasks(settings, dialogue_source.DIALOGUES, name, [[ref] for ref in refs]):
                run_cached(database, cache, task)
        else:
            build_asset(database, settings, name, refs, cache=cache)
    assert sorted(COUNTED) == sorted(ref.id for ref in refs)


@pytest.mark.postgres
def test_memory_is_counted_in_bytes(database: Database):
    store(database, batch_of(*TALKS))
    with database.session() as connection:
        ids = [dialogue.id for dialogue in stale_dialogues(connection, "", "")]
    batch = load_batch(database, ids)
    texts = sum(sys.getsizeof(text) for text in batch.text if text is not None)
    # An ellipsis makes two bytes of each character.
    assert batch.memory_bytes >= texts > 2 * 3 * len("Because… " * 50)


@pytest.mark.postgres
def test_what_a_build_holds_of_long_messages_is_bounded_in_bytes(
    database: Database, settings: Settings, monkeypatch: pytest.MonkeyPatch
):
    call = Tool("c", name="f", input=f'"{"x" * 20_000}"')
    texts = [linear(f"d{number}", ("user", "Why?"), ("assistant", "So… " * 5_000)) for number in range(12)]
    calls = [Talk(f"t{number}", (Row("0", None, "assistant", "I look.", 0, tools=(call,)),)) for number in range(12)]
    store(database, batch_of(*texts, *calls))
    monkeypatch.setattr(dialogue_source.DIALOGUES, "max_bytes", 100_000)
    held: list[int] = []

    def load(given: Database, ids: Sequence[str]) -> DialogueBatch:
        batch = load_batch(given, ids)
        parts = [*batch.text, *batch.tools.tool_input]
        held.append(sum(len(part.encode()) for part in parts if part))
        return batch

    monkeypatch.setattr(batch_cache, "load_batch", load)
    results = build_stale(database, settings)
    assert {result.built for result in results.values()} == {24}
    assert max(held) <= 100_000
    assert sum(held) > 12 * 50_000


@pytest.mark.postgres
def test_texts_are_measured_once_and_again_when_they_change(database: Database, monkeypatch: pytest.MonkeyPatch):
    store(database, batch_of(*TALKS))
    with database.session() as connection:
        refs = stale_dialogues(connection, "", "")
    measured: list[list[str]] = []
    text_bytes = dialogue_source.text_bytes

    def measure(connection: Any, ids: Sequence[str]) -> dict[str, int]:
        measured.append(list(ids))
        return text_bytes(connection, ids)

    monkeypatch.setattr(dialogue_source, "text_bytes", measure)
    cache = BatchCache()
    for _ in range(2):
        assert [each for chunk in cache.chunks(database, refs) for each in chunk] == refs
    changed = replace(refs[1], fingerprint="other")
    assert list(cache.chunks(database, [refs[0], changed])) == [[refs[0], changed]]
    assert measured == [[ref.id for ref in refs], [refs[1].id]]


@pytest.mark.postgres
def test_a_cleared_cache_reads_again_and_has_its_room_back(database: Database):
    store(database, batch_of(*TALKS))
    with database.session() as connection:
        refs = stale_dialogues(connection, "", "")
    cache = BatchCache()
    first = cache.load(database, refs)
    assert cache.load(database, refs) is first
    full = cache._used
    cache.clear()
    again = cache.load(database, refs)
    assert again is not first
    assert is_same(again, first)
    assert cache._used == full
