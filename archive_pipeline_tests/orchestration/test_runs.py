"""Runs over ranges of dialogues on a real instance: what they build, and how they end."""

from __future__ import annotations

import gc

import dagster as dg
import psutil
import pytest
from sqlalchemy import text

from archive_pipeline.building.dialogue_source import DIALOGUES
from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.derive.registry import ASSETS
from archive_pipeline.domain.batch import DialogueBatch
from archive_pipeline.domain.choices import Partitioning
from archive_pipeline.orchestration import local_runs
from archive_pipeline.orchestration.build import build_defs
from archive_pipeline.orchestration.instance.execution import execute_here
from archive_pipeline.orchestration.instance.in_flight import RANGE_END, RANGE_START
from archive_pipeline.orchestration.jobs import JOB
from archive_pipeline.orchestration.local_runs import RunOutcome, errors_of, run_derived
from archive_pipeline.orchestration.partitions.keys import in_order, register_keys
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.orchestration.conftest import add_dialogues
from archive_pipeline_tests.processes import workers

pytestmark = [pytest.mark.dagster, pytest.mark.postgres]


def test_a_run_builds_every_table_and_a_second_one_writes_nothing(
    instance: dg.DagsterInstance, settings: Settings, database: Database
) -> None:
    keys = add_dialogues(database, 5, is_answered=False)
    first = run_derived(instance, settings, keys)
    assert (first.success, first.failed_checks, first.errors) == (True, (), ())
    assert set(first.rows) == {table for asset in ASSETS.values() for table in asset.tables}
    assert all(first.rows.values())
    assert first.rows["message_paths"] == 15
    second = run_derived(instance, settings, keys)
    assert second.success
    assert set(second.rows.values()) == {0}
    assert set(second.rows) == set(first.rows)


def built_rows(database: Database, settings: Settings) -> dict[str, int]:
    """Build without Dagster; return the rows of each table."""
    return {table: count for result in build_stale(database, settings).values() for table, count in result.rows.items()}


def test_a_run_in_worker_processes_builds_the_same_and_leaves_none(
    instance: dg.DagsterInstance, settings: Settings, empty_archive: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = add_dialogues(empty_archive, 12)
    here = built_rows(empty_archive, settings)
    monkeypatch.setattr(DIALOGUES, "max_items", 4)
    seen: set[int] = set()

    def note(_stage: str, _done: int, _total: int, /) -> None:
        seen.update(worker.pid for worker in workers())

    chosen = settings.with_values(executor="processes", workers=2)
    outcome = run_derived(instance, chosen, keys, full=True, progress=note)
    assert (outcome.success, outcome.rows) == (True, here)
    assert len(seen) == 2  # started once for all assets
    assert not any(map(psutil.pid_exists, seen))


def test_full_builds_what_is_up_to_date_too(
    instance: dg.DagsterInstance, settings: Settings, empty_archive: Database
) -> None:
    keys = add_dialogues(empty_archive, 2)
    first = built_rows(empty_archive, settings)
    assert run_derived(instance, settings, keys, full=True).rows == first
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
    assert run_derived(instance, settings, keys[2:], assets=["message_paths"]).success
    assert run_derived(instance, settings, keys, full=True).success


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


def test_no_keys_are_nothing_to_do(instance: dg.DagsterInstance, settings: Settings) -> None:
    assert run_derived(instance, settings, []) == RunOutcome(
        (), success=True, rows={}, failed_checks=(), errors=(), lost_database=None
    )


def test_a_run_that_has_ended_holds_no_batches(
    instance: dg.DagsterInstance, settings: Settings, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(local_runs.KEYS_PER_OWN_RUN, settings.partitioning, 2)
    held: list[int] = []

    def note(asset: str, done: int, _total: int) -> None:
        if (asset, done) == ("message_paths", 0):  # nothing is read yet of the run that begins
            held.append(sum(isinstance(each, DialogueBatch) for each in gc.get_objects()))

    keys = add_dialogues(database, 6)
    outcome = run_derived(instance, settings, keys, assets=["message_paths", "dialogue_trees"], progress=note)
    assert (outcome.success, len(outcome.run_ids)) == (True, 3)
    assert held == [held[0]] * 3
