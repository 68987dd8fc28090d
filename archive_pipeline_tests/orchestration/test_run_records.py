"""What Dagster keeps of runs over ranges of dialogues, as its own storage would, and what keeping it costs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import dagster as dg
import pytest
from dagster import DagsterEventType
from dagster._core.instance.ref import InstanceRef
from dagster_postgres import PostgresEventLogStorage
from psycopg.rows import dict_row

from archive_pipeline.derive.registry import ASSETS
from archive_pipeline.orchestration import local_runs
from archive_pipeline.orchestration.instance.event_log_storage import PooledEventLogStorage
from archive_pipeline.orchestration.instance.execution import RunResult, execute_here
from archive_pipeline.orchestration.instance.opening import COMMAND_OVERRIDES
from archive_pipeline.orchestration.instance.storage import ArchiveDagsterStorage
from archive_pipeline.orchestration.local_runs import RunOutcome, run_derived
from archive_pipeline.orchestration.partitions.keys import contiguous_ranges, register_keys
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.orchestration.conftest import add_dialogues
from archive_pipeline_tests.work import counted_statements

pytestmark = [pytest.mark.dagster, pytest.mark.postgres]

# Times, the process, references to events of the run itself, and how long the build took.
OF_ONE_RUN = re.compile(
    r'"timestamp": [\d.]+|"pid": \d+|"dagster/input_event_pointer/\w+": "\d+"|"value": [\d.]+}, "label": "\w*second\w*"'
)

# With and without a structural check, and with what is shown of each partition.
SOME = ["message_paths", "dialogue_trees", "qa_pairs", "qa_chunks"]

PLANNED = DagsterEventType.ASSET_MATERIALIZATION_PLANNED

MATERIALIZED = DagsterEventType.ASSET_MATERIALIZATION


@pytest.fixture
def stock_instance(settings: Settings, database: Database) -> Iterator[dg.DagsterInstance]:
    storage = {"postgres": {"postgres_url": database.dagster_url}}
    overrides = {**COMMAND_OVERRIDES, "storage": storage}
    with dg.DagsterInstance.from_ref(InstanceRef.from_dir(str(settings.home), overrides=overrides)) as instance:
        assert type(instance.event_log_storage) is PostgresEventLogStorage
        instance.optimize_for_webserver(0, -1, -1)  # as there: with connections that stay, not one for each question
        yield instance


def events_per_partition(
    instance: dg.DagsterInstance, outcome: RunOutcome, event_type: DagsterEventType
) -> Counter[tuple[str, str | None]]:
    entries = [entry for run in outcome.run_ids for entry in instance.all_logs(run, of_type=event_type)]
    events = [entry.get_dagster_event() for entry in entries]
    return Counter(
        (event.asset_key.to_user_string(), partition)
        for event in events
        if event.asset_key
        for partition in (
            event.partitions_subset.get_partition_keys() if event.partitions_subset else [event.partition]
        )
    )


def stored_rows(database: Database, table: str, run_id: str) -> list[dict[str, Any]]:
    """All columns of a run's rows about assets, without what no two runs have in common, in a fixed order."""
    query = (
        "SELECT *, dagster.event_text(event) AS event FROM dagster.event_logs"
        " WHERE run_id = %s AND asset_key IS NOT NULL"
        if table == "event_logs"
        else "SELECT tag.* FROM dagster.asset_event_tags AS tag INNER JOIN dagster.event_logs AS event"
        " ON tag.event_id = coalesce(dagster.event_shape_id(event.event), event.id) AND event.run_id = %s"
    )
    with database.session() as connection, connection.cursor(row_factory=dict_row) as cursor:
        rows = cursor.execute(query.encode(), [run_id]).fetchall()
    for row in rows:
        assert row.pop("id") is not None
        assert isinstance(row.pop("timestamp" if "timestamp" in row else "event_timestamp"), datetime)
        row.pop("event_id", None)
        if "event" in row:
            row["event"] = OF_ONE_RUN.sub("", row["event"].replace(row.pop("run_id"), "RUN"))
    return sorted(rows, key=repr)


