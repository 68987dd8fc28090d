"""Events that repeat each other take little room, and whoever reads them gets Dagster's own text."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import dagster as dg
import pytest
from dagster import DagsterEvent, EventLogEntry
from dagster._core.events import StepMaterializationData
from dagster._core.storage.event_log import EventLogStorage
from dagster._serdes import serialize_value
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.orchestration.instance.event_log_storage import PooledEventLogStorage, PooledScheduleStorage
from archive_pipeline.orchestration.instance.event_shapes import fold_events
from archive_pipeline.orchestration.instance.event_texts import SerializedEvent, serialize_events
from archive_pipeline.orchestration.instance.partition_set import Metadata, PartitionSet
from archive_pipeline.orchestration.instance.pooled_engine import pooled_engine
from archive_pipeline.orchestration.instance.run_storage import PooledRunStorage
from archive_pipeline.store.database import Database
from archive_pipeline_tests.tables import query
from archive_pipeline_tests.trials import trials

RUN = "0b6f6d2e-0000-4000-8000-000000000001"
# Such as SQL's format(), COPY and JSON write otherwise.
TEXTS = st.text(max_size=6) | st.sampled_from(["%s", "%1$s %%", "a\nb\t\\n", '"', "{", "7\n8"])
TIMES = st.floats(min_value=0, max_value=4e9)
OWN = st.tuples(TEXTS, TIMES, st.integers(-5, 5))
# PostgreSQL's text has no NUL, of which Dagster's column of partitions knows nothing.
PARTITIONS = TEXTS.map(lambda text: text.replace("\0", ""))


def materialized(key: dg.AssetKey, partition: str, own: Mapping[str, object] | None = None) -> EventLogEntry:
    metadata = {"share": dg.MetadataValue.text("100 %"), **(own or {})}
    event = DagsterEvent(
        "ASSET_MATERIALIZATION",
        "job",
        step_key="step",
        event_specific_data=StepMaterializationData(
            dg.AssetMaterialization(key, partition=partition, metadata=metadata)
        ),
    )
    return EventLogEntry(None, "DEBUG", "", RUN, 1.5, step_key="step", job_name="job", dagster_event=event)


def of_own(title: str, time: float, count: int) -> dict[str, dg.MetadataValue[Any]]:
    """What only one partition's event shows; without a title it has another form."""
    metadata = {"count": count, "begun": dg.MetadataValue.timestamp(time)}
    return dict(dg.AssetMaterialization("any", metadata=metadata | ({"title": title} if title else {})).metadata)


def in_one(key: dg.AssetKey, own: Mapping[str, Metadata]) -> EventLogEntry:
    """One event of all partitions, as the run of a range makes it."""
    return materialized(key, PartitionSet(list(own), own))


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
@trials(30)
@given(st.dictionaries(PARTITIONS, OWN, min_size=1, max_size=6))
def test_what_is_read_is_what_was_stored(instance: dg.DagsterInstance, partitions: dict[str, tuple[str, float, int]]):
    storage = instance.event_log_storage
    key = dg.AssetKey(["shaped", uuid.uuid4().hex])
    own = {name: of_own(*values) for name, values in partitions.items()}
    storage.store_event(in_one(key, own))
    records = stored_records(storage, key)
    single = [materialized(key, name, values) for name, values in own.items()]
    assert [serialize_value(record.event_log_entry) for record in records] == list(map(serialize_value, single))


