"""Sweeping partition keys: after it they are those of the archive, but for what a run is using."""

from __future__ import annotations

from collections.abc import Iterator

import dagster as dg
import pytest

from archive_pipeline.domain.choices import Partitioning
from archive_pipeline.orchestration.build import build_defs
from archive_pipeline.orchestration.checks.summary import key_state_result
from archive_pipeline.orchestration.instance.execution import job_origin
from archive_pipeline.orchestration.instance.in_flight import RANGE_END, RANGE_START
from archive_pipeline.orchestration.jobs import JOB
from archive_pipeline.orchestration.local_runs import run_derived
from archive_pipeline.orchestration.partitions.key_sweep import KeyState, Swept, key_state, sweep_keys
from archive_pipeline.orchestration.partitions.keys import register_keys, remove_keys
from archive_pipeline.orchestration.resources import Archive
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.import_log import only_writer
from archive_pipeline_tests.orchestration.automation.test_sensors import COUNT_AT_ONCE, tick
from archive_pipeline_tests.orchestration.conftest import add_dialogues

pytestmark = [pytest.mark.dagster, pytest.mark.postgres]


@pytest.fixture
def keys(instance: dg.DagsterInstance, settings: Settings, empty_archive: Database) -> list[str]:
    """Four dialogues whose keys are the only ones."""
    made = add_dialogues(empty_archive, 4)
    sweep_keys(instance, empty_archive, settings)
    assert list(instance.get_dynamic_partitions("dialogues")) == made
    return made


@pytest.fixture
def run_over_a_deleted_dialogue(
    instance: dg.DagsterInstance, empty_archive: Database, keys: list[str]
) -> Iterator[dg.DagsterRun]:
    tags = {RANGE_START: keys[0], RANGE_END: keys[1]}
    run = dg.DagsterRun(JOB, status=dg.DagsterRunStatus.QUEUED, tags=tags, remote_job_origin=job_origin(JOB))
    instance.add_run(run)
    delete(empty_archive, keys[1])
    yield run
    if not instance.get_run_by_id(run.run_id).is_finished:
        instance.report_run_failed(run)


def delete(database: Database, *keys: str) -> None:
    with database.session() as connection:
        connection.execute("DELETE FROM raw.dialogues WHERE partition_key = ANY(%s)", [list(keys)])
        connection.execute(COUNT_AT_ONCE)


def registered(instance: dg.DagsterInstance) -> set[str]:
    return set(instance.get_dynamic_partitions("dialogues"))


def state(instance: dg.DagsterInstance, database: Database) -> KeyState:
    with database.session() as connection:
        return key_state(instance, connection, Partitioning.PER_DIALOGUE)


def test_keys_without_dialogue_go_and_dialogues_without_key_get_theirs(
    instance: dg.DagsterInstance, settings: Settings, empty_archive: Database, keys: list[str]
) -> None:
    register_keys(instance, settings, ["strange-b", "strange-a"])
    remove_keys(instance, settings, keys[:1])
    delete(empty_archive, keys[2])
    assert state(instance, empty_archive) == KeyState(5, [keys[0]], [keys[2], "strange-a", "strange-b"])
    assert sweep_keys(instance, empty_archive, settings) == Swept(removed=3, added=1, left=0)
    assert list(instance.get_dynamic_partitions("dialogues")) == [keys[1], keys[3], keys[0]]
    assert state(instance, empty_archive) == KeyState(3, [], [])
    assert sweep_keys(instance, empty_archive, settings) == Swept(0, 0, 0)


def test_shards_are_swept_as_shards_and_the_other_keys_left_alone(
    instance: dg.DagsterInstance, settings: Settings, empty_archive: Database, keys: list[str]
) -> None:
    sharded = settings.with_values(partitioning=Partitioning.SHARDED)
    register_keys(instance, sharded, ["s9999"])
    sweep_keys(instance, empty_archive, sharded)
    with empty_archive.session() as connection:
        shards = {row[0] for row in connection.execute("SELECT shard_key FROM raw.dialogues")}
    assert set(instance.get_dynamic_partitions("dialogue_shards")) == shards
    assert registered(instance) == set(keys)


def test_a_key_under_a_run_is_left_until_the_run_has_ended(
    instance: dg.DagsterInstance,
    settings: Settings,
    empty_archive: Database,
    keys: list[str],
    run_over_a_deleted_dialogue: dg.DagsterRun,
) -> None:
    delete(empty_archive, keys[3])
    assert sweep_keys(instance, empty_archive, settings) == Swept(removed=1, added=0, left=1)
    assert registered(instance) == set(keys[:3])
    instance.report_run_failed(run_over_a_deleted_dialogue)
    assert sweep_keys(instance, empty_archive, settings) == Swept(removed=1, added=0, left=0)
    assert registered(instance) == {keys[0], keys[2]}


def test_the_sensor_sweeps_when_all_is_built_and_no_run_is_under_way(
    instance: dg.DagsterInstance,
    archive: Archive,
    empty_archive: Database,
    keys: list[str],
    run_over_a_deleted_dialogue: dg.DagsterRun,
) -> None:
    assert run_derived(instance, archive.settings, [keys[0], *keys[2:]]).success
    tick("stale_dialogues", instance, archive)
    assert registered(instance) == set(keys)
    instance.report_run_failed(run_over_a_deleted_dialogue)
    tick("stale_dialogues", instance, archive)
    assert registered(instance) == {keys[0], *keys[2:]}


def outputs(result: dg.ExecuteInProcessResult) -> dict[str, object]:
    return {
        name: value.value
        for event in result.filter_events(lambda event: event.is_successful_output)
        for name, value in event.step_output_data.metadata.items()
    }


def test_the_night_sweeps_unless_somebody_writes(
    instance: dg.DagsterInstance, settings: Settings, empty_archive: Database, keys: list[str]
) -> None:
    job = build_defs(settings=settings).resolve_job_def("housekeeping")
    delete(empty_archive, keys[0])
    with only_writer(empty_archive):
        assert "keys_removed" not in outputs(job.execute_in_process(instance=instance))
    assert keys[0] in registered(instance)
    found = outputs(job.execute_in_process(instance=instance))
    assert (found["keys_removed"], found["keys_added"], found["keys_left_to_runs"]) == (1, 0, 0)
    assert keys[0] not in registered(instance)


def test_the_check_counts_both_kinds() -> None:
    assert key_state_result(KeyState(9, [], [])).passed
    result = key_state_result(KeyState(9, ["d"], [f"k{number}" for number in range(7)]))
    assert (result.passed, result.severity) == (False, dg.AssetCheckSeverity.WARN)
    assert result.metadata["orphaned_keys"].value == 7
    assert result.metadata["missing_keys"].value == 1
    assert result.metadata["examples_of_orphaned"].value == ["k0", "k1", "k2", "k3", "k4"]
    assert "1 key is missing, and 7 belong to no dialogue" in str(result.description)