def without_plans(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [row for row in rows if row.get("dagster_event_type") != PLANNED.value]


def test_the_instance_is_on_the_archive_s_own_storage_in_every_process(instance: dg.DagsterInstance) -> None:
    assert isinstance(instance.event_log_storage, PooledEventLogStorage)
    storage = instance.get_ref().storage_data
    assert storage is not None
    assert storage.class_name == ArchiveDagsterStorage.__name__


@pytest.fixture(scope="module")
def scattered(instance: dg.DagsterInstance, settings: Settings, database: Database) -> tuple[list[str], RunOutcome]:
    """Keys with others between them, and what came of building them."""
    keys = add_dialogues(database, 9)
    register_keys(instance, settings, keys)
    return keys[::2], run_derived(instance, settings, keys[::2])


def test_scattered_keys_are_one_run(scattered: tuple[list[str], RunOutcome]) -> None:
    _, outcome = scattered
    assert len(outcome.run_ids) == 1
    assert outcome.success


def test_a_run_records_each_partition_once_as_planned_and_once_as_materialised(
    instance: dg.DagsterInstance, scattered: tuple[list[str], RunOutcome]
) -> None:
    keys, outcome = scattered
    expected = {(asset, key): 1 for asset in ASSETS for key in keys}
    assert events_per_partition(instance, outcome, PLANNED) == expected
    assert events_per_partition(instance, outcome, MATERIALIZED) == expected
    definition = dg.DynamicPartitionsDefinition(name="dialogues")
    status = instance.get_status_by_partition(dg.AssetKey("exchanges"), keys, definition)
    assert status is not None
    assert {str(status[key]) for key in keys} == {"AssetPartitionStatus.MATERIALIZED"}


def test_stock_storage_records_the_same(
    stock_instance: dg.DagsterInstance, instance: dg.DagsterInstance, settings: Settings, database: Database
) -> None:
    keys = add_dialogues(database, 5)
    register_keys(stock_instance, settings, keys)
    outcomes = {
        name: run_derived(of_storage, settings, keys[::2], assets=SOME, full=True)
        for name, of_storage in (("warm-up", instance), ("ours", instance), ("stock", stock_instance))
    }
    for table in ("event_logs", "asset_event_tags"):
        ours, stock = (
            without_plans(stored_rows(database, table, outcomes[name].run_ids[0])) for name in ("ours", "stock")
        )
        assert ours == stock
    expected = Counter((asset, key) for asset in SOME for key in keys[::2])
    for name, of_storage, plans_per_asset in (("ours", instance, 1), ("stock", stock_instance, 3)):
        assert events_per_partition(of_storage, outcomes[name], MATERIALIZED) == expected
        assert events_per_partition(of_storage, outcomes[name], PLANNED) == expected
        plans = of_storage.all_logs(outcomes[name].run_ids[0], of_type=PLANNED)
        assert len(plans) == plans_per_asset * len(SOME)


def test_the_run_belongs_to_the_job_of_the_code_location(
    instance: dg.DagsterInstance, scattered: tuple[list[str], RunOutcome]
) -> None:
    _, outcome = scattered
    run = instance.get_run_by_id(outcome.run_ids[0])
    assert run is not None
    assert run.job_name == "build_derived"
    assert run.tags["dagster/max_retries"] == "0"
    assert run.remote_job_origin is not None
    assert run.remote_job_origin.repository_origin.get_label() == "__repository__@archive_pipeline"


def test_bookkeeping_takes_as_many_statements_for_many_dialogues_as_for_few(
    instance: dg.DagsterInstance, settings: Settings, database: Database
) -> None:
    keys = add_dialogues(database, 200, turns=1)
    run_derived(instance, settings, keys, assets=SOME)

    def statements(some: list[str]) -> int:
        with counted_statements() as found:
            run_derived(instance, settings, some, assets=SOME)  # nothing is stale: what is left is Dagster
        return len(found)

    statements(keys[:20])
    # Ten times as many dialogues; how often a process asks for the state of its run depends on the clock.
    assert statements(keys) < 1.5 * statements(keys[:20])


def test_as_many_events_of_many_dialogues_as_of_few_are_made_and_kept(
    instance: dg.DagsterInstance, settings: Settings, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: list[int] = []
    partitions: list[object] = []
    made: list[str | None] = []
    store = PooledEventLogStorage.store_event

    def execute(*arguments: Any, **named: Any) -> RunResult:
        result = execute_here(*arguments, **named)
        kept.append(len(result.events))
        partitions.extend(event.partition for event in result.events if event.is_step_materialization)
        return result

    def note(storage: PooledEventLogStorage, entry: dg.EventLogEntry) -> None:
        if entry.dagster_event and entry.dagster_event.is_step_materialization:
            made.append(entry.step_key)
        store(storage, entry)

    monkeypatch.setattr(local_runs, "execute_here", execute)
    monkeypatch.setattr(PooledEventLogStorage, "store_event", note)
    keys = add_dialogues(database, 20)
    outcomes = []
    for some in (keys[:2], keys[2:]):
        made.clear()
        outcomes.append(run_derived(instance, settings, some))
        assert outcomes[-1].success
        assert sorted(filter(None, made)) == sorted(ASSETS)
        assert events_per_partition(instance, outcomes[-1], MATERIALIZED) == Counter(
            (asset, key) for asset in ASSETS for key in some
        )
    few, many = outcomes
    assert many.rows["prompt_responses"] == 9 * few.rows["prompt_responses"] > 0
    assert kept[0] == kept[1] >= len(ASSETS)
    assert {type(partition) for partition in partitions} == {str}  # one that stands for all would keep all


def test_moving_a_thousand_keys_takes_few_statements(instance: dg.DagsterInstance, settings: Settings) -> None:
    keys = [f"chatgpt-move-{number:04d}" for number in range(3_000)]
    register_keys(instance, settings, keys)
    for third in (keys[::3], keys[1::3]):
        with counted_statements() as statements:
            contiguous_ranges(instance, settings, third)
        assert len(statements) < 30
    assert instance.get_dynamic_partitions("dialogues")[-3_000:] == [*keys[2::3], *keys[::3], *keys[1::3]]
