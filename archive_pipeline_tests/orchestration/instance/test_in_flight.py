"""What runs in flight cover is neither moved nor deleted; and whom a command waits for."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from itertools import count

import dagster as dg
import pytest
from dagster._core.execution.backfill import PartitionBackfill
from dagster._core.remote_origin import RemoteInstigatorOrigin
from dagster._core.scheduler.instigation import (
    InstigatorState,
    InstigatorStatus,
    InstigatorType,
    SensorInstigatorData,
    TickData,
    TickStatus,
)
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.domain.choices import Partitioning
from archive_pipeline.orchestration.build import build_defs
from archive_pipeline.orchestration.instance import in_flight, orphans
from archive_pipeline.orchestration.instance.execution import job_origin
from archive_pipeline.orchestration.instance.in_flight import (
    PARTITION,
    RANGE_END,
    RANGE_START,
    covered_keys,
    wait_for_runs,
)
from archive_pipeline.orchestration.instance.orphans import PROCESS_TAG, fail_orphans, process_tag
from archive_pipeline.orchestration.jobs import JOB
from archive_pipeline.orchestration.local_runs import run_derived
from archive_pipeline.orchestration.partitions.keys import (
    NAMES,
    adjacent,
    contiguous_ranges,
    register_keys,
    remove_keys,
)
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.orchestration.conftest import add_dialogues

STATUS = dg.DagsterRunStatus
NAME = NAMES[Partitioning.PER_DIALOGUE]
_prefixes = count()


@pytest.fixture
def keys(instance: dg.DagsterInstance, settings: Settings) -> list[str]:
    """Eight registered keys, one after the other."""
    prefix = f"flight{next(_prefixes)}"
    made = [f"{prefix}-{letter}" for letter in "abcdefgh"]
    register_keys(instance, settings, made)
    return made


@pytest.fixture
def add_run(instance: dg.DagsterInstance) -> Iterator[object]:
    """Adds runs that are somewhere on their way; they are ended afterwards."""
    added: list[dg.DagsterRun] = []

    def add(status: dg.DagsterRunStatus, tags: Mapping[str, str], *, job: str = JOB, **options: object):
        run = dg.DagsterRun(job, status=status, tags=tags, remote_job_origin=job_origin(JOB), **options)
        instance.add_run(run)
        added.append(run)
        return run

    yield add
    for run in added:
        instance.report_run_failed(run)


@pytest.fixture
def other_process() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]) as process:
        yield process
        process.kill()


def range_tags(first: str, last: str) -> dict[str, str]:
    return {RANGE_START: first, RANGE_END: last}


def tag_of(process: subprocess.Popen[bytes]) -> dict[str, str]:
    import psutil

    return {PROCESS_TAG: orphans._identity(psutil.Process(process.pid))}


def covered(instance: dg.DagsterInstance, keys: list[str]) -> list[str]:
    found = covered_keys(instance, instance.get_dynamic_partitions(NAME))
    return [key for key in keys if key in found]


def order(instance: dg.DagsterInstance, keys: list[str]) -> list[str]:
    return [key for key in instance.get_dynamic_partitions(NAME) if key in keys]


@pytest.mark.dagster
@pytest.mark.postgres
@pytest.mark.parametrize("job", [JOB, "__ASSET_JOB"])
@pytest.mark.parametrize("status", [STATUS.QUEUED, STATUS.STARTING, STATUS.STARTED, STATUS.CANCELING])
def test_runs_that_have_not_ended_cover_their_range(
    instance: dg.DagsterInstance, keys: list[str], add_run, status: dg.DagsterRunStatus, job: str
) -> None:
    run = add_run(status, range_tags(keys[2], keys[4]), job=job)
    add_run(status, {PARTITION: keys[6]}, job=job)
    assert covered(instance, keys) == [*keys[2:5], keys[6]]
    instance.report_run_failed(run)
    assert covered(instance, keys) == [keys[6]]


@pytest.mark.dagster
@pytest.mark.postgres
@pytest.mark.parametrize("status", [STATUS.NOT_STARTED, STATUS.SUCCESS, STATUS.FAILURE, STATUS.CANCELED])
def test_other_runs_cover_nothing(
    instance: dg.DagsterInstance, keys: list[str], add_run, status: dg.DagsterRunStatus
) -> None:
    add_run(status, range_tags(keys[0], keys[7]))
    add_run(STATUS.STARTED, {})
    add_run(STATUS.STARTED, range_tags("s0001", "s0007"))
    add_run(STATUS.STARTED, range_tags(keys[0], "deleted"))
    assert covered(instance, keys) == []


@pytest.mark.dagster
@pytest.mark.postgres
@pytest.mark.parametrize("everything", [True, False])
def test_a_requested_backfill_covers_its_keys(
    instance: dg.DagsterInstance, settings: Settings, keys: list[str], everything: bool
) -> None:
    backfill = PartitionBackfill.from_asset_partitions(
        backfill_id=f"backfill of {keys[0]}",
        asset_graph=build_defs(settings=settings).resolve_asset_graph(),
        partition_names=None if everything else keys[1::3],
        asset_selection=[dg.AssetKey("message_paths"), dg.AssetKey("dialogue_trees")],
        backfill_timestamp=time.time(),
        tags={},
        dynamic_partitions_store=instance,
        all_partitions=everything,
        title=None,
        description=None,
        run_config=None,
    )
    instance.add_backfill(backfill)
    wanted = keys if everything else keys[1::3]
    assert covered(instance, keys) == wanted
    from dagster._core.execution.backfill import BulkActionStatus

    instance.update_backfill(backfill.with_status(BulkActionStatus.CANCELED))
    assert covered(instance, keys) == []


@pytest.mark.dagster
@pytest.mark.postgres
def test_runs_that_a_sensor_has_asked_for_and_that_are_not_created_yet_cover_their_range(
    instance: dg.DagsterInstance, keys: list[str]
) -> None:
    origin = RemoteInstigatorOrigin(job_origin(JOB).repository_origin, f"sensor of {keys[0]}")
    state = InstigatorState(
        origin, InstigatorType.SENSOR, InstigatorStatus.RUNNING, SensorInstigatorData(min_interval=30)
    )
    instance.add_instigator_state(state)
    requests = [
        dg.RunRequest(tags=range_tags(keys[0], keys[1])),
        dg.RunRequest(tags=range_tags(keys[3], keys[4])),
    ]
    data = TickData(
        state.instigator_origin_id,
        origin.instigator_name,
        InstigatorType.SENSOR,
        TickStatus.STARTED,
        time.time(),
        selector_id=state.selector_id,
        run_requests=requests,
        reserved_run_ids=["first", "second"],
        run_ids=["first"],
    )
    tick = instance.create_tick(data)
    assert covered(instance, keys) == keys[3:5]
    instance.update_tick(tick.with_status(TickStatus.SUCCESS))
    assert covered(instance, keys) == []


@pytest.mark.dagster
@pytest.mark.postgres
def test_covered_keys_stay_in_their_place_and_are_ranges_of_their_own(
    instance: dg.DagsterInstance, settings: Settings, keys: list[str], add_run
) -> None:
    add_run(STATUS.QUEUED, range_tags(keys[2], keys[5]))
    wanted = [keys[0], keys[2], keys[3], keys[5], keys[7]]
    ranges = contiguous_ranges(instance, settings, wanted)
    assert ranges == [
        dg.PartitionKeyRange(keys[2], keys[3]),
        dg.PartitionKeyRange(keys[5], keys[5]),
        dg.PartitionKeyRange(keys[0], keys[7]),
    ]
    assert order(instance, keys) == [keys[1], *keys[2:6], keys[6], keys[0], keys[7]]
    assert covered(instance, keys) == keys[2:6]


@pytest.mark.dagster
@pytest.mark.postgres
def test_if_all_are_covered_none_is_moved(
    instance: dg.DagsterInstance, settings: Settings, keys: list[str], add_run
) -> None:
    add_run(STATUS.STARTED, range_tags(keys[0], keys[7]))
    ranges = contiguous_ranges(instance, settings, keys[::7])
    assert ranges == [dg.PartitionKeyRange(keys[0], keys[0]), dg.PartitionKeyRange(keys[7], keys[7])]
    assert order(instance, keys) == keys


@pytest.mark.dagster
@pytest.mark.postgres
def test_covered_keys_are_not_deleted(
    instance: dg.DagsterInstance, settings: Settings, keys: list[str], add_run
) -> None:
    add_run(STATUS.STARTED, range_tags(keys[2], keys[5]))
    assert remove_keys(instance, settings, [keys[0], keys[3], keys[7], "never registered"]) == 2
    assert order(instance, keys) == keys[1:7]
    assert remove_keys(instance, settings, []) == 0


@given(data=st.data(), number=st.integers(1, 14))
def test_moving_and_deleting_keys_outside_of_a_slice_leaves_the_slice(data: st.DataObject, number: int) -> None:
    registered = list(range(number))
    first = data.draw(st.integers(0, number - 1))
    last = data.draw(st.integers(first, number - 1))
    slice_of_run = set(registered[first : last + 1])
    wanted = data.draw(st.sets(st.integers(0, number + 3), min_size=1))
    gone = data.draw(st.sets(st.sampled_from(registered))) - slice_of_run - wanted
    staying = wanted & slice_of_run
    moved = [key for key in registered if key not in wanted - staying and key not in gone] + sorted(wanted - staying)
    assert moved[moved.index(first) : moved.index(last) + 1] == registered[first : last + 1]
    islands = adjacent(map(str, registered), set(map(str, staying)))
    assert [int(key) for island in islands for key in island] == sorted(staying)
    for island in islands:
        places = [moved.index(int(key)) for key in island]
        assert places == list(range(places[0], places[0] + len(places)))


@pytest.mark.dagster
@pytest.mark.postgres
def test_a_run_of_a_live_process_over_the_same_keys_is_waited_for(
    instance: dg.DagsterInstance,
    keys: list[str],
    add_run,
    other_process: subprocess.Popen[bytes],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run = add_run(STATUS.STARTED, {**range_tags(keys[0], keys[3]), **tag_of(other_process)})
    said: list[str] = []
    slept: list[float] = []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        if len(slept) == 3:
            other_process.kill()
            other_process.wait()

    monkeypatch.setattr(in_flight.time, "sleep", sleep)
    everything = instance.get_dynamic_partitions(NAME)
    wait_for_runs(instance, everything, keys[4:], said.append)
    assert (said, slept) == ([], [])
    wait_for_runs(instance, everything, keys[3:], said.append)
    assert said == [f"waiting for Dagster run {run.run_id[:8]}, which builds some of the same dialogues"]
    assert len(slept) == 3
    found = instance.get_run_by_id(run.run_id)
    assert found is not None
    assert found.status == STATUS.FAILURE


@pytest.mark.dagster
@pytest.mark.postgres
def test_the_wait_has_an_end(
    instance: dg.DagsterInstance, keys: list[str], add_run, other_process: subprocess.Popen[bytes]
) -> None:
    add_run(STATUS.STARTED, {**range_tags(keys[0], keys[7]), **tag_of(other_process)})
    said: list[str] = []
    wait_for_runs(instance, instance.get_dynamic_partitions(NAME), keys, said.append, max_seconds=0.5)
    assert len(said) == 1


WAITED_FOR_BY_NOBODY = {
    "queued, its daemon may be gone": (STATUS.QUEUED, {}),
    "starting": (STATUS.STARTING, {}),
    "of an unknown process": (STATUS.STARTED, {}),
    "of another machine": (STATUS.STARTED, {PROCESS_TAG: "another-host:1:1.00"}),
    "of this process": (STATUS.STARTED, process_tag()),
}


@pytest.mark.dagster
@pytest.mark.postgres
@pytest.mark.parametrize("kind", WAITED_FOR_BY_NOBODY)
def test_a_run_of_which_nobody_knows_that_it_goes_on_is_not_waited_for_and_keeps_its_keys(
    instance: dg.DagsterInstance, settings: Settings, database: Database, add_run, kind: str
) -> None:
    keys = add_dialogues(database, 4)
    register_keys(instance, settings, keys)
    status, tags = WAITED_FOR_BY_NOBODY[kind]
    add_run(status, {**range_tags(keys[1], keys[2]), **tags})
    said: list[str] = []
    outcome = run_derived(instance, settings, [keys[0], keys[2]], assets=["message_paths"], on_wait=said.append)
    assert (outcome.success, len(outcome.run_ids), said) == (True, 2, [])
    assert outcome.rows["message_paths"] == 8
    assert order(instance, keys) == [keys[1], keys[2], keys[3], keys[0]]


@pytest.mark.dagster
@pytest.mark.postgres
def test_a_run_is_tagged_with_the_process_that_it_is_in(
    instance: dg.DagsterInstance, settings: Settings, database: Database
) -> None:
    keys = add_dialogues(database, 1)
    register_keys(instance, settings, keys)
    job = build_defs(settings=settings).resolve_job_def(JOB)
    tags = {**range_tags(keys[0], keys[0]), PROCESS_TAG: "another-host:1:1.00"}
    result = job.execute_in_process(instance=instance, tags=tags)
    run = instance.get_run_by_id(result.run_id)
    assert run is not None
    assert run.tags[PROCESS_TAG] == process_tag()[PROCESS_TAG]


@pytest.mark.dagster
@pytest.mark.postgres
def test_a_run_started_anew_is_no_orphan_for_having_the_tag_of_the_first(instance: dg.DagsterInstance, add_run) -> None:
    host = process_tag()[PROCESS_TAG].rsplit(":", 2)[0]
    dead = {PROCESS_TAG: f"{host}:1:1.00"}
    first = add_run(STATUS.FAILURE, dead)
    again = add_run(STATUS.STARTED, dead, parent_run_id=first.run_id, root_run_id=first.run_id)
    own = add_run(STATUS.STARTED, {PROCESS_TAG: f"{host}:1:2.00"}, parent_run_id=first.run_id, root_run_id=first.run_id)
    assert fail_orphans(instance) == [own.run_id]
    found = instance.get_run_by_id(again.run_id)
    assert found is not None
    assert found.status == STATUS.STARTED
