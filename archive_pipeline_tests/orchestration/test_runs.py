"""Runs over ranges of dialogues on a real instance: what they build, what they record, and what they cost."""

from __future__ import annotations

import gc
import re
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import dagster as dg
import psutil
import pytest
from dagster import DagsterEventType
from dagster._core.definitions.job_base import InMemoryJob
from dagster._core.execution.api import execute_run
from dagster._core.instance.ref import InstanceRef
from dagster_postgres import PostgresEventLogStorage
from psycopg.rows import dict_row
from sqlalchemy import text

from archive_pipeline.building.dialogue_source import DIALOGUES
from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.derive.registry import ASSETS
from archive_pipeline.domain.batch import DialogueBatch
from archive_pipeline.domain.choices import Partitioning
from archive_pipeline.orchestration import local_runs
from archive_pipeline.orchestration.build import build_defs
from archive_pipeline.orchestration.instance.event_log_storage import PooledEventLogStorage
from archive_pipeline.orchestration.instance.execution import RunResult, execute_here, job_origin
from archive_pipeline.orchestration.instance.in_flight import RANGE_END, RANGE_START
from archive_pipeline.orchestration.instance.opening import COMMAND_OVERRIDES
from archive_pipeline.orchestration.instance.orphans import PROCESS_TAG, fail_orphans, process_tag
from archive_pipeline.orchestration.instance.storage import ArchiveDagsterStorage
from archive_pipeline.orchestration.jobs import JOB
from archive_pipeline.orchestration.local_runs import RunOutcome, errors_of, run_derived
from archive_pipeline.orchestration.partitions.keys import contiguous_ranges, in_order, register_keys
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.orchestration.conftest import add_dialogues
from archive_pipeline_tests.processes import workers
from archive_pipeline_tests.work import counted_statements

pytestmark = [pytest.mark.dagster, pytest.mark.postgres]

# Times, the process, references to events of the run itself, and how long the build took.
OF_ONE_RUN = re.compile(
    r'"timestamp": [\d.]+|"pid": \d+|"dagster/input_event_pointer/\w+": "\d+"|"value": [\d.]+}, "label": "\w*second\w*"'
)
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


def test_a_run_builds_every_table_and_a_second_one_writes_nothing(
    instance: dg.DagsterInstance, settings: Settings, database: Database
) -> None:
    keys = add_dialogues(database, 5)
    first = run_derived(instance, settings, keys)
    assert (first.success, first.failed_checks, first.errors) == (True, (), ())
    assert set(first.rows) == {table for asset in ASSETS.values() for table in asset.tables}
    assert all(first.rows.values())
    assert first.rows["message_paths"] == 20
    second = run_derived(instance, settings, keys)
    assert second.success
    assert set(second.rows.values()) == {0}
    assert set(second.rows) == set(first.rows)


