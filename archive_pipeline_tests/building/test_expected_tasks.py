"""What worker processes do before it is asked for: done once, and its errors and deaths told where it is asked for."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import closing

import psutil
import psycopg
import pytest

from archive_pipeline.building.batch_cache import BatchCache
from archive_pipeline.building.dialogue_source import DIALOGUES
from archive_pipeline.building.dialogues import build_asset, build_stale
from archive_pipeline.building.engine import build, build_tasks
from archive_pipeline.building.executors.processes import ProcessExecutor
from archive_pipeline.errors import WorkerLostError
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.building.test_processes import (
    TALKS,
    everything,
    in_thread,
    tasks_of,
    who_builds,
)
from archive_pipeline_tests.derive.batches import batch_of, store
from archive_pipeline_tests.processes import workers
from archive_pipeline_tests.system.commands import gate, wait_until
from archive_pipeline_tests.tables import query

pytestmark = [pytest.mark.postgres, pytest.mark.usefixtures("one_fork_server")]


@pytest.fixture
def executor(database: Database) -> Iterator[ProcessExecutor]:
    with closing(ProcessExecutor(database, 2, BatchCache())) as opened:
        yield opened


def built(database: Database) -> int:
    """How many dialogues have their exchanges."""
    count: int = query(database, "SELECT count(*) FROM derived.build_state WHERE asset = 'exchanges'")[0][0]
    return count


def test_what_is_expected_is_done_while_nobody_listens_and_given_when_it_is_asked_for(
    database: Database, settings: Settings, executor: ProcessExecutor
):
    store(database, batch_of(*TALKS))
    refs = everything(database)
    first, following = (tasks_of(database, settings, name, refs) for name in ("message_paths", "exchanges"))
    executor.expect(following)
    assert built(database) == 0
    assert {task for task, _ in executor.map_batches(first)} == set(first)
    wait_until(lambda: built(database) == 12, "what was expected is done")
    query(database, "UPDATE derived.build_state SET code_version = 'seen' RETURNING 1")
    results = list(executor.map_batches(following))
    assert sorted((task.items[0].id, result.built) for task, result in results) == [(ref.id, 1) for ref in refs]
    assert query(database, "SELECT DISTINCT code_version FROM derived.build_state") == [("seen",)]  # not done again


def test_seconds_of_an_asset_have_the_time_before_it_was_asked_for(
    database: Database, settings: Settings, executor: ProcessExecutor
):
    store(database, batch_of(*TALKS))
    refs = everything(database)
    chunks = [[ref] for ref in refs]
    with gate(database, "derived.exchanges", f"new.dialogue_id = '{refs[0].id}'") as held:
        executor.expect(build_tasks(settings, DIALOGUES, "exchanges", chunks))
        assert build(executor, settings, DIALOGUES, "message_paths", chunks).built == 12
        assert executor.seconds_ahead == 0
        held.wait_for_visitor()
        began = time.monotonic()
        time.sleep(0.2)
        waited = time.monotonic() - began
    wait_until(lambda: built(database) == 12, "what was expected is done")
    result = build(executor, settings, DIALOGUES, "exchanges", chunks)
    assert executor.seconds_ahead >= waited / 2  # of two workers, one waited
    assert result.seconds > executor.seconds_ahead
    build(executor, settings, DIALOGUES, "exchanges", chunks)
    assert executor.seconds_ahead == 0


def test_an_error_of_what_is_expected_is_raised_where_that_is_asked_for(
    database: Database, settings: Settings, executor: ProcessExecutor
):
    store(database, batch_of(*TALKS))
    refs = everything(database)
    with database.session() as connection:
        connection.execute("ALTER TABLE derived.exchanges RENAME TO away")
    try:
        executor.expect(tasks_of(database, settings, "exchanges", refs))
        assert len(list(executor.map_batches(tasks_of(database, settings, "message_paths", refs)))) == 12
        assert len(list(executor.map_batches(tasks_of(database, settings, "dialogue_trees", refs)))) == 12
        with pytest.raises(psycopg.errors.UndefinedTable, match="exchanges"):
            list(executor.map_batches(tasks_of(database, settings, "exchanges", refs)))
    finally:
        with database.session() as connection:
            connection.execute("ALTER TABLE derived.away RENAME TO exchanges")
    assert build_asset(database, settings, "exchanges", refs, executor=executor).built == 12


@pytest.mark.parametrize("deaths", [1, 2])
def test_what_a_killed_worker_was_expected_to_do_is_done_by_another(
    database: Database, settings: Settings, executor: ProcessExecutor, deaths: int
):
    store(database, batch_of(*TALKS))
    refs = everything(database)
    first, following = (tasks_of(database, settings, name, refs) for name in ("message_paths", "exchanges"))
    victim = following[5]
    with gate(database, "derived.exchanges", f"new.dialogue_id = '{victim.items[0].id}'") as held:
        executor.expect(following)
        assert len(list(executor.map_batches(first))) == 12
        thread, outcome = in_thread(lambda: list(executor.map_batches(following)))
        for _ in range(deaths):
            held.wait_for_visitor()
            # What a killed worker asked for may visit a while after it.
            wait_until(lambda: who_builds(executor, victim), "somebody builds it")
            [pid] = who_builds(executor, victim)
            os.kill(pid, signal.SIGKILL)
            wait_until(lambda pid=pid: pid not in who_builds(executor, victim), "it is missed")
    thread.join(60)
    [ended] = outcome
    if deaths == 1:
        assert isinstance(ended, list)
        assert sorted((task.items[0].id, result.built) for task, result in ended) == [(ref.id, 1) for ref in refs]
    else:
        assert isinstance(ended, WorkerLostError)
    assert build_asset(database, settings, "exchanges", everything(database), executor=executor).built == 12


def test_what_nobody_asks_for_ends_with_the_executor(database: Database, settings: Settings):
    store(database, batch_of(*TALKS))
    refs = everything(database)
    with gate(database, "derived.exchanges", "true") as held:
        with closing(ProcessExecutor(database, 2, BatchCache())) as executor:
            # Of other dialogues: who waits at the gate keeps a dialogue from whoever still writes its paths.
            asked, expected = refs[:6], refs[6:]
            executor.expect(tasks_of(database, settings, "exchanges", expected))
            assert len(list(executor.map_batches(tasks_of(database, settings, "message_paths", asked)))) == 6
            held.wait_for_visitor()
            started = workers()
            assert len(started) == 2
        _, alive = psutil.wait_procs(started, timeout=60)
        assert alive == []
    assert built(database) == 0
    build_stale(database, settings)
    assert built(database) == 12
