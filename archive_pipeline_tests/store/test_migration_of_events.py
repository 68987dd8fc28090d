"""Events of Dagster that an earlier version stored stay readable, and a schema that goes back has them whole again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import dagster as dg
import pytest
from alembic import command
from dagster import DagsterEvent, EventLogEntry
from dagster._core.events import StepMaterializationData
from dagster._serdes import serialize_value

from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.orchestration.instance.event_log_storage import PooledEventLogStorage, pooled_engine
from archive_pipeline.orchestration.instance.partition_set import PartitionSet
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.migrate import alembic_config, migrate
from archive_pipeline_tests.exports import chain, chatgpt, load
from archive_pipeline_tests.store.schema import differences
from archive_pipeline_tests.tables import derived_rows, query

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.filterwarnings("ignore:Computed default on exchange_content.full_text:UserWarning"),
]

KEY = dg.AssetKey("key")


def materialized(partition: str) -> EventLogEntry:
    data = StepMaterializationData(dg.AssetMaterialization(KEY, partition=partition))
    event = DagsterEvent("ASSET_MATERIALIZATION", "job", event_specific_data=data)
    return EventLogEntry(None, "DEBUG", "", "run", 1.0, dagster_event=event)


def downgrade(database: Database) -> None:
    with database.engine.begin() as connection:
        config = alembic_config()
        config.attributes["connection"] = connection
        command.downgrade(config, "0023")


def stored_texts(database: Database) -> list[str]:
    return [text for (text,) in query(database, "SELECT event FROM dagster.event_logs ORDER BY id")]


def test_events_are_whole_before_and_after(new_database: Callable[[], Database]):
    database = new_database()
    migrate(database)
    storage = PooledEventLogStorage(pooled_engine(database.dagster_url))
    entries = [materialized(name) for name in ("a", "b", "c")]
    of_all = materialized(PartitionSet(["a", "b", "c"], {}))
    storage.store_event(of_all)
    assert [text[0] for text in stored_texts(database)] == ["1"] * 3
    downgrade(database)
    assert stored_texts(database) == list(map(serialize_value, entries))
    migrate(database)
    assert differences(database) == []
    storage.store_event(of_all)
    found = dg.EventRecordsFilter(dg.DagsterEventType.ASSET_MATERIALIZATION, asset_key=KEY)
    records = storage.get_event_records(found, ascending=True)
    assert [record.event_log_entry for record in records] == [*entries, *entries]
    storage.dispose()


def test_rows_stay_and_nothing_is_to_be_built(new_database: Callable[[], Database], tmp_path: Path, settings: Settings):
    database = new_database()
    migrate(database)
    load(database, tmp_path / "c.json", *(chatgpt(name, chain("q", name, "and?", "so", prefix=name)) for name in "abc"))
    build_stale(database, settings)
    before = derived_rows(database)
    downgrade(database)  # no schema of Dagster's events is there yet
    migrate(database)
    assert derived_rows(database) == before
    assert {result.built for result in build_stale(database, settings).values()} == {0}
