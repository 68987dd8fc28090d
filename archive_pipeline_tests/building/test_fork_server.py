"""The process that workers are forked from: one for the tests of this module, of which none ends it."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing
from multiprocessing import Pipe

import psutil
import pytest

from archive_pipeline.building.executors import worker_processes
from archive_pipeline.building.executors.worker_processes import ForkServer
from archive_pipeline_tests.processes import fork_servers, workers
from archive_pipeline_tests.variants import some_of


@pytest.fixture(scope="module")
def server() -> Iterator[ForkServer]:
    with closing(ForkServer()) as opened:
        yield opened


def started(server: ForkServer, connections: ExitStack) -> int:
    """Start a worker that nobody tells anything."""
    own, other = Pipe()
    connections.enter_context(own)
    with other:
        return server.start(other)


@pytest.mark.parametrize("can_fork", some_of([True, False]))
def test_a_worker_ends_with_its_connection_whoever_started_it(
    server: ForkServer, can_fork: bool, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(worker_processes, "CAN_FORK", can_fork)
    own, other = Pipe()
    with other:
        pid = server.start(other)
    own.close()
    assert server.wait_for(pid) == "with code 0"
    assert not psutil.pid_exists(pid)


@pytest.mark.parametrize("can_fork", some_of([True, False]))
def test_how_a_worker_ended_is_known(
    server: ForkServer, connections: ExitStack, can_fork: bool, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(worker_processes, "CAN_FORK", can_fork)
    first, second = started(server, connections), started(server, connections)
    os.kill(first, signal.SIGKILL)
    assert server.wait_for(first).startswith("by signal 9")
    os.kill(second, signal.SIGTERM)
    assert server.wait_for(second).startswith("by signal 15")


@pytest.mark.skipif(sys.platform != "linux", reason="no forks")
def test_what_workers_load_is_loaded_once_by_a_process_of_one_thread(server: ForkServer, connections: ExitStack):
    pids = {started(server, connections), started(server, connections)}
    [parent] = fork_servers()
    assert {each.pid for each in workers()} == pids
    assert parent.num_threads() == 1
    shared = [psutil.Process(pid).memory_full_info() for pid in pids]
    assert all(each.uss < each.rss / 3 for each in shared)
