"""`llm-archive up` answers on the loopback interface, and Ctrl-C leaves nothing behind."""

from __future__ import annotations

import json
import signal
import socket
import urllib.error
import urllib.request
from pathlib import Path

import psutil
import pytest

from archive_pipeline.settings import Settings
from archive_pipeline_tests.system.commands import Command, wait_until
from archive_pipeline_tests.system.conftest import Start

pytestmark = [pytest.mark.system, pytest.mark.postgres, pytest.mark.dagster]

QUERY = "{ assetNodes { assetKey { path } } }"


def answer(port: int) -> object:
    """Ask the UI's GraphQL for the assets; None while nobody answers."""
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/graphql",
        data=json.dumps({"query": QUERY}).encode(),
        headers={"Content-Type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request, timeout=10) as response:  # noqa: S310
            return json.load(response)["data"]["assetNodes"]
    except (urllib.error.URLError, OSError):
        return None


def addresses(command: Command) -> set[str]:
    """The addresses on which the command and its children listen."""
    processes = [psutil.Process(command.process.pid), *psutil.Process(command.process.pid).children(recursive=True)]
    return {
        connection.laddr.ip
        for process in processes
        for connection in process.net_connections(kind="inet")
        if connection.status == psutil.CONN_LISTEN
    }


@pytest.fixture
def port() -> int:
    return free_port()


@pytest.fixture
def other_port() -> int:
    return free_port()


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def test_up_answers_and_ctrl_c_leaves_no_process(
    archive: object, settings: Settings, port: int, other_port: int, start: Start
):
    command = start(settings.home, "up", "--port", port)
    wait_until(lambda: bool(answer(port)) or command.process.poll() is not None, "the UI knows the assets")
    nodes = answer(port)
    assert nodes is not None, command.said()
    assert ["exchanges"] in [node["assetKey"]["path"] for node in nodes]  # type: ignore[attr-defined]
    assert addresses(command) == {"127.0.0.1"}
    second = start(settings.home, "up", "--port", other_port).end()
    assert second.code == 2
    assert second.error == f"`llm-archive up` is already running for {settings.home}; stop that one first"
    children = psutil.Process(command.process.pid).children(recursive=True)
    assert children
    command.send(signal.SIGINT)
    assert command.end().code == 0
    assert [child for child in children if child.is_running() and child.status() != psutil.STATUS_ZOMBIE] == []
    assert answer(port) is None


def test_a_port_that_is_taken_is_one_line(archive: object, settings: Settings, start: Start):
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        taken = listener.getsockname()[1]
        ended = start(settings.home, "up", "--port", taken).end()
    assert ended.code == 2
    assert ended.error == f"port {taken} is taken; choose another one with --port"


def test_up_of_a_home_that_cannot_be_used_is_one_line(tmp_path: Path, start: Start):
    home = tmp_path / "file"
    home.write_text("in the way")
    ended = start(home, "up").end()
    assert ended.code == 2
    assert "set ARCHIVE_HOME" in ended.error
