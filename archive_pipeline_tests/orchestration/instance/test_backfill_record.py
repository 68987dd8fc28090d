"""A backfill that is worked on part by part ends as Dagster would have ended the whole."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from itertools import count

import dagster as dg
import pytest
from dagster._core.definitions.assets.graph.asset_graph_subset import AssetGraphSubset
from dagster._core.definitions.partitions.subset import DefaultPartitionsSubset
from dagster._core.definitions.timestamp import TimestampWithTimezone
from dagster._core.execution.asset_backfill import AssetBackfillData
from dagster._core.execution.backfill import BulkActionsFilter, BulkActionStatus, PartitionBackfill
from dagster._daemon.types import DaemonHeartbeat
from dagster_postgres import PostgresRunStorage
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.orchestration.instance import backfill_record
from archive_pipeline.orchestration.instance.backfill_record import (
    BackfillRecord,
    can_be_packed,
    from_text,
    packed,
    part,
    to_text,
    updated,
    whole,
)
from archive_pipeline.orchestration.instance.pooled_engine import pooled_engine
from archive_pipeline.orchestration.instance.run_storage import PooledRunStorage
from archive_pipeline.orchestration.partitions.keys import register_keys
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database

PATHS, TREES, SUMMARY = dg.AssetKey("message_paths"), dg.AssetKey(["derived", "trees"]), dg.AssetKey("summary")
KEYS = st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]), min_size=1)
_prefixes = count()


def subset(**keys: set[str]) -> AssetGraphSubset:
    assets = {"paths": PATHS, "trees": TREES}
    return AssetGraphSubset({assets[name]: DefaultPartitionsSubset(own) for name, own in keys.items() if own}, set())


def backfill_data(
    target: AssetGraphSubset,
    requested: AssetGraphSubset | None = None,
    materialized: AssetGraphSubset | None = None,
    failed: AssetGraphSubset | None = None,
    *,
    latest: int | None = None,
) -> AssetBackfillData:
    nothing = AssetGraphSubset({}, set())
    return AssetBackfillData(
        target_subset=target,
        requested_runs_for_target_roots=requested is not None,
        latest_storage_id=latest,
        materialized_subset=materialized or nothing,
        requested_subset=requested or nothing,
        failed_and_downstream_subset=failed or nothing,
        backfill_start_time=TimestampWithTimezone(1_700_000_000.0, "UTC"),
    )


def keys_of(subset: AssetGraphSubset, asset: dg.AssetKey = PATHS) -> set[str]:
    found = subset.partitions_subsets_by_asset_key.get(asset)
    return set(found.get_partition_keys()) if found else set()


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three keys are asked for at once, when fewer than two are at work."""
    monkeypatch.setattr(backfill_record, "KEYS_ASKED_FOR", 3)
    monkeypatch.setattr(backfill_record, "FEWEST_AT_WORK", 2)


@given(
    keys=st.lists(
        st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]), min_size=1), min_size=1, unique=True
    ),
    choices=st.data(),
)
def test_a_record_is_the_same_after_it_was_stored(keys: list[str], choices: st.DataObject):
    def some() -> set[str]:
        return choices.draw(st.sets(st.sampled_from(keys)))

    data = backfill_data(
        subset(paths=set(keys), trees=some()),
        subset(paths=some(), trees=some()),
        subset(paths=some()),
        subset(trees=some()),
        latest=choices.draw(st.none() | st.integers(0, 2**62)),
    )
    stored = from_text(to_text(packed(data, keys)))
    assert stored is not None
    expected = data._replace(requested_runs_for_target_roots=bool(data.requested_subset.asset_keys))
    assert whole(stored) == expected
    assert stored.keys == tuple(keys)


def test_the_order_of_the_partitions_decides_what_is_asked_for_first(few: None):
    record = packed(backfill_data(subset(paths=set("abcde"), trees=set("abcde"))), "edcba")
    first = part(record, may_ask=True)
    assert keys_of(first.target_subset) == keys_of(first.target_subset, TREES) == set("edc")
    assert not first.requested_runs_for_target_roots


def test_more_is_asked_for_only_while_few_are_at_work(few: None):
    target = subset(paths=set("abcdef"))
    two = packed(backfill_data(target, subset(paths=set("abc")), subset(paths=set("a"))), "abcdef")
    assert keys_of(part(two, may_ask=True).target_subset) == set("bc")
    one = packed(backfill_data(target, subset(paths=set("abc")), subset(paths=set("ab"))), "abcdef")
    assert keys_of(part(one, may_ask=True).target_subset) == set("def")
    assert keys_of(part(one, may_ask=False).target_subset) == set("c")


def test_a_failed_key_stays_in_the_part_since_its_run_may_be_retried(few: None):
    record = packed(
        backfill_data(subset(paths=set("abc")), subset(paths=set("abc")), subset(paths=set("a")), subset(paths={"b"})),
        "abc",
    )
    shown = part(record, may_ask=True)
    assert keys_of(shown.target_subset) == set("bc")
    assert keys_of(shown.failed_and_downstream_subset) == {"b"}
    again = updated(
        record, shown._replace(materialized_subset=subset(paths={"b"}), failed_and_downstream_subset=subset())
    )
    assert keys_of(whole(again).materialized_subset) == set("ab")
    assert keys_of(whole(again).failed_and_downstream_subset) == set()