def test_a_run_in_worker_processes_builds_the_same_and_leaves_none(
    instance: dg.DagsterInstance, settings: Settings, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = add_dialogues(database, 12)
    here = run_derived(instance, settings, keys)
    monkeypatch.setattr(DIALOGUES, "max_items", 4)
    seen: set[int] = set()

    def note(_stage: str, _done: int, _total: int, /) -> None:
        seen.update(worker.pid for worker in workers())

    chosen = settings.with_values(executor="processes", workers=2)
    outcome = run_derived(instance, chosen, keys, full=True, progress=note)
    assert (outcome.success, outcome.rows) == (True, here.rows)
    assert len(seen) == 2  # started once for all assets
    assert not any(map(psutil.pid_exists, seen))


def test_full_builds_what_is_up_to_date_too(
    instance: dg.DagsterInstance, settings: Settings, database: Database
) -> None:
    keys = add_dialogues(database, 2)
    first = run_derived(instance, settings, keys)
    assert run_derived(instance, settings, keys, full=True).rows == first.rows
    some = run_derived(instance, settings, keys, full=True, assets=["exchanges"])
    assert set(some.rows) == {"exchanges", "exchange_content"}


def test_progress_is_reported_by_asset_and_messages(
    instance: dg.DagsterInstance, settings: Settings, database: Database
) -> None:
    seen: dict[str, list[tuple[int, int]]] = {}

    def note(asset: str, done: int, total: int) -> None:
        seen.setdefault(asset, []).append((done, total))

    run_derived(instance, settings, add_dialogues(database, 3), progress=note)
    assert seen == {name: [(0, 12), (12, 12)] for name in ASSETS}


def test_scattered_keys_are_one_run(instance: dg.DagsterInstance, settings: Settings, database: Database) -> None:
    keys = add_dialogues(database, 9)
    register_keys(instance, settings, keys)
    outcome = run_derived(instance, settings, keys[::2])
    assert len(outcome.run_ids) == 1
    assert outcome.success
    assert events_per_partition(instance, outcome, MATERIALIZED) == {
        (asset, key): 1 for asset in ASSETS for key in keys[::2]
    }


def test_a_run_records_each_partition_once_as_planned_and_once_as_materialised(
    instance: dg.DagsterInstance, settings: Settings, database: Database
) -> None:
    keys = add_dialogues(database, 4)
    outcome = run_derived(instance, settings, keys)
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
        name: run_derived(of_storage, settings, keys[::2], full=True)
        for name, of_storage in (("warm-up", instance), ("ours", instance), ("stock", stock_instance))
    }
    for table in ("event_logs", "asset_event_tags"):
        ours, stock = (
            without_plans(stored_rows(database, table, outcomes[name].run_ids[0])) for name in ("ours", "stock")
        )
        assert ours == stock
    expected = Counter((asset, key) for asset in ASSETS for key in keys[::2])
    for name, of_storage, plans_per_asset in (("ours", instance, 1), ("stock", stock_instance, 3)):
        assert events_per_partition(of_storage, outcomes[name], MATERIALIZED) == expected
        assert events_per_partition(of_storage, outcomes[name], PLANNED) == expected
        plans = of_storage.all_logs(outcomes[name].run_ids[0], of_type=PLANNED)
        assert len(plans) == plans_per_asset * len(ASSETS)


def test_the_run_belongs_to_the_job_of_the_code_location(
    instance: dg.DagsterInstance, settings: Settings, database: Database
) -> None:
    outcome = run_derived(instance, settings, add_dialogues(database, 1))
    run = instance.get_run_by_id(outcome.run_ids[0])
    assert run is not None
    assert run.job_name == "build_derived"
    assert run.tags["dagster/max_retries"] == "0"
    assert run.remote_job_origin is not None
    assert run.remote_job_origin.repository_origin.get_label() == "__repository__@archive_pipeline"


def test_shards_are_partitions_too(instance: dg.DagsterInstance, settings: Settings, database: Database) -> None:
    keys = add_dialogues(database, 6)
    with database.session() as connection:
        query = "SELECT DISTINCT shard_key FROM raw.dialogues WHERE partition_key = ANY(%s)"
        shards = [row[0] for row in connection.execute(query, [keys])]
    outcome = run_derived(instance, settings.with_values(partitioning=Partitioning.SHARDED), shards)
    assert outcome.success
    assert set(instance.get_dynamic_partitions("dialogue_shards")) >= set(shards)  # other tests use shards too
    assert set(run_derived(instance, settings, keys).rows.values()) == {0}


def test_a_failed_blocking_check_stops_what_is_downstream(
    instance: dg.DagsterInstance, settings: Settings, database: Database
) -> None:
    keys = add_dialogues(database, 3)
    assert run_derived(instance, settings, keys, assets=["message_paths"]).success
    with database.engine.begin() as connection:
        connection.execute(
            text(
                "DELETE FROM derived.message_paths USING raw.dialogues AS dialogue"
                " WHERE dialogue.id = dialogue_id AND dialogue.partition_key = :key AND depth = 3"
            ),
            {"key": keys[1]},
        )
    outcome = run_derived(instance, settings, keys)
    assert not outcome.success
    assert len(outcome.failed_checks) == 1
    assert outcome.failed_checks[0].startswith("message_paths: cover_live_messages: 1 violations.")
    assert set(outcome.rows) == {"message_paths", "prompt_responses", "prompt_response_content"}
    assert run_derived(instance, settings, keys, full=True).success


