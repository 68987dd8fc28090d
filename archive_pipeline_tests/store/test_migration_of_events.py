"""Events of Dagster that an earlier version stored stay readable, and a schema that goes back has them whole again."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import dagster as dg
import pytest
from dagster import DagsterEvent, EventLogEntry
from dagster._core.definitions.data_version import DATA_VERSION_TAG
from dagster._core.events import StepMaterializationData
from dagster._serdes import serialize_value

from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.orchestration.instance.event_log_storage import PooledEventLogStorage
from archive_pipeline.orchestration.instance.partition_set import PartitionSet
from archive_pipeline.orchestration.instance.pooled_engine import pooled_engine
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.migrate import migrate
from archive_pipeline_tests.exports import chain, chatgpt, load
from archive_pipeline_tests.store.schema import differences, downgrade
from archive_pipeline_tests.system.commands import wait_until
from archive_pipeline_tests.tables import derived_rows, query

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.filterwarnings("ignore:Computed default on exchange_content.full_text:UserWarning"),
]

KEY = dg.AssetKey("key")


def materialized(partition: str) -> EventLogEntry:
    tags = {DATA_VERSION_TAG: "v"}
    data = StepMaterializationData(dg.AssetMaterialization(KEY, partition=partition, tags=tags))
    event = DagsterEvent("ASSET_MATERIALIZATION", "job", event_specific_data=data)
    return EventLogEntry(None, "DEBUG", "", "run", 1.0, dagster_event=event)


def stored_texts(database: Database) -> list[str]:
    return [text for (text,) in query(database, "SELECT event FROM dagster.event_logs ORDER BY id")]


def test_events_are_whole_before_and_after(new_migrated_database: Callable[[], Database]):
    database = new_migrated_database()
    storage = PooledEventLogStorage(pooled_engine(database.dagster_url))
    entries = [materialized(name) for name in ("a", "b", "c")]
    of_all = materialized(PartitionSet(["a", "b", "c"], {}))
    storage.store_event(of_all)
    assert [text[0] for text in stored_texts(database)] == ["1"] * 3
    downgrade(database, "0023")
    assert stored_texts(database) == list(map(serialize_value, entries))
    migrate(database)
    assert differences(database) == []
    storage.store_event(of_all)
    found = dg.EventRecordsFilter(dg.DagsterEventType.ASSET_MATERIALIZATION, asset_key=KEY)
    records = storage.get_event_records(found, ascending=True)
    assert [record.event_log_entry for record in records] == [*entries, *entries]
    storage.dispose()


def tagged_events(database: Database) -> list[int]:
    tags = query(database, "SELECT event_id, asset_key, key, value FROM dagster.asset_event_tags ORDER BY event_id")
    assert {row[1:] for row in tags} == {(KEY.to_string(), DATA_VERSION_TAG, "v")}
    return [row[0] for row in tags]


def test_tags_of_an_earlier_version_are_found_and_come_back(new_migrated_database: Callable[[], Database]):
    database = new_migrated_database()
    storage = PooledEventLogStorage(pooled_engine(database.dagster_url))
    for names in (("a", "b", "c"), ("d",), ("e", "f")):
        storage.store_event(materialized(PartitionSet(list(names), {})))
    versions = {name: {DATA_VERSION_TAG: "v"} for name in "abcdef"}
    downgrade(database, "0024")
    assert tagged_events(database) == [1, 2, 3, 4, 5, 6]  # as that version stored them
    with (
        database.session() as connection
    ):  # as its housekeeping left them: without the event that a shape is named after
        connection.execute("DELETE FROM dagster.asset_event_tags WHERE event_id = 1")
        connection.execute("DELETE FROM dagster.event_logs WHERE id = 1")
    migrate(database)
    assert tagged_events(database) == [1, 4, 5]
    found = storage.get_latest_tags_by_partition(KEY, dg.DagsterEventType.ASSET_MATERIALIZATION, [DATA_VERSION_TAG])
    assert found == {name: version for name, version in versions.items() if name != "a"}
    downgrade(database, "0024")
    assert tagged_events(database) == [1, 2, 3, 4, 5, 6]
    storage.dispose()


# As an earlier version stores an event with its tag: one statement after the other, in one transaction.
STORE_EVENT = """
INSERT INTO dagster.event_logs (run_id, event, dagster_event_type, asset_key, partition)
SELECT run_id, event, dagster_event_type, asset_key, 'b' FROM dagster.event_logs RETURNING id
"""
STORE_TAG = """
INSERT INTO dagster.asset_event_tags (event_id, asset_key, key, value)
SELECT %s, asset_key, key, value FROM dagster.asset_event_tags
"""
ARE_WAITING = "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'dagster.event_logs'::regclass"


def test_tags_that_are_written_meanwhile_stay(new_migrated_database: Callable[[], Database]):
    database = new_migrated_database()
    storage = PooledEventLogStorage(pooled_engine(database.dagster_url))
    storage.store_event(materialized("a"))
    storage.dispose()
    downgrade(database, "0024")
    with ThreadPoolExecutor(1) as pool:
        with database.statements() as writer, writer.transaction():
            row = writer.execute(STORE_EVENT).fetchone()
            migrated = pool.submit(migrate, database)
            wait_until(lambda: migrated.done() or query(database, ARE_WAITING) != [(0,)], "the migration waits")
            writer.execute(STORE_TAG, row)
        migrated.result(timeout=300)
    assert tagged_events(database) == [1, 2]


def test_rows_stay_and_nothing_is_to_be_built(
    new_migrated_database: Callable[[], Database], tmp_path: Path, settings: Settings
):
    database = new_migrated_database()
    load(database, tmp_path / "c.json", *(chatgpt(name, chain("q", name, "and?", "so", prefix=name)) for name in "abc"))
    build_stale(database, settings)
    before = derived_rows(database)
    downgrade(database, "0023")  # no schema of Dagster's events is there yet
    migrate(database)
    assert derived_rows(database) == before
    assert {result.built for result in build_stale(database, settings).values()} == {0}
