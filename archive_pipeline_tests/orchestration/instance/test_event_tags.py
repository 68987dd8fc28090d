"""Tags that the events of a batch have in common are stored once; Dagster finds them with each event, as stock ones."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator, Mapping, Sequence

import dagster as dg
import pytest
from dagster import DagsterEvent, EventLogEntry
from dagster._core.definitions.data_version import DATA_VERSION_TAG
from dagster._core.events import StepMaterializationData
from dagster_postgres import PostgresEventLogStorage
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.orchestration.instance.event_log_storage import PooledEventLogStorage
from archive_pipeline.orchestration.instance.event_tags import tagged_ids
from archive_pipeline.orchestration.instance.partition_set import PartitionSet
from archive_pipeline.store.database import Database
from archive_pipeline_tests.tables import query
from archive_pipeline_tests.trials import trials

MADE = dg.DagsterEventType.ASSET_MATERIALIZATION
RUNS = ("0b6f6d2e-0000-4000-8000-000000000003", "0b6f6d2e-0000-4000-8000-000000000004")
PARTITIONS = ("a", "b", "c")
VERSIONS = ("v1", "v2", "it's %s")
# Materialisations of some partitions in one run, all with one version of the data, or none.
BATCHES = st.tuples(
    st.lists(st.sampled_from(PARTITIONS), min_size=1, unique=True),
    st.none() | st.sampled_from(VERSIONS),
    st.sampled_from(RUNS),
)
Batch = tuple[Sequence[str], str | None, str]


def materialized(key: dg.AssetKey, partition: str, version: str | None, run_id: str = RUNS[0]) -> EventLogEntry:
    tags = {"not/indexed": "x"} | ({DATA_VERSION_TAG: version} if version else {})
    data = StepMaterializationData(dg.AssetMaterialization(key, partition=partition, tags=tags))
    event = DagsterEvent(MADE.value, "job", event_specific_data=data)
    # Young, so that housekeeping, which is tested on the same archive, leaves it.
    return EventLogEntry(None, "DEBUG", "", run_id, time.time(), dagster_event=event)


def in_one(key: dg.AssetKey, batch: Batch) -> EventLogEntry:
    partitions, version, run_id = batch
    return materialized(key, PartitionSet(partitions, {}), version, run_id)


def ids_of(storage: PostgresEventLogStorage, key: dg.AssetKey) -> list[int]:
    found = dg.EventRecordsFilter(MADE, asset_key=key)
    return [record.storage_id for record in storage.get_event_records(found, ascending=True)]


def found_tags(storage: PostgresEventLogStorage, key: dg.AssetKey) -> Iterator[object]:
    """All that Dagster asks about tags."""
    ids = ids_of(storage, key)
    cursors = [None, *ids]
    for cursor in cursors:
        latest: Mapping[str, Mapping[str, str]] = storage.get_latest_tags_by_partition(
            key, MADE, [DATA_VERSION_TAG], asset_partitions=None, after_cursor=cursor
        )
        yield latest
        yield storage.get_latest_tags_by_partition(
            key, MADE, [DATA_VERSION_TAG], asset_partitions=PARTITIONS[:2], before_cursor=cursor
        )
    yield sorted(map(sorted, storage.get_event_tags_for_asset(key)))
    for number in ids:
        yield storage.get_event_tags_for_asset(key, filter_event_id=number)
    for version in VERSIONS:
        yield storage.get_event_tags_for_asset(key, filter_tags={DATA_VERSION_TAG: version})
    for other in PARTITIONS:
        yield storage.get_updated_data_version_partitions(key, [other, "a"], ids[len(ids) // 2]) if ids else None


@pytest.fixture
def storage(instance: dg.DagsterInstance) -> PooledEventLogStorage:
    found = instance.event_log_storage
    assert isinstance(found, PooledEventLogStorage)
    return found


@pytest.fixture
def stock(database: Database, storage: PooledEventLogStorage) -> Iterator[PostgresEventLogStorage]:
    """Stock storage on the same tables, which knows nothing of batches."""
    found = PostgresEventLogStorage(database.dagster_url)
    found.optimize_for_webserver(0, -1, -1)  # as it is there: with a connection that stays, not one for each question
    yield found
    found.dispose()


@pytest.mark.postgres
@pytest.mark.dagster
@trials(20)
@given(st.lists(BATCHES, max_size=4))
@pytest.mark.long
def test_tags_are_those_that_the_stock_storage_finds(
    storage: PooledEventLogStorage, stock: PostgresEventLogStorage, batches: list[Batch]
):
    ours, theirs = (dg.AssetKey(["tagged", uuid.uuid4().hex]) for _ in range(2))
    for batch in batches:
        storage.store_event(in_one(ours, batch))
        for partition in batch[0]:
            stock.store_event(materialized(theirs, partition, *batch[1:]))
    assert list(found_tags(storage, ours)) == list(found_tags(stock, theirs))


@pytest.mark.postgres
@pytest.mark.dagster
def test_a_wiped_asset_has_no_tags(storage: PooledEventLogStorage):
    key = dg.AssetKey(["tagged", uuid.uuid4().hex])
    storage.store_event(in_one(key, (["a", "b"], "v1", RUNS[0])))
    asked = (key, MADE, [DATA_VERSION_TAG], ["a", "b"])
    assert storage.get_latest_tags_by_partition(*asked) == {name: {DATA_VERSION_TAG: "v1"} for name in "ab"}
    storage.wipe_asset(key)
    assert storage.get_latest_tags_by_partition(*asked) == {}
    storage.store_event(in_one(key, (["b"], "v2", RUNS[0])))
    assert storage.get_latest_tags_by_partition(*asked) == {"b": {DATA_VERSION_TAG: "v2"}}


@pytest.mark.postgres
@pytest.mark.dagster
def test_a_batch_has_its_tags_once(storage: PooledEventLogStorage, database: Database):
    key = dg.AssetKey(["tagged", uuid.uuid4().hex])
    partitions = [f"p{number}" for number in range(30)]
    storage.store_event(in_one(key, (partitions, "v1", RUNS[0])))
    storage.store_event(in_one(key, (["alone"], "v2", RUNS[0])))
    first, *_, last = ids_of(storage, key)
    stored = query(
        database,
        "SELECT event_id, key, value FROM dagster.asset_event_tags WHERE asset_key = %s ORDER BY id",
        key.to_string(),
    )
    assert stored == [(first, DATA_VERSION_TAG, "v1"), (last, DATA_VERSION_TAG, "v2")]
    found = storage.get_latest_tags_by_partition(key, MADE, [DATA_VERSION_TAG])
    versions = dict.fromkeys(partitions, "v1") | {"alone": "v2"}
    assert found == {name: {DATA_VERSION_TAG: version} for name, version in versions.items()}


def test_tags_are_those_of_shapes_and_of_whole_texts():
    texts = ['1\n"a"', "{}", '3\n"c"', '1\n"d"', '3\n"e"']
    assert tagged_ids(range(1, 6), texts, [{"id": 1}, {"id": 3}]) == [1, 2, 3]


@pytest.mark.postgres
@pytest.mark.dagster
def test_materialisations_are_not_in_the_index_of_types(instance: dg.DagsterInstance, database: Database):
    instance.event_log_storage.store_event(materialized(dg.AssetKey("any"), "a", None))
    [(definition,)] = query(database, "SELECT pg_get_indexdef('dagster.idx_event_type'::regclass)")
    assert definition.endswith("(dagster_event_type, id) WHERE (dagster_event_type <> 'ASSET_MATERIALIZATION'::text)")
    with database.session() as connection, connection.transaction():
        connection.execute("SET LOCAL enable_seqscan = off")
        plan = connection.execute(
            "EXPLAIN SELECT id FROM dagster.event_logs WHERE dagster_event_type IN ('PIPELINE_START', 'STEP_START')"
        ).fetchall()
    assert any("idx_event_type" in line for (line,) in plan)


@pytest.mark.postgres
@pytest.mark.dagster
def test_the_function_of_shapes_is_not_called_for_each_event(instance: dg.DagsterInstance, database: Database):
    instance.event_log_storage.store_event(materialized(dg.AssetKey("any"), "a", None))
    plan = query(database, "EXPLAIN VERBOSE SELECT dagster.event_shape_id(event) FROM dagster.event_logs")
    assert not any("event_shape_id" in line for (line,) in plan)
    asked = "SELECT dagster.event_shape_id(t) FROM unnest(ARRAY[NULL, '{}', E'12\\n\"a\"', '7']) AS t"
    assert query(database, asked) == [(None,), (None,), (12,), (7,)]
