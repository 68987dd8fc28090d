"""`llm-archive up` that cannot start says why in one line.

What it does when it runs, and whom it lets in, is in ``test_whole``.
"""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from archive_pipeline.settings import Settings
from archive_pipeline_tests.system.conftest import Start

pytestmark = [pytest.mark.system, pytest.mark.postgres, pytest.mark.dagster]


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
