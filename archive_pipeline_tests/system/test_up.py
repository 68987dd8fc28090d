"""`llm-archive up` that cannot start says why in one line.

What it does when it runs, and whom it lets in, is in ``test_whole``.
"""

from __future__ import annotations

import socket
from pathlib import Path

import psutil
import pytest

from archive_pipeline.settings import Settings
from archive_pipeline_tests.processes import has_ended
from archive_pipeline_tests.system.commands import wait_until
from archive_pipeline_tests.system.conftest import Start, own_archive
from archive_pipeline_tests.system.live import Live, free_port

pytestmark = [pytest.mark.system, pytest.mark.postgres, pytest.mark.dagster]


def test_a_port_that_is_taken_is_one_line(archive: object, settings: Settings, fork: Start):
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        taken = listener.getsockname()[1]
        ended = fork(settings.home, "up", "--port", taken).end()
    assert ended.code == 2
    assert ended.error == f"port {taken} is taken; choose another one with --port"


def test_up_of_a_home_that_cannot_be_used_is_one_line(tmp_path: Path, fork: Start):
    home = tmp_path / "file"
    home.write_text("in the way")
    ended = fork(home, "up").end()
    assert ended.code == 2
    assert "set ARCHIVE_HOME" in ended.error


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("ARCHIVE_SCHEDULE", "61 * * * *", "ARCHIVE_SCHEDULE='61 * * * *' is no time"),
        ("DAGSTER_HOME", "relative", "DAGSTER_HOME='relative': name a folder that is there, by its whole path"),
    ],
)
def test_what_dagster_would_stumble_over_is_one_line(
    archive: object, settings: Settings, fork: Start, variable: str, value: str, said: str
):
    ended = fork(settings.home, "up", "--port", free_port(), variables={variable: value}).end()
    assert ended.code == 2
    assert said in ended.error


@pytest.mark.faults
def test_what_it_had_started_ends_with_one_that_is_killed_and_lets_no_other_in_until_then(tmp_path: Path, start: Start):
    with own_archive(tmp_path / "home"):
        running = Live(tmp_path / "home", log=tmp_path / "up")
        try:
            running.wait_until_ready()
            started = running.processes()
            running.kill(psutil.Process(running.command.process.pid))
            ended = start(running.home, "up", "--port", free_port()).end()
            assert "is already running" in ended.error
            wait_until(lambda: all(map(has_ended, started)), "all that was started has ended")
        finally:
            running.kill_all()
