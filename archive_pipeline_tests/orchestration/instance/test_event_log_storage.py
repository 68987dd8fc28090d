"""What the storage asks the database itself is what the stock storage works out."""

from __future__ import annotations

import uuid
from typing import Any

import dagster as dg
import psycopg2
import pytest
import sqlalchemy
from dagster import AssetMaterialization, DagsterEvent, DagsterEventType
from dagster._core.definitions.partitions.subset import DefaultPartitionsSubset
from dagster._core.events import AssetMaterializationPlannedData, StepMaterializationData
from dagster_postgres import PostgresEventLogStorage
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.orchestration.instance import event_log_storage
from archive_pipeline.orchestration.instance.event_log_storage import PooledEventLogStorage
from archive_pipeline.orchestration.instance.partition_set import PartitionSet
from archive_pipeline_tests.trials import trials
from archive_pipeline_tests.work import counted_statements

pytestmark = [pytest.mark.postgres, pytest.mark.dagster]

RUNS = ("0b6f6d2e-0000-4000-8000-000000000001", "0b6f6d2e-0000-4000-8000-000000000002")
PLANNED, MADE = DagsterEventType.ASSET_MATERIALIZATION_PLANNED, DagsterEventType.ASSET_MATERIALIZATION
# Also such as JSON, SQL and a driver's placeholders write otherwise.
KEYS = ("a", "'q\"\\ %s {x}\u007f", "\N{GRINNING FACE} \N{LATIN SMALL LETTER E}\N{COMBINING ACUTE ACCENT}")
NAMES = st.sampled_from(KEYS)
# What an event is about: the asset, one partition of it, or (plans only) a set of partitions.
EVENTS = st.tuples(st.just(PLANNED), st.none() | NAMES | st.sets(NAMES, min_size=1), st.sampled_from(RUNS)) | st.tuples(
    st.just(MADE), st.none() | NAMES, st.sampled_from(RUNS)
)
Event = tuple[DagsterEventType, str | set[str] | None, str]


def new_key() -> dg.AssetKey:
    """An asset without events, in a log that other tests write to."""
    return dg.AssetKey(["stored", uuid.uuid4().hex])


def entry(
    key: dg.AssetKey, event_type: DagsterEventType, about: str | set[str] | None, run_id: str
) -> dg.EventLogEntry:
    if event_type is MADE:
        data: object = StepMaterializationData(AssetMaterialization(key, partition=about))
    elif isinstance(about, set):
        data = AssetMaterializationPlannedData(key, partitions_subset=DefaultPartitionsSubset(about))
    else:
        data = AssetMaterializationPlannedData(key, partition=about)
    event = DagsterEvent(event_type.value, "build_derived", event_specific_data=data)
    return dg.EventLogEntry(
        error_info=None, level="debug", user_message="", run_id=run_id, timestamp=1.0, dagster_event=event
    )


def one_by_one(event: Event) -> list[Event]:
    """The event as the stock storage has it: one for each partition."""
    event_type, about, run_id = event
    return [(event_type, partition, run_id) for partition in sorted(about)] if isinstance(about, set) else [event]


def store(storage: PooledEventLogStorage, key: dg.AssetKey, events: list[Event]) -> int:
    """Store events; return the id of the last event of the asset."""
    for event in events:
        storage.store_event(entry(key, *event))
    newest = [
        record.storage_id
        for kind in (PLANNED, MADE)
        for record in storage.get_event_records(dg.EventRecordsFilter(kind, asset_key=key), limit=1)
    ]
    return max(newest, default=0)


@trials(25)
@given(st.lists(EVENTS, max_size=6), st.lists(EVENTS, max_size=6))
def test_plans_are_those_of_the_stock_storage(instance: dg.DagsterInstance, before: list[Event], after: list[Event]):
    storage = instance.event_log_storage
    assert isinstance(storage, PooledEventLogStorage)
    ours, stock = new_key(), new_key()
    cursors = {
        ours: store(storage, ours, before),
        stock: store(storage, stock, [single for event in before for single in one_by_one(event)]),
    }
    store(storage, ours, after)
    store(storage, stock, [single for event in after for single in one_by_one(event)])
    for has_cursor in (False, True):
        found = storage.get_latest_asset_partition_materialization_attempts_without_materializations(
            ours, cursors[ours] if has_cursor else None
        )
        expected = PostgresEventLogStorage.get_latest_asset_partition_materialization_attempts_without_materializations(
            storage, stock, cursors[stock] if has_cursor else None
        )
        assert {partition: run for partition, (run, _id) in found.items()} == {
            partition: run for partition, (run, _id) in expected.items()
        }
        assert all(event_id > (cursors[ours] if has_cursor else 0) for _run, event_id in found.values())
    for partition in KEYS:
        found = storage.get_latest_planned_materialization_info(ours, partition)
        expected = PostgresEventLogStorage.get_latest_planned_materialization_info(storage, stock, partition)
        assert (found and found.run_id) == (expected and expected.run_id)


