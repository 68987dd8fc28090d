"""An event of many partitions has, for each and letter by letter, the text that Dagster's own serialiser gives."""

from __future__ import annotations

from typing import Any

import dagster as dg
import pytest
from dagster import EventLogEntry
from dagster._core.definitions.asset_checks.asset_check_evaluation import AssetCheckEvaluationPlanned
from dagster._core.events import DagsterEvent, StepMaterializationData
from dagster._serdes import serialize_value
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.orchestration.instance import event_texts as module
from archive_pipeline.orchestration.instance.event_texts import event_of, serialize_events

TIMES = st.floats(allow_nan=False, allow_infinity=False)
# Values that are equal to each other and yet have different texts.
EQUAL = st.sampled_from([0, False, 0.0, -0.0, 1, True, 1.0, "1", None])
VALUES = (
    EQUAL
    | st.text(max_size=3)
    | st.integers()
    | st.text(max_size=3).map(dg.MetadataValue.md)
    | st.text(max_size=3).map(dg.MetadataValue.url)
    | TIMES.map(dg.MetadataValue.timestamp)
    | st.lists(st.text(max_size=2), max_size=2)
)
METADATA = st.dictionaries(st.sampled_from(["a", "b", "c"]), VALUES)
TAGS = st.dictionaries(st.sampled_from(["x", "y"]), st.sampled_from(["u", "v"]), max_size=2)


def entry(data: object, *, time: float = 1.0, event_type: str = "ASSET_MATERIALIZATION") -> EventLogEntry:
    event = DagsterEvent(event_type, "job", message="m", step_key="step", event_specific_data=data)
    return EventLogEntry(None, "DEBUG", "", "run", time, step_key="step", job_name="job", dagster_event=event)


def materialized(partition: str | None, metadata: dict[str, Any], tags: dict[str, str], time: float) -> EventLogEntry:
    event = dg.AssetMaterialization("key", partition=partition, metadata=metadata, tags=tags)
    return entry(StepMaterializationData(event), time=time)


def normal(metadata: dict[str, Any]) -> dict[str, dg.MetadataValue[Any]]:
    return dict(dg.AssetMaterialization("key", metadata=metadata).metadata)


@given(METADATA, TAGS, TIMES, st.lists(st.tuples(st.text(), METADATA), max_size=6))
def test_texts_are_dagster_s_own(
    common: dict[str, Any], tags: dict[str, str], time: float, partitions: list[tuple[str, dict[str, Any]]]
) -> None:
    whole = materialized("any", common, tags, time)
    events = serialize_events(whole, [(partition, normal(own)) for partition, own in partitions])
    single = [materialized(partition, {**common, **own}, tags, time) for partition, own in partitions]
    assert [event.text for event in events] == list(map(serialize_value, single))


def test_an_event_is_serialised_once_however_many_partitions_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    serialized: list[object] = []

    def serialize(value: Any) -> str:
        serialized.append(value)
        return serialize_value(value)

    monkeypatch.setattr(module, "serialize_value", serialize)
    own = [normal({"title": f"number {number}", "messages": number}) for number in range(100)]
    texts = list(serialize_events(materialized("any", {"seconds": 0.5}, {}, 1.0), [("p", each) for each in own]))
    assert (len(texts), len(serialized)) == (100, 1)
    # Those that have no title have another form.
    list(
        serialize_events(
            materialized("any", {}, {}, 1.0), [*[("p", each) for each in own], ("q", normal({"messages": 1}))]
        )
    )
    assert len(serialized) == 1 + 2


def test_only_a_materialisation_is_of_a_partition() -> None:
    data = AssetCheckEvaluationPlanned(asset_key=dg.AssetKey("key"), check_name="check", partitions_subset=None)
    with pytest.raises(TypeError, match="no materialisation: ASSET_CHECK_EVALUATION_PLANNED"):
        event_of(entry(data, event_type="ASSET_CHECK_EVALUATION_PLANNED"), "p", {})
