"""What `up` does when a part of Dagster dies, with processes that stand in for Dagster's."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator

import psutil
import pytest

from archive_pipeline.cli import dagster_dev
from archive_pipeline.cli.dagster_dev import keep_running
from archive_pipeline_tests.variants import some_of

pytestmark = pytest.mark.system

# Starts a code server, which starts a process with code in it, as `dagster dev` does; and another code server when
# the first one ends.
DEV = """
import subprocess, sys
SERVER = (
    "import subprocess, sys, time; "
    "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)']); time.sleep(60)"
)
while True:
    subprocess.run([sys.executable, "-c", SERVER, "code-server"])
"""


class Stand:
    """Starts the stand-in and remembers what was started."""

    def __init__(self, code: str) -> None:
        self._code = code
        self.started: list[psutil.Process] = []

    def __call__(self) -> subprocess.Popen[bytes]:
        process = subprocess.Popen([sys.executable, "-c", self._code], start_new_session=True)
        self.started.append(psutil.Process(process.pid))
        return process

    def tree(self) -> list[psutil.Process]:
        """The last one with its code server and the process with the code; [] until all three are there."""
        try:
            found = [self.started[-1], *self.started[-1].children(recursive=True)] if self.started else []
            alive = [process for process in found if process.status() != psutil.STATUS_ZOMBIE]
        except psutil.NoSuchProcess:
            return []
        return alive if len(alive) == 3 else []


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(dagster_dev, "WATCH_SECONDS", 0.1)
    monkeypatch.setattr(dagster_dev, "STOP_SECONDS", 2.0)  # the stand-ins do not stop when they are told to
    monkeypatch.setattr(dagster_dev, "LEFT_OVER_SECONDS", 2.0)
    before = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, before)


def meanwhile(do: Callable[[], None]) -> None:
    """Do something in another thread, and then terminate this process as `kill` does."""

    def run() -> None:
        try:
            do()
        finally:
            os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=run, daemon=True).start()


def wait_for(stand: Stand, *, without: set[psutil.Process]) -> list[psutil.Process]:
    for _ in range(2_000):
        tree = stand.tree()
        if tree and without.isdisjoint(tree):
            return tree
        time.sleep(0.05)
    raise AssertionError("it does not come back")


def test_what_it_started_is_stopped_with_it():
    stand, seen = Stand(DEV), []
    meanwhile(lambda: seen.extend(wait_for(stand, without=set())))
    assert keep_running(stand) == 0
    assert len(seen) == 3
    assert not [process for process in seen if process.is_running()]


def test_a_code_server_without_the_process_with_the_code_is_replaced():
    stand, seen = Stand(DEV), []

    def kill_code() -> None:
        seen.extend(wait_for(stand, without=set()))
        time.sleep(0.5)  # it was seen complete
        seen[2].kill()
        seen.extend(wait_for(stand, without=set(seen[1:])))

    meanwhile(kill_code)
    assert keep_running(stand) == 0
    assert len(seen) == 6
    assert len(stand.started) == 1


def test_one_that_ends_by_itself_is_started_again_and_leaves_nothing(capfd: pytest.CaptureFixture[str]):
    stand, seen = Stand(DEV), []

    def kill_it() -> None:
        seen.extend(wait_for(stand, without=set()))
        time.sleep(0.5)
        seen[0].kill()
        seen.extend(wait_for(stand, without=set(seen)))

    meanwhile(kill_it)
    assert keep_running(stand) == 0
    assert len(stand.started) == 2
    assert not [process for process in seen if process.is_running()]
    assert "starting it again" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("code", "restarts"), some_of([("raise SystemExit(3)", 0), (DEV, 2)]), ids=["at once", "often"]
)
def test_one_that_never_works_or_keeps_ending_is_given_up(
    code: str, restarts: int, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(dagster_dev, "MOST_RESTARTS", restarts)
    stand, look = Stand(code), dagster_dev._Watch._look

    def look_and_kill(watch: dagster_dev._Watch) -> None:
        look(watch)
        if watch.was_complete:
            watch._process.kill()

    monkeypatch.setattr(dagster_dev._Watch, "_look", look_and_kill)
    assert keep_running(stand) == 2
    assert len(stand.started) == restarts + 1
    assert "Dagster ended by itself" in capfd.readouterr().err
