"""Events that repeat each other take little room, and whoever reads them gets Dagster's own text."""

from __future__ import annotations

import uuid
from collections.abc import Sequence

import dagster as dg
import pytest
from dagster import DagsterEvent, EventLogEntry
from dagster._core.events import StepMaterializationData
from dagster._core.storage.event_log import EventLogStorage
from dagster._serdes import serialize_value
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from archive_pipeline.orchestration.instance.event_log_storage import PooledEventLogStorage, pooled_engine
from archive_pipeline.orchestration.instance.event_shapes import fold_events
from archive_pipeline.orchestration.instance.event_texts import SerializedEvent, serialize_events
from archive_pipeline.store.database import Database
from archive_pipeline_tests.tables import query

RUN = "0b6f6d2e-0000-4000-8000-000000000001"
# Such as SQL's format(), COPY and JSON write otherwise.
TEXTS = st.text(max_size=6) | st.sampled_from(["%s", "%1$s %%", "a\nb\t\\n", '"', "{", "7\n8"])
TIMES = st.floats(min_value=0, max_value=4e9)
OWN = st.tuples(TEXTS, TIMES, TEXTS, st.integers(-5, 5))


def materialized(key: dg.AssetKey, partition: str, time: float, title: str, count: int) -> EventLogEntry:
    metadata = {"title": title, "count": count, "share": dg.MetadataValue.text("100 %")}
    event = DagsterEvent(
        "ASSET_MATERIALIZATION",
        "job",
        step_key="step",
        event_specific_data=StepMaterializationData(
            dg.AssetMaterialization(key, partition=partition, metadata=metadata)
        ),
    )
    return EventLogEntry(None, "DEBUG", "", RUN, time, step_key="step", job_name="job", dagster_event=event)


def stored_records(storage: EventLogStorage, key: dg.AssetKey) -> Sequence[dg.EventLogRecord]:
    kind = dg.DagsterEventType.ASSET_MATERIALIZATION
    return storage.get_event_records(dg.EventRecordsFilter(kind, asset_key=key), ascending=True)


@pytest.fixture
def storage(instance: dg.DagsterInstance) -> PooledEventLogStorage:
    found = instance.event_log_storage
    assert isinstance(found, PooledEventLogStorage)
    return found


@pytest.mark.postgres
@pytest.mark.dagster
@hypothesis_settings(max_examples=30)
@given(st.lists(OWN, min_size=1, max_size=6))
def test_what_is_read_is_what_was_stored(instance: dg.DagsterInstance, events: list[tuple[str, float, str, int]]):
    storage = instance.event_log_storage
    key = dg.AssetKey(["shaped", uuid.uuid4().hex])
    # PostgreSQL's text has no NUL, of which Dagster's column of partitions knows nothing.
    names = [(partition.replace("\0", ""), *more) for partition, *more in events]
    entries = [materialized(key, *event) for event in names]
    storage.store_event_batch(entries)
    records = stored_records(storage, key)
    assert [serialize_value(record.event_log_entry) for record in records] == list(map(serialize_value, entries))


@pytest.mark.postgres
@pytest.mark.dagster
def test_a_batch_has_its_common_text_once(
    instance: dg.DagsterInstance, storage: PooledEventLogStorage, database: Database
):
    key = dg.AssetKey(["shaped", uuid.uuid4().hex])
    entries = [materialized(key, f"p{number}", 1.5 * number, "the same", number % 2) for number in range(50)]
    storage.store_event_batch(entries)
    stored = query(database, "SELECT event FROM dagster.event_logs WHERE asset_key = %s ORDER BY id", key.to_string())
    number = stored[0][0].partition("\n")[0]
    assert [text for (text,) in stored[:2]] == [f'{number}\n0\n"p0"\n0.0', f'{number}\n1\n"p1"\n1.5']
    found = query(database, "SELECT id, last_event_id - id, text FROM dagster.event_shapes WHERE id = %s", int(number))
    [(_, others, text)] = found
    assert (others, text.count("%s"), text.count("the same"), text.count("100 %%")) == (49, 3, 1, 1)
    # All ways in which Dagster reads events.
    assert [
        entry.timestamp for entry in storage.get_logs_for_run(RUN) if entry.get_dagster_event().asset_key == key
    ] == [entry.timestamp for entry in entries]
    latest = storage.get_latest_materialization_events([key])[key]
    assert latest is not None
    assert latest.asset_materialization == entries[-1].asset_materialization
    assert storage.get_materialized_partitions(key) == {f"p{number}" for number in range(50)}


@pytest.mark.postgres
@pytest.mark.dagster
def test_a_web_server_reads_whole_events(database: Database, storage: PooledEventLogStorage):
    key = dg.AssetKey(["shaped", uuid.uuid4().hex])
    entries = [materialized(key, name, 1.0, name, 0) for name in "ab"]
    storage.store_event_batch(entries)
    served = PooledEventLogStorage(pooled_engine(database.dagster_url))
    served.optimize_for_webserver(5_000, 60, 1)
    assert [record.event_log_entry for record in stored_records(served, key)] == entries
    served.dispose()


@given(st.lists(OWN, max_size=8))
def test_shapes_and_fillings_say_all_of_it(events: list[tuple[str, float, str, int]]):
    entries = [materialized(dg.AssetKey("key"), *event) for event in events]
    serialized = list(serialize_events(entries))
    texts, shapes = fold_events(serialized, range(10, 10 + len(events)))
    assert [(shape["id"], shape["last_event_id"]) for shape in shapes] == (
        [(10, 9 + len(events))] if len(events) > 1 else []
    )
    if not shapes:
        assert texts == [event.text for event in serialized]
        return
    pieces = str(shapes[0]["text"]).replace("%%", "\0").split("%s")
    for text, event in zip(texts, serialized, strict=True):
        number, *values = text.split("\n")
        assert number == "10"
        filled = [piece for pair in zip(pieces, [*values, ""], strict=True) for piece in pair]
        assert "".join(filled).replace("\0", "%") == event.text


def test_repeats_that_could_not_be_cut_are_stored_whole():
    events = [SerializedEvent([f'{{"number": {number}}}'], {}, None, number > 0) for number in range(3)]
    assert fold_events(events, [1, 2, 3]) == ([event.text for event in events], [])