FAULTS = {
    "linear_sequences": "UPDATE derived.linear_sequences SET is_primary = FALSE WHERE dialogue_id = :dialogue",
    "prompt_responses": (
        "UPDATE derived.prompt_responses SET prompt_message_id = response_message_id WHERE dialogue_id = :dialogue"
    ),
    "exchanges": (
        "UPDATE derived.exchanges SET is_continuation = TRUE, continuation_pattern = 'continue',"
        " continuation_of_id = gen_random_uuid() WHERE dialogue_id = :dialogue"
    ),
    "content_hashes": (
        "UPDATE derived.content_hashes SET hash_sha256 = repeat('0', 64) WHERE dialogue_id = :dialogue"
        " AND entity_type = 'message' AND hash_scope = 'full' AND normalization = 'none'"
    ),
    "qa_chunks": (
        "UPDATE derived.qa_chunks SET start_offset = start_offset + 1, end_offset = end_offset + 1"
        " WHERE dialogue_id = :dialogue AND side = 'answer'"
    ),
    "qa_pairs": "UPDATE derived.qa_pairs SET end_sequence_number = 99 WHERE dialogue_id = :dialogue",
    "response_hashes": "UPDATE derived.response_hashes SET prompt_hash = path_hash WHERE dialogue_id = :dialogue",
}


@pytest.mark.parametrize("asset", FAULTS)
def test_each_check_finds_its_fault(
    asset: str, instance: dg.DagsterInstance, settings: Settings, empty_archive: Database
) -> None:
    keys = add_dialogues(empty_archive, 2)
    build_stale(empty_archive, settings)
    with empty_archive.engine.begin() as connection:
        query = text("SELECT id FROM raw.dialogues WHERE partition_key = :key")
        dialogue = connection.execute(query, {"key": keys[0]}).scalar_one()
        connection.execute(text(FAULTS[asset]), {"dialogue": dialogue})
    outcome = run_derived(instance, settings, keys, assets=[asset])
    assert [line.split(":")[0] for line in outcome.failed_checks] == [asset]
    assert run_derived(instance, settings, keys[1:], assets=[asset]).success
    assert run_derived(instance, settings, keys, assets=[asset], full=True).success


def test_a_range_that_ends_before_it_begins_is_named(
    instance: dg.DagsterInstance, settings: Settings, database: Database
) -> None:
    keys = in_order(settings, add_dialogues(database, 3))
    register_keys(instance, settings, keys)
    reversed_range = {RANGE_START: keys[2], RANGE_END: keys[0]}
    job = build_defs(settings=settings).resolve_job_def(JOB)
    result = execute_here(job, instance, ["message_paths"], tags=reversed_range)
    assert not result.success
    assert ["The range of partitions ends before it begins" in error for error in errors_of(result)] == [True]


def test_an_asset_that_fails_is_named_with_its_error(
    instance: dg.DagsterInstance, settings: Settings, database: Database
) -> None:
    def fail(asset: str, _done: int, _total: int) -> None:
        if asset == "qa_pairs":
            raise ValueError("the disk is made of cheese")

    outcome = run_derived(instance, settings, add_dialogues(database, 1), progress=fail)
    assert not outcome.success
    assert len(outcome.errors) == 1
    assert outcome.errors[0].startswith("qa_pairs: ")
    assert "the disk is made of cheese" in outcome.errors[0]
    assert outcome.rows["exchange_content"] == 2