def test_a_key_is_at_work_until_all_of_its_assets_are_there():
    both = subset(paths=set("ab"), trees=set("ab"))
    record = packed(backfill_data(both, both, subset(paths=set("ab"), trees={"a"})), "ab")
    assert keys_of(part(record, may_ask=True).target_subset) == {"b"}


def test_events_that_came_while_more_was_asked_for_are_looked_at_later(few: None):
    target = subset(paths=set("abcdef"))
    record = packed(backfill_data(target, subset(paths=set("abc")), subset(paths=set("ab")), latest=10), "abcdef")
    asking = part(record, may_ask=True)
    assert keys_of(asking.target_subset) == set("def")
    asked = updated(record, asking._replace(requested_subset=asking.target_subset, latest_storage_id=20))
    assert asked.latest_storage_id == 10  # an event of c may be among them
    looking = part(asked, may_ask=True)
    assert keys_of(looking.target_subset) == set("cdef")
    assert updated(asked, looking._replace(latest_storage_id=30)).latest_storage_id == 30


def test_what_lies_outside_of_a_part_is_not_changed_by_it(few: None):
    record = packed(backfill_data(subset(paths=set("abc")), subset(paths=set("abc")), subset(paths=set("a"))), "abc")
    shown = part(record, may_ask=True)
    # Dagster names all keys of failed runs, also those that a retried run has built long ago.
    after = whole(updated(record, shown._replace(failed_and_downstream_subset=subset(paths=set("ab")))))
    assert keys_of(after.failed_and_downstream_subset) == {"b"}
    assert keys_of(after.materialized_subset) == {"a"}


def test_backfills_without_partitions_are_left_to_dagster():
    assert can_be_packed(backfill_data(subset(paths={"a"})))
    assert not can_be_packed(backfill_data(AssetGraphSubset({}, {SUMMARY})))


def test_assets_without_partitions_are_asked_for_when_all_keys_have_ended(few: None):
    target = AssetGraphSubset(subset(paths=set("abcd")).partitions_subsets_by_asset_key, {SUMMARY})
    record = from_text(to_text(packed(backfill_data(target), "abcd")))
    assert record is not None
    assert whole(record).target_subset == target
    for keys in ("abc", "d"):
        asking = part(record, may_ask=True)
        assert asking.target_subset == subset(paths=set(keys))
        record = updated(record, asking._replace(requested_subset=asking.target_subset))
        looking = part(record, may_ask=True)
        assert looking.target_subset == subset(paths=set(keys))
        failed = subset(paths={"d"} & set(keys))
        made = looking.target_subset - failed
        record = updated(record, looking._replace(materialized_subset=made, failed_and_downstream_subset=failed))
        assert record.is_waiting()
    summary = AssetGraphSubset({}, {SUMMARY})
    asking = part(record, may_ask=True)
    assert (asking.target_subset, asking.requested_runs_for_target_roots) == (summary, False)
    cancelled = part(record, may_ask=False)
    assert cancelled.target_subset == subset(paths={"d"})
    record = updated(record, asking._replace(requested_subset=summary))
    assert not record.is_waiting()
    looking = part(record, may_ask=True)
    assert (looking.target_subset, looking.requested_subset) == (summary, summary)
    record = updated(record, looking._replace(materialized_subset=summary))
    last = part(record, may_ask=True)
    assert (last.target_subset, last.failed_and_downstream_subset) == (subset(paths={"d"}), subset(paths={"d"}))
    assert whole(record).materialized_subset.non_partitioned_asset_keys == {SUMMARY}


@given(st.data())
def test_all_parts_together_are_the_whole(choices: st.DataObject):
    """Dagster's turns as a model: what was shown is asked for, or some of it is made or fails."""
    size = choices.draw(st.integers(1, 60))
    keys = [f"{number:02}" for number in range(size)]
    failing = choices.draw(st.sets(st.sampled_from(keys)))
    both = subset(paths=set(keys), trees=set(keys))
    record: BackfillRecord = packed(backfill_data(both), keys)
    asked: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(backfill_record, "KEYS_ASKED_FOR", choices.draw(st.integers(1, 7)))
        patch.setattr(backfill_record, "FEWEST_AT_WORK", choices.draw(st.integers(1, 9)))
        for _ in range(10 * size):
            shown = part(record, may_ask=True)
            target = keys_of(shown.target_subset)
            if not target - failing and not record.waiting().any():
                break
            if not shown.requested_runs_for_target_roots:
                asked += sorted(target)
                record = updated(record, shown._replace(requested_subset=shown.target_subset))
                continue
            ended = {
                *choices.draw(st.sets(st.sampled_from(sorted(target)))),
                min(target - failing, default=min(target)),
            }
            made, failed = ended - failing, (ended & failing) | keys_of(shown.failed_and_downstream_subset)
            record = updated(
                record,
                shown._replace(
                    materialized_subset=subset(paths=made, trees=made),
                    failed_and_downstream_subset=subset(paths=failed, trees=failed),
                ),
            )
    assert asked == keys
    assert keys_of(whole(record).materialized_subset, TREES) == set(keys) - failing
    assert keys_of(whole(record).failed_and_downstream_subset) <= failing


