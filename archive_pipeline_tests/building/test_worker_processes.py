"""Who starts the process that workers are forked from, and what happens when that ends or does not answer."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing

import psutil
import pytest

from archive_pipeline.building.batch_cache import BatchCache
from archive_pipeline.building.executors import opening, worker_processes
from archive_pipeline.building.executors.opening import executors_ahead, open_executor
from archive_pipeline.building.executors.processes import ProcessExecutor
from archive_pipeline.building.executors.shared_fork_server import SHARED
from archive_pipeline.building.executors.worker_processes import ForkServer
from archive_pipeline.errors import WorkerLostError
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.building.test_fork_server import started
from archive_pipeline_tests.building.test_processes import TALKS, everything, tasks_of
from archive_pipeline_tests.derive.batches import batch_of, store
from archive_pipeline_tests.processes import fork_servers, has_ended, workers
from archive_pipeline_tests.system.commands import wait_until


@pytest.fixture
def server() -> Iterator[ForkServer]:
    with closing(ForkServer()) as opened:
        yield opened


@pytest.mark.postgres
def test_executors_have_one_server_until_nobody_holds_it(database: Database, settings: Settings):
    store(database, batch_of(*TALKS))
    tasks = tasks_of(database, settings, "exchanges", everything(database))
    by_processes = settings.with_values(executor="processes")
    seen: list[int] = []
    with executors_ahead(by_processes, is_much=True):
        seen.extend(server.pid for server in fork_servers())
        for _ in range(2):
            with open_executor(database, by_processes) as executor:
                assert len(list(executor.map_batches(tasks))) == len(tasks)
                seen.extend(server.pid for server in fork_servers())
            assert workers() == []
    assert len(seen) == 3
    assert len(set(seen)) == 1
    assert fork_servers() == []


def test_a_local_executor_needs_no_server(settings: Settings):
    with executors_ahead(settings, is_much=True):
        assert fork_servers() == []


def test_a_local_executor_of_much_finds_its_models_loaded(settings: Settings, monkeypatch: pytest.MonkeyPatch):
    by_thread: list[str] = []
    monkeypatch.setattr(opening, "load_models", lambda: by_thread.append(threading.current_thread().name))
    with executors_ahead(settings, is_much=False):
        pass
    with executors_ahead(settings.with_values(executor="processes"), is_much=False):
        pass
    assert by_thread == []
    with executors_ahead(settings, is_much=True):
        pass
    assert [name.partition("_")[0] for name in by_thread] == ["load"]


@pytest.mark.skipif(sys.platform != "linux", reason="no forks")
def test_a_fork_of_this_process_has_no_part_in_its_server(settings: Settings):
    with executors_ahead(settings.with_values(executor="processes"), is_much=True):
        pid = os.fork()
        if pid == 0:
            os._exit(0 if SHARED._server is None else 1)
        assert os.waitpid(pid, 0)[1] == 0
        assert len(fork_servers()) == 1


@pytest.mark.postgres
def test_what_starts_workers_is_started_again_when_it_has_ended(database: Database, settings: Settings):
    store(database, batch_of(*TALKS))
    tasks = tasks_of(database, settings, "exchanges", everything(database))
    with closing(ProcessExecutor(database, 2, BatchCache())) as executor:
        assert len(list(executor.map_batches(tasks))) == len(tasks)
        [lost] = fork_servers()
        one, other = executor._workers
        without_server = psutil.Process(other.pid)
        lost.kill()
        os.kill(one.pid, signal.SIGKILL)
        wait_until(lambda: has_ended(lost), "it has ended")
        assert len(list(executor.map_batches(tasks))) == len(tasks)
        assert [each.pid for each in fork_servers() if not has_ended(each)] != [lost.pid]
        assert len(executor._workers) == 2
        assert other in executor._workers
    assert fork_servers() == []
    wait_until(lambda: has_ended(without_server), "the worker without a server has ended")


def test_an_answer_that_nobody_waited_for_is_given_to_no_other_request(server: ForkServer, connections: ExitStack):
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)  # it loads models for longer than that
        with pytest.raises(KeyboardInterrupt):
            started(server, connections)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert fork_servers() == []
    with pytest.raises(WorkerLostError, match="by signal 9"):
        started(server, connections)
    assert server.wait_for(0).startswith("unseen")


def test_a_worker_that_does_not_end_is_not_waited_for_without_end(
    server: ForkServer, connections: ExitStack, monkeypatch: pytest.MonkeyPatch
):
    pid = started(server, connections)
    monkeypatch.setattr(worker_processes, "_SECONDS_TO_END", 1)
    with pytest.raises(subprocess.TimeoutExpired):
        server.wait_for(pid)
    assert fork_servers() == []


def test_a_process_that_cannot_start_workers_is_an_error(connections: ExitStack, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(worker_processes, "_MODULE", "archive_pipeline.no_such_module")
    with closing(ForkServer()) as broken, pytest.raises(WorkerLostError, match=r"ended with code 1"):
        started(broken, connections)
