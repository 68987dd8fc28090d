"""Duplicates whose signatures other processes make: the same rows, whoever is killed in the middle."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import psutil
import pytest

from archive_pipeline.building import duplicates
from archive_pipeline.building.batch_cache import BatchCache
from archive_pipeline.building.dialogue_source import DIALOGUES
from archive_pipeline.building.duplicates import refresh_duplicates
from archive_pipeline.building.executors.processes import ProcessExecutor
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.failures import is_transient
from archive_pipeline_tests.building.test_duplicates import TALKS, rows
from archive_pipeline_tests.building.test_processes import in_thread
from archive_pipeline_tests.exports import load
from archive_pipeline_tests.processes import workers
from archive_pipeline_tests.system.commands import wait_until
from archive_pipeline_tests.tables import query

pytestmark = [pytest.mark.postgres, pytest.mark.usefixtures("one_fork_server")]

_PROGRAM = """
import sys
from archive_pipeline.building import duplicates
from archive_pipeline.building.dialogue_source import DIALOGUES
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.failures import is_transient
DIALOGUES.max_items, duplicates.FEW_MESSAGES = 1, 0
settings = Settings(home=sys.argv[1], executor="processes", workers=2)
duplicates.refresh_duplicates(Database(sys.stdin.readline()), settings)
"""


@pytest.fixture
def expected(
    database: Database, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> list[tuple[str]]:
    """The rows of a local search; after it, each dialogue is a task and the archive is no small one."""
    load(database, tmp_path / "talks.json", *TALKS)
    refresh_duplicates(database, settings)
    monkeypatch.setattr(DIALOGUES, "max_items", 1)
    monkeypatch.setattr(duplicates, "FEW_MESSAGES", 0)
    found = rows(database)
    assert found
    return found


@contextmanager
def held(database: Database) -> Iterator[None]:
    """Let no task get on: each asks for links, and nothing else of a search does."""
    with database.session() as connection:
        connection.execute("LOCK TABLE raw.dialogue_links IN ACCESS EXCLUSIVE MODE")
        yield


def waiting(database: Database) -> list[int]:
    """Return the server's processes that wait for the links."""
    statement = "SELECT pid FROM pg_locks WHERE NOT granted AND relation = 'raw.dialogue_links'::regclass"
    return [pid for (pid,) in query(database, statement)]


def spoilt(database: Database) -> list[tuple[str]]:
    """Leave a part of the clusters; return what is left."""
    query(database, "DELETE FROM derived.duplicate_clusters WHERE method = 'near' RETURNING 1")
    return rows(database)


@pytest.mark.parametrize("number", [1, 2, 3])
def test_any_number_of_processes_gives_the_rows_of_one(
    database: Database, settings: Settings, expected: list[tuple[str]], number: int
):
    spoilt(database)
    by_processes = settings.with_values(executor="processes", workers=number)
    result = refresh_duplicates(database, by_processes)
    assert (result.dialogues, result.messages, result.compared) == (4, 12, {"message": 8, "exchange": 6, "dialogue": 0})
    assert rows(database) == expected
    assert workers() == []


@pytest.mark.usefixtures("expected")
def test_a_small_archive_starts_no_process(database: Database, settings: Settings, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(duplicates, "FEW_MESSAGES", 13)
    with closing(ProcessExecutor(database, 2, BatchCache())) as executor:
        refresh_duplicates(database, settings, executor=executor)
        assert workers() == []
        monkeypatch.setattr(duplicates, "FEW_MESSAGES", 12)
        refresh_duplicates(database, settings, executor=executor)
        assert len(workers()) == 2


def test_what_a_killed_worker_had_is_made_by_another_one(
    database: Database, settings: Settings, expected: list[tuple[str]]
):
    spoilt(database)
    by_processes = settings.with_values(executor="processes", workers=2)
    with held(database):
        thread, outcome = in_thread(lambda: refresh_duplicates(database, by_processes))
        wait_until(lambda: len(waiting(database)) == 2, "both workers have a task")
        before = workers()
        os.kill(before[0].pid, signal.SIGKILL)
        wait_until(lambda: len({worker.pid for worker in workers()} - {each.pid for each in before}) == 1, "a new one")
    thread.join(120)
    assert [type(each) for each in outcome] == [duplicates.RefreshResult]
    assert rows(database) == expected


def test_a_killed_driver_leaves_what_was_there(database: Database, settings: Settings, expected: list[tuple[str]]):
    left = spoilt(database)
    with held(database):
        driver = subprocess.Popen(
            [sys.executable, "-c", _PROGRAM, settings.home], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        assert driver.stdin is not None
        driver.stdin.write(database.url)
        driver.stdin.close()
        wait_until(lambda: len(waiting(database)) == 2, "both workers have a task")
        started = workers(driver.pid)
        assert len(started) == 2
        driver.kill()
        driver.wait(60)
        _, alive = psutil.wait_procs(started, timeout=300)
        assert alive == []
    assert rows(database) == left
    refresh_duplicates(database, settings)
    assert rows(database) == expected


def test_an_error_of_the_database_ends_the_search_and_changes_nothing(
    database: Database, settings: Settings, expected: list[tuple[str]]
):
    left = spoilt(database)
    by_processes = settings.with_values(executor="processes", workers=2)
    with held(database):
        thread, outcome = in_thread(lambda: refresh_duplicates(database, by_processes))
        wait_until(lambda: len(waiting(database)) == 2, "both workers have a task")
        query(database, f"SELECT pg_terminate_backend({waiting(database)[0]})")
        thread.join(120)
    [error] = outcome
    assert isinstance(error, Exception)
    assert is_transient(error), error
    assert rows(database) == left
    refresh_duplicates(database, by_processes)
    assert rows(database) == expected
