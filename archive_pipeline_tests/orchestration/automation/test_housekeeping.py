"""Housekeeping: what is deleted of Dagster's own tables, and above all what is not."""

from __future__ import annotations

from collections.abc import Mapping

import dagster as dg
import pytest
from dagster import DagsterEventType
from dagster._core.definitions.data_version import DATA_VERSION_TAG
from dagster._core.definitions.run_request import InstigatorType
from dagster._core.scheduler.instigation import TickData, TickStatus

from archive_pipeline.derive.registry import ASSETS
from archive_pipeline.orchestration.automation.housekeeping import delete_old_events
from archive_pipeline.orchestration.build import build_defs
from archive_pipeline.orchestration.checks.structure import CHECKS
from archive_pipeline.orchestration.local_runs import run_derived
from archive_pipeline.orchestration.partitions.keys import remove_keys
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.orchestration.conftest import add_dialogues
from archive_pipeline_tests.tables import query

pytestmark = [pytest.mark.dagster, pytest.mark.postgres]

# Enough where each asset is treated alike: a run of all of them takes three times as long.
SOME = ["message_paths", "qa_pairs", "qa_chunks"]


def age(database: Database, days: int, run_ids: tuple[str, ...]) -> None:
    """Make all events of some runs older."""
    with database.session() as connection:
        connection.execute(
            "UPDATE dagster.event_logs SET timestamp = timestamp - make_interval(days => %s) WHERE run_id = ANY(%s)",
            [days, list(run_ids)],
        )


def shapes_left(database: Database) -> int:
    [(number,)] = query(database, "SELECT count(*) FROM dagster.event_shapes")
    return number


def types_left(instance: dg.DagsterInstance, run_ids: tuple[str, ...]) -> set[str]:
    entries = [entry for run in run_ids for entry in instance.all_logs(run)]
    return {entry.get_dagster_event().event_type_value for entry in entries if entry.is_dagster_event}


def test_of_old_runs_the_latest_materialisations_and_checks_are_left(
    instance: dg.DagsterInstance, settings: Settings, database: Database
) -> None:
    keys = add_dialogues(database, 3)
    older = run_derived(instance, settings, keys).run_ids
    old = run_derived(instance, settings, keys).run_ids
    age(database, 100, older + old)
    before = shapes_left(database)
    assert delete_old_events(database, 90) > 0
    assert shapes_left(database) == before - len(ASSETS)  # those of the older run, which has no events any more
    assert types_left(instance, older) == set()
    assert types_left(instance, old) == {"ASSET_MATERIALIZATION", "ASSET_CHECK_EVALUATION"}
    definition = dg.DynamicPartitionsDefinition(name="dialogues")
    for name in ASSETS:
        status = instance.get_status_by_partition(dg.AssetKey(name), keys, definition)
        assert {str(status[key]) for key in keys} == {"AssetPartitionStatus.MATERIALIZED"}
        records = instance.fetch_materializations(
            dg.AssetRecordsFilter(dg.AssetKey(name), asset_partitions=keys), limit=100
        ).records
        assert sorted(str(record.partition_key) for record in records) == sorted(keys)
        assert {record.run_id for record in records} == set(old)
    checks = [dg.AssetCheckKey(dg.AssetKey(check.asset), check.name) for check in CHECKS]
    latest = instance.event_log_storage.get_latest_asset_check_execution_by_key(checks)
    assert {record.run_id for record in latest.values()} == set(old)
    assert delete_old_events(database, 90) == 0


def test_of_keys_that_were_removed_nothing_is_kept(
    instance: dg.DagsterInstance, settings: Settings, database: Database
) -> None:
    kept, removed = add_dialogues(database, 2)
    old = run_derived(instance, settings, [kept, removed], assets=SOME).run_ids
    age(database, 100, old)
    remove_keys(instance, settings, [removed])
    assert delete_old_events(database, 90) > 0
    entries = [entry.get_dagster_event() for run in old for entry in instance.all_logs(run) if entry.is_dagster_event]
    events = [event for event in entries if event.event_type == DagsterEventType.ASSET_MATERIALIZATION]
    assert sorted((event.asset_key.to_user_string(), event.partition) for event in events) == sorted(
        (name, kept) for name in SOME
    )


def tagged_events(database: Database) -> set[int]:
    return {number for (number,) in query(database, "SELECT event_id FROM dagster.asset_event_tags")}


def test_tags_go_with_the_last_of_their_events(
    instance: dg.DagsterInstance, settings: Settings, database: Database
) -> None:
    keys = add_dialogues(database, 2)
    before = tagged_events(database)
    older = run_derived(instance, settings, keys, assets=SOME).run_ids
    of_older = tagged_events(database) - before
    assert len(of_older) == len(SOME)  # of both dialogues once
    newer = run_derived(instance, settings, keys[1:], assets=SOME).run_ids
    of_newer = tagged_events(database) - before - of_older
    age(database, 100, older + newer)
    key = dg.AssetKey(SOME[0])
    kind = dg.DagsterEventType.ASSET_MATERIALIZATION

    def versions() -> Mapping[str, Mapping[str, str]]:
        return instance.event_log_storage.get_latest_tags_by_partition(key, kind, [DATA_VERSION_TAG], keys)

    found = versions()
    assert set(found) == set(keys)
    delete_old_events(database, 90)
    assert tagged_events(database) >= of_older | of_newer
    assert versions() == found
    latest = run_derived(instance, settings, keys, assets=SOME).run_ids
    age(database, 100, latest)
    delete_old_events(database, 90)
    assert not tagged_events(database) & (of_older | of_newer)