def test_an_interrupt_ends_the_run_and_is_passed_on(
    instance: dg.DagsterInstance, settings: Settings, database: Database, capfd: pytest.CaptureFixture[str]
) -> None:
    def interrupt(asset: str, _done: int, _total: int) -> None:
        if asset == "qa_pairs":
            raise KeyboardInterrupt

    keys = add_dialogues(database, 2)
    with pytest.raises(KeyboardInterrupt):
        run_derived(instance, settings, keys, progress=interrupt)
    assert instance.get_runs(limit=1)[0].status == dg.DagsterRunStatus.FAILURE
    assert capfd.readouterr() == ("", "")
    assert run_derived(instance, settings, keys).success


def test_runs_of_killed_processes_are_marked_as_failed(
    instance: dg.DagsterInstance, settings: Settings, database: Database
) -> None:
    mine = instance.create_run_for_job(_empty_job(), tags=process_tag())
    host, pid, _ = process_tag()[PROCESS_TAG].rsplit(":", 2)
    killed = instance.create_run_for_job(_empty_job(), tags={PROCESS_TAG: f"{host}:{pid}:1.00"})
    elsewhere = instance.create_run_for_job(_empty_job(), tags={PROCESS_TAG: "another-host:1:1.00"})
    assert run_derived(instance, settings, add_dialogues(database, 1)).success
    statuses = [instance.get_run_by_id(run.run_id).status for run in (mine, killed, elsewhere)]
    assert [status.value for status in statuses] == ["NOT_STARTED", "FAILURE", "NOT_STARTED"]


def test_a_run_says_its_process_before_it_counts_as_started(
    instance: dg.DagsterInstance, settings: Settings, database: Database
) -> None:
    launched = instance.create_run_for_job(_empty_job())  # as by the daemon: whoever creates it does not execute it
    assert PROCESS_TAG not in launched.tags
    execute_run(InMemoryJob(_empty_job()), launched, instance)
    assert instance.get_run_by_id(launched.run_id).tags[PROCESS_TAG] == process_tag()[PROCESS_TAG]


def test_only_started_runs_and_own_ones_are_taken_for_killed(
    instance: dg.DagsterInstance, settings: Settings, database: Database
) -> None:
    host, pid, _ = process_tag()[PROCESS_TAG].rsplit(":", 2)
    gone = {PROCESS_TAG: f"{host}:{pid}:1.0"}
    started = instance.add_run(dg.DagsterRun("a", status=dg.DagsterRunStatus.STARTED, tags=gone))
    queued = instance.add_run(
        dg.DagsterRun("a", status=dg.DagsterRunStatus.QUEUED, tags=gone, remote_job_origin=job_origin(JOB))
    )
    # The run that repeats another one has the other one's tags until it starts.
    again = instance.add_run(dg.DagsterRun("a", tags=gone, parent_run_id=started.run_id, root_run_id=started.run_id))
    assert fail_orphans(instance) == [started.run_id]
    assert instance.get_run_by_id(started.run_id).status == dg.DagsterRunStatus.FAILURE
    assert instance.get_run_by_id(queued.run_id).status == dg.DagsterRunStatus.QUEUED
    instance.delete_run(queued.run_id)
    instance.delete_run(again.run_id)


def test_runs_of_killed_workers_are_repeated_and_those_of_commands_are_not(
    instance: dg.DagsterInstance, settings: Settings, database: Database
) -> None:
    launched = instance.add_run(dg.DagsterRun("a", status=dg.DagsterRunStatus.STARTED))
    instance.report_run_failed(launched, "killed")
    assert instance.get_run_by_id(launched.run_id).tags["dagster/will_retry"] == "true"
    run_id = run_derived(instance, settings, add_dialogues(database, 1)).run_ids[0]
    assert instance.get_run_by_id(run_id).tags["dagster/max_retries"] == "0"
    assert not instance.run_retries_retry_on_asset_or_op_failure


def _empty_job() -> dg.JobDefinition:
    @dg.job(executor_def=dg.in_process_executor)
    def empty() -> None: ...

    return empty