@pytest.mark.postgres
@pytest.mark.dagster
def test_events_of_a_run_have_their_common_text_once(
    instance: dg.DagsterInstance, storage: PooledEventLogStorage, database: Database
):
    key = dg.AssetKey(["shaped", uuid.uuid4().hex])
    own = {f"p{number}": of_own("the same", 1.5 * number, number % 2) for number in range(50)}
    storage.store_event(in_one(key, own))
    stored = query(database, "SELECT event FROM dagster.event_logs WHERE asset_key = %s ORDER BY id", key.to_string())
    number = stored[0][0].partition("\n")[0]
    assert [text for (text,) in stored[:2]] == [f'{number}\n0\n0.0\n"p0"', f'{number}\n1\n1.5\n"p1"']
    found = query(database, "SELECT id, last_event_id - id, text FROM dagster.event_shapes WHERE id = %s", int(number))
    [(_, others, text)] = found
    assert (others, text.count("%s"), text.count("the same"), text.count("100 %%")) == (49, 3, 1, 1)
    # All ways in which Dagster reads events.
    logged = [entry.get_dagster_event() for entry in storage.get_logs_for_run(RUN)]
    assert [event.partition for event in logged if event.asset_key == key] == list(own)
    latest = storage.get_latest_materialization_events([key])[key]
    assert latest is not None
    assert latest.asset_materialization == materialized(key, "p49", own["p49"]).asset_materialization
    assert storage.get_materialized_partitions(key) == set(own)


@pytest.mark.postgres
@pytest.mark.dagster
def test_a_web_server_reads_whole_events(database: Database, storage: PooledEventLogStorage):
    key = dg.AssetKey(["shaped", uuid.uuid4().hex])
    own = {name: of_own(name, 1.0, 0) for name in "ab"}
    storage.store_event(in_one(key, own))
    served = PooledEventLogStorage(pooled_engine(database.dagster_url))
    served.optimize_for_webserver(5_000, 60, 1)
    found = [record.event_log_entry for record in stored_records(served, key)]
    assert found == [materialized(key, name, values) for name, values in own.items()]
    served.dispose()


@pytest.mark.postgres
@pytest.mark.dagster
def test_storages_of_a_web_server_outlive_their_connections(database: Database):
    engine = pooled_engine(database.dagster_url)
    storages = PooledEventLogStorage(engine), PooledRunStorage(engine), PooledScheduleStorage(engine)
    for storage in storages:
        storage.optimize_for_webserver(5_000, 60, 1)
    for _ in range(2):
        with engine.connect() as connection:
            limit = connection.exec_driver_sql("SHOW statement_timeout").scalar()
            own = connection.exec_driver_sql("SELECT pg_backend_pid()").scalar()
        assert limit == "5s"
        assert storages[0].get_asset_records([dg.AssetKey("nothing")]) == []
        assert storages[1].get_runs_count() >= 0
        assert storages[2].all_instigator_state() is not None
        with database.session() as other:  # as a restart of the server does
            other.execute("SELECT pg_terminate_backend(%s, 10000)", (own,))
    engine.dispose()


@given(st.lists(st.tuples(TEXTS, OWN), max_size=8))
def test_shapes_and_fillings_say_all_of_it(partitions: list[tuple[str, tuple[str, float, int]]]):
    own = [(name, of_own(*values)) for name, values in partitions]
    serialized = list(serialize_events(materialized(dg.AssetKey("key"), "any"), own))
    texts, shapes = fold_events(serialized, range(10, 10 + len(own)))
    pieces = {str(shape["id"]): str(shape["text"]).replace("%%", "\0").split("%s") for shape in shapes}
    assert len(pieces) == sum(number > 1 for number in Counter("title" in values for _, values in own).values())
    for text, event in zip(texts, serialized, strict=True):
        number, *values = text.split("\n")
        if number in pieces:
            filled = [piece for pair in zip(pieces[number], [*values, ""], strict=True) for piece in pair]
            assert "".join(filled).replace("\0", "%") == event.text
        else:
            assert text == event.text


def test_forms_that_alternate_have_a_shape_each():
    own = [(f"p{number}", of_own("a title" * (number % 2), 0.0, 0)) for number in range(5)]
    serialized = list(serialize_events(materialized(dg.AssetKey("key"), "any"), own))
    texts, shapes = fold_events(serialized, range(20, 25))
    assert [(shape["id"], shape["last_event_id"]) for shape in shapes] == [(20, 24), (21, 23)]
    assert texts == ['20\n"p0"', '21\n"p1"', '20\n"p2"', '21\n"p3"', '20\n"p4"']


def test_events_that_could_not_be_cut_are_stored_whole():
    events = [SerializedEvent([f'{{"number": {number}}}'], {}) for number in range(3)]
    assert fold_events(events, [1, 2, 3]) == ([event.text for event in events], [])