def test_young_events_and_those_of_runs_under_way_are_left(
    instance: dg.DagsterInstance, settings: Settings, database: Database
) -> None:
    keys = add_dialogues(database, 1)
    old = run_derived(instance, settings, keys, assets=["message_paths"]).run_ids
    young = run_derived(instance, settings, keys, assets=["message_paths"]).run_ids
    under_way = run_derived(instance, settings, keys, assets=["message_paths"]).run_ids
    with database.session() as connection:
        connection.execute("UPDATE dagster.runs SET status = 'STARTED' WHERE run_id = %s", [under_way[0]])
    age(database, 89, young)
    age(database, 100, old + under_way)
    before = [len(instance.all_logs(run)) for run in (*young, *under_way)]
    assert delete_old_events(database, 90) > 0
    assert [len(instance.all_logs(run)) for run in (*young, *under_way)] == before
    with database.session() as connection:
        connection.execute("UPDATE dagster.runs SET status = 'SUCCESS' WHERE run_id = %s", [under_way[0]])


def test_a_partition_that_failed_last_is_still_known_as_failed(
    instance: dg.DagsterInstance, settings: Settings, database: Database
) -> None:
    keys = add_dialogues(database, 1)

    def fail(asset: str, _done: int, _total: int) -> None:
        if asset == "qa_pairs":
            raise ValueError("no")

    failed = run_derived(instance, settings, keys, assets=SOME, progress=fail).run_ids
    age(database, 100, failed)
    delete_old_events(database, 90)
    planned = DagsterEventType.ASSET_MATERIALIZATION_PLANNED
    left = instance.all_logs(failed[0], of_type=planned)
    # Chunks are made of pairs, so their turn did not come.
    assert {entry.get_dagster_event().asset_key.to_user_string() for entry in left} == {"qa_pairs", "qa_chunks"}
    definition = dg.DynamicPartitionsDefinition(name="dialogues")
    status = instance.get_status_by_partition(dg.AssetKey("qa_pairs"), keys, definition)
    assert str(status[keys[0]]) == "AssetPartitionStatus.FAILED"


def test_a_plan_is_kept_for_the_last_of_its_partitions_that_failed(
    instance: dg.DagsterInstance, settings: Settings, database: Database
) -> None:
    keys = add_dialogues(database, 2)

    def fail(asset: str, _done: int, _total: int) -> None:
        if asset == "qa_pairs":
            raise ValueError("no")

    failed = run_derived(instance, settings, keys, assets=SOME, progress=fail).run_ids
    built = run_derived(instance, settings, keys[:1], assets=SOME).run_ids
    age(database, 100, failed + built)
    delete_old_events(database, 90)
    definition = dg.DynamicPartitionsDefinition(name="dialogues")
    status = instance.get_status_by_partition(dg.AssetKey("qa_pairs"), keys, definition)
    assert [str(status[key]) for key in keys] == ["AssetPartitionStatus.MATERIALIZED", "AssetPartitionStatus.FAILED"]


def test_zero_days_keep_everything(instance: dg.DagsterInstance, settings: Settings, database: Database) -> None:
    run = run_derived(instance, settings, add_dialogues(database, 1), assets=["message_paths"])
    age(database, 1_000, run.run_ids)
    assert delete_old_events(database, 0) == 0


def test_the_job_does_it_all(instance: dg.DagsterInstance, settings: Settings) -> None:
    tick = instance.create_tick(TickData("origin", "new_imports", InstigatorType.SENSOR, TickStatus.SKIPPED, 0.0))
    logs = settings.home / "storage" / "__repository__" / "new_imports"
    logs.mkdir(parents=True)
    for name in (f"{tick.tick_id}.err", "999999999.err", "999999999.complete", "notes.txt"):
        (logs / name).touch()
    result = build_defs(settings=settings).resolve_job_def("housekeeping").execute_in_process(instance=instance)
    outputs = {
        name: value.value
        for event in result.filter_events(lambda event: event.is_successful_output)
        for name, value in event.step_output_data.metadata.items()
    }
    sweep = {"keys_removed", "keys_added", "keys_left_to_runs"}
    deleted = {"events_deleted", "tick_logs_deleted", "days_kept", "look_ups_deleted", "look_up_days_kept"}
    assert set(outputs) == {"runs_ended", "indexes_made", "indexes_rebuilt", "tables_analyzed", *deleted, *sweep}
    assert outputs["tick_logs_deleted"] == 2
    assert {file.name for file in logs.iterdir()} == {f"{tick.tick_id}.err", "notes.txt"}
    assert (outputs["days_kept"], outputs["look_up_days_kept"]) == (90, 365)