def test_no_keys_are_nothing_to_do(instance: dg.DagsterInstance, settings: Settings) -> None:
    assert run_derived(instance, settings, []) == RunOutcome(
        (), success=True, rows={}, failed_checks=(), errors=(), lost_database=None
    )


def test_bookkeeping_takes_as_many_statements_for_many_dialogues_as_for_few(
    instance: dg.DagsterInstance, settings: Settings, database: Database
) -> None:
    keys = add_dialogues(database, 200)
    run_derived(instance, settings, keys)

    def statements(some: list[str]) -> int:
        with counted_statements() as found:
            run_derived(instance, settings, some)  # nothing is stale: what is left is Dagster
        return len(found)

    statements(keys[:20])
    # Ten times as many dialogues; how often a process asks for the state of its run depends on the clock.
    assert statements(keys) < 1.5 * statements(keys[:20])


def test_a_command_keeps_as_many_events_of_many_dialogues_as_of_few(
    instance: dg.DagsterInstance, settings: Settings, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: list[int] = []
    partitions: list[object] = []

    def execute(*arguments: Any, **named: Any) -> RunResult:
        result = execute_here(*arguments, **named)
        kept.append(len(result.events))
        partitions.extend(event.partition for event in result.events if event.is_step_materialization)
        return result

    monkeypatch.setattr(local_runs, "execute_here", execute)
    keys = add_dialogues(database, 20)
    few, many = run_derived(instance, settings, keys[:2]), run_derived(instance, settings, keys[2:])
    assert few.success
    assert many.success
    assert many.rows["prompt_responses"] == 9 * few.rows["prompt_responses"] > 0
    assert kept[0] == kept[1] >= len(ASSETS)
    assert {type(partition) for partition in partitions} == {str}  # one that stands for all would keep all


def test_a_run_that_has_ended_holds_no_batches(
    instance: dg.DagsterInstance, settings: Settings, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(local_runs.KEYS_PER_OWN_RUN, settings.partitioning, 2)
    held: list[int] = []

    def note(asset: str, done: int, _total: int) -> None:
        if (asset, done) == ("message_paths", 0):  # nothing is read yet of the run that begins
            held.append(sum(isinstance(each, DialogueBatch) for each in gc.get_objects()))

    outcome = run_derived(instance, settings, add_dialogues(database, 6), progress=note)
    assert (outcome.success, len(outcome.run_ids)) == (True, 3)
    assert held == [held[0]] * 3


def test_dagster_makes_as_many_events_of_many_dialogues_as_of_few(
    instance: dg.DagsterInstance, settings: Settings, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str | None] = []
    store = PooledEventLogStorage.store_event

    def note(storage: PooledEventLogStorage, entry: dg.EventLogEntry) -> None:
        if entry.dagster_event and entry.dagster_event.is_step_materialization:
            made.append(entry.step_key)
        store(storage, entry)

    monkeypatch.setattr(PooledEventLogStorage, "store_event", note)
    keys = add_dialogues(database, 12)
    for some in (keys[:1], keys[1:]):
        made.clear()
        outcome = run_derived(instance, settings, some)
        assert sorted(filter(None, made)) == sorted(ASSETS)
        assert events_per_partition(instance, outcome, MATERIALIZED) == Counter(
            (asset, key) for asset in ASSETS for key in some
        )


def test_moving_a_thousand_keys_takes_few_statements(instance: dg.DagsterInstance, settings: Settings) -> None:
    keys = [f"chatgpt-move-{number:04d}" for number in range(3_000)]
    register_keys(instance, settings, keys)
    for third in (keys[::3], keys[1::3]):
        with counted_statements() as statements:
            contiguous_ranges(instance, settings, third)
        assert len(statements) < 30
    assert instance.get_dynamic_partitions("dialogues")[-3_000:] == [*keys[2::3], *keys[::3], *keys[1::3]]