@pytest.fixture
def storages(database: Database) -> Iterator[Mapping[str, PostgresRunStorage]]:
    """What the daemon of backfills and the web server have, and stock storage on the same tables."""
    engine = pooled_engine(database.dagster_url)
    daemon, web_server = PooledRunStorage(engine), PooledRunStorage(engine)
    daemon.add_daemon_heartbeat(DaemonHeartbeat(time.time(), "BACKFILL", "this", errors=[]))
    stock = PostgresRunStorage(database.dagster_url)
    yield {"daemon": daemon, "web server": web_server, "stock": stock}
    stock.dispose()
    engine.dispose()


@pytest.fixture
def stored(
    few: None, instance: dg.DagsterInstance, settings: Settings, storages: Mapping[str, PostgresRunStorage]
) -> Iterator[PartitionBackfill]:
    """A backfill of five keys that the web server has stored; the last one was registered first."""
    prefix = f"backfill{next(_prefixes)}-"
    register_keys(instance, settings, [prefix + "e"])
    keys = [prefix + letter for letter in "abcde"]
    register_keys(instance, settings, keys)
    data = backfill_data(subset(paths=set(keys), trees=set(keys)))
    backfill = PartitionBackfill(prefix, BulkActionStatus.REQUESTED, False, {}, time.time(), asset_backfill_data=data)
    storages["web server"].add_backfill(backfill)
    yield backfill
    storages["web server"].update_backfill(backfill.with_status(BulkActionStatus.CANCELED))


@pytest.mark.dagster
@pytest.mark.postgres
def test_only_the_daemon_is_shown_a_part(stored: PartitionBackfill, storages: Mapping[str, PostgresRunStorage]):
    prefix = stored.backfill_id
    assert storages["web server"].get_backfill(prefix) == stored
    requested = BulkActionsFilter(statuses=[BulkActionStatus.REQUESTED])
    (listed,) = (each for each in storages["daemon"].get_backfills(filters=requested) if each.backfill_id == prefix)
    assert listed == storages["daemon"].get_backfill(prefix)
    assert listed.asset_backfill_data is not None
    assert keys_of(listed.asset_backfill_data.target_subset) == {prefix + letter for letter in "eab"}


@pytest.mark.dagster
@pytest.mark.postgres
def test_a_part_that_is_done_does_not_end_the_backfill(
    stored: PartitionBackfill, storages: Mapping[str, PostgresRunStorage]
):
    daemon, prefix = storages["daemon"], stored.backfill_id
    for expected in ("eab", "cd"):
        shown = daemon.get_backfill(prefix)
        assert shown is not None
        assert shown.asset_backfill_data is not None
        target = shown.asset_backfill_data.target_subset
        assert keys_of(target) == {prefix + letter for letter in expected}
        done = shown.asset_backfill_data._replace(requested_subset=target, materialized_subset=target)
        ended = shown._replace(asset_backfill_data=done).with_end_timestamp(1.0)
        daemon.update_backfill(ended.with_status(BulkActionStatus.COMPLETED_SUCCESS))
        after = storages["web server"].get_backfill(prefix)
        assert after is not None
        is_last = expected == "cd"
        assert after.status == (BulkActionStatus.COMPLETED_SUCCESS if is_last else BulkActionStatus.REQUESTED)
        assert after.backfill_end_timestamp == (1.0 if is_last else None)
    assert after.asset_backfill_data is not None
    assert after.asset_backfill_data.materialized_subset == after.asset_backfill_data.target_subset


@pytest.mark.dagster
@pytest.mark.postgres
def test_stock_storage_reads_a_record_as_a_backfill_of_nothing(
    stored: PartitionBackfill, storages: Mapping[str, PostgresRunStorage]
):
    read = storages["stock"].get_backfill(stored.backfill_id)
    assert read is not None
    assert read.is_asset_backfill
    graph = dg.Definitions().get_repository_def().asset_graph
    assert read.get_asset_backfill_data(graph).target_subset.is_empty


@pytest.mark.dagster
@pytest.mark.postgres
def test_backfills_that_stock_storage_has_stored_go_on(
    stored: PartitionBackfill, storages: Mapping[str, PostgresRunStorage]
):
    earlier = stored._replace(backfill_id=f"earlier {stored.backfill_id}")
    storages["stock"].add_backfill(earlier)
    assert storages["daemon"].get_backfill(earlier.backfill_id) == earlier
    storages["daemon"].update_backfill(earlier.with_status(BulkActionStatus.CANCELED))
    read = storages["stock"].get_backfill(earlier.backfill_id)
    assert read == earlier.with_status(BulkActionStatus.CANCELED)
