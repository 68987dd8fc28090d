"""Events of a batch have, letter by letter, the texts that Dagster's own serialiser gives each of them."""

from __future__ import annotations

import dagster as dg
from dagster import EventLogEntry
from dagster._core.definitions.asset_checks.asset_check_evaluation import AssetCheckEvaluationPlanned
from dagster._core.events import DagsterEvent, StepMaterializationData
from dagster._serdes import serialize_value
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.orchestration.instance.event_texts import serialize_events

TIMES = st.floats(allow_nan=False, allow_infinity=False)
PARTITIONS = st.none() | st.text()
# Values that are equal to each other and yet have different texts.
TEXTS = st.text(max_size=3)
METADATA = st.fixed_dictionaries(
    {},
    optional={
        "a": st.sampled_from([0, False, 0.0, -0.0, 1, True, 1.0, "1"]),
        "b": st.text(max_size=3) | st.text(max_size=3).map(dg.MetadataValue.url),
    },
)
TAGS = st.dictionaries(st.sampled_from(["x", "y"]), st.sampled_from(["u", "v"]), max_size=2)


def entry(event_type: str, data: object, time: float, message: str = "m") -> EventLogEntry:
    event = DagsterEvent(event_type, "job", message=message, step_key="step", event_specific_data=data)
    return EventLogEntry(None, "DEBUG", "", "run", time, step_key="step", job_name="job", dagster_event=event)


def materialized(
    key: str, partition: str | None, time: float, metadata: dict[str, object], tags: dict[str, str]
) -> EventLogEntry:
    event = dg.AssetMaterialization(key, partition=partition, metadata=metadata, tags=tags)
    return entry("ASSET_MATERIALIZATION", StepMaterializationData(event), time)


def texts(entries: list[EventLogEntry]) -> list[str]:
    return [serialized.text for serialized in serialize_events(entries)]


KEYS = st.sampled_from(["one", "two"])
ENTRIES = st.builds(materialized, KEYS, PARTITIONS, TIMES, METADATA, TAGS)


@given(st.lists(ENTRIES, max_size=8))
def test_texts_are_dagster_s_own(entries: list[EventLogEntry]) -> None:
    serialized = list(serialize_events(entries))
    assert [item.text for item in serialized] == list(map(serialize_value, entries))
    assert [item.partition for item in serialized] == [item.get_dagster_event().partition for item in entries]


@given(st.lists(st.tuples(PARTITIONS, TIMES), min_size=1, max_size=8), METADATA, TAGS)
def test_events_that_differ_in_partition_and_time_are_repeats(
    events: list[tuple[str | None, float]], metadata: dict[str, object], tags: dict[str, str]
) -> None:
    values = dict(dg.AssetMaterialization("key", metadata=metadata).metadata)
    entries = [materialized("key", partition, time, values, tags) for partition, time in events]
    serialized = list(serialize_events(entries))
    assert [item.is_repeat for item in serialized] == [False, *[True] * (len(events) - 1)]
    assert [item.text for item in serialized] == list(map(serialize_value, entries))


OWN = st.tuples(st.text(max_size=5), st.integers(), st.text(), TIMES)


@given(st.lists(st.tuples(PARTITIONS, TIMES, OWN), min_size=1, max_size=8))
def test_texts_and_numbers_that_each_partition_has_of_its_own_are_repeats(
    events: list[tuple[str | None, float, tuple[str, int, str, float]]],
) -> None:
    common = dict(dg.AssetMaterialization("key", metadata={"seconds": 0.5, "rows": 3}).metadata)
    entries = []
    for partition, time, (title, count, tree, began) in events:
        own = {"title": title, "count": count, "tree": dg.MetadataValue.md(tree)}
        timestamp = dg.MetadataValue.timestamp(began)
        entries.append(materialized("key", partition, time, {**common, **own, "began": timestamp}, {}))
    serialized = list(serialize_events(entries))
    assert [item.is_repeat for item in serialized] == [False, *[True] * (len(events) - 1)]
    assert [item.text for item in serialized] == list(map(serialize_value, entries))


def test_values_that_are_equal_and_look_different_are_no_repeats() -> None:
    entries = [materialized("key", "p", 1.0, {"a": value}, {}) for value in (1, True, 1.0, 0.0, -0.0)]
    assert [item.is_repeat for item in serialize_events(entries)] == [False] * 5
    assert texts(entries) == list(map(serialize_value, entries))


def test_a_partition_that_is_in_the_tags_as_well_is_written_in_both_places() -> None:
    entries = [materialized("key", partition, 1.0, {"a": partition}, {"t": partition}) for partition in ("p", "q")]
    assert texts(entries) == list(map(serialize_value, entries))


def test_other_kinds_of_events_are_left_to_dagster() -> None:
    data = AssetCheckEvaluationPlanned(asset_key=dg.AssetKey("key"), check_name="check", partitions_subset=None)
    entries = [entry("ASSET_CHECK_EVALUATION_PLANNED", data, time) for time in (1.0, 2.0)]
    assert texts(entries) == list(map(serialize_value, entries))
    assert [item.is_repeat for item in serialize_events(entries)] == [False, False]