def test_a_wiped_asset_has_no_plans(instance: dg.DagsterInstance):
    storage, key = instance.event_log_storage, new_key()
    storage.store_event(entry(key, PLANNED, "a", RUNS[0]))
    storage.store_event(entry(key, PLANNED, {"b"}, RUNS[0]))
    unmade = storage.get_latest_asset_partition_materialization_attempts_without_materializations
    assert {partition: run for partition, (run, _event) in unmade(key).items()} == {"a": RUNS[0], "b": RUNS[0]}
    storage.wipe_asset(key)
    assert unmade(key) == {}
    assert [storage.get_latest_planned_materialization_info(key, name) for name in ("a", "b")] == [None, None]


def materialized(storage: PooledEventLogStorage, key: dg.AssetKey) -> list[tuple[str | None, dict[str, Any]]]:
    """The materialisations of an asset, oldest first: partition and metadata."""
    records = storage.fetch_materializations(key, limit=100, ascending=True).records
    made = [record.asset_materialization for record in records]
    return [(each.partition, {name: value.value for name, value in each.metadata.items()}) for each in made if each]


def test_an_event_of_many_partitions_is_stored_as_one_of_each(
    instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_log_storage, "EVENTS_PER_TRANSACTION", 2)
    storage, key = instance.event_log_storage, new_key()
    assert isinstance(storage, PooledEventLogStorage)
    title = {"title": dg.MetadataValue.text("of the second\t\\N")}
    storage.store_event(entry(key, MADE, PartitionSet(KEYS, {KEYS[1]: title}), RUNS[0]))
    assert materialized(storage, key) == [(KEYS[0], {}), (KEYS[1], {"title": title["title"].value}), (KEYS[2], {})]
    last = storage.get_asset_records([key])[0].asset_entry.last_materialization_record
    assert last is not None
    assert last.partition_key == KEYS[2]
    newest = storage.fetch_materializations(key, limit=1).records[0]
    assert (last.storage_id, last.event_log_entry) == (newest.storage_id, newest.event_log_entry)


def test_events_that_could_not_be_written_are_written_once(
    instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    storage, key = instance.event_log_storage, new_key()
    assert isinstance(storage, PooledEventLogStorage)
    calls: list[object] = []
    copy_rows = event_log_storage.copy_rows

    def fail_once(connection: Any, table: Any, *arguments: Any) -> None:
        calls.append(table)
        copy_rows(connection, table, *arguments)
        if len(calls) == 1:
            raise psycopg2.OperationalError("the connection is gone")

    monkeypatch.setattr(event_log_storage, "copy_rows", fail_once)
    storage.store_event(entry(key, MADE, PartitionSet(KEYS, {}), RUNS[0]))
    assert len(calls) == 3
    assert [partition for partition, _ in materialized(storage, key)] == list(KEYS)


def test_an_event_of_no_asset_takes_one_statement(instance: dg.DagsterInstance):
    run_id = str(uuid.uuid4())
    event = DagsterEvent(DagsterEventType.STEP_START.value, "build_derived", step_key="exchanges")
    started = dg.EventLogEntry(None, "debug", "", run_id, 1.0, dagster_event=event)
    with counted_statements() as statements:
        instance.event_log_storage.store_event(started)
    assert len(statements) == 1
    [stored] = instance.event_log_storage.get_records_for_run(run_id).records
    assert stored.event_log_entry == started


def test_columns_of_assets_are_looked_up_until_they_are_there(instance: dg.DagsterInstance):
    storage = instance.event_log_storage
    assert isinstance(storage, PooledEventLogStorage)
    asked: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_more: object) -> None:
        asked.append(statement)

    storage.has_asset_key_col("cached_status_data")
    sqlalchemy.event.listen(storage._engine, "before_cursor_execute", note)
    try:
        assert storage.can_read_asset_status_cache()
        assert storage.can_write_asset_status_cache()
        assert asked == []
        for number in (1, 2):
            assert not storage.has_asset_key_col("one_of_a_later_version")
            assert sum("pg_attribute" in statement for statement in asked) >= number
    finally:
        sqlalchemy.event.remove(storage._engine, "before_cursor_execute", note)
