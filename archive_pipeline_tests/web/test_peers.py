"""Clients of other users: a real server and a real process of another account."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any, Final

import pytest
import uvicorn
from starlette.responses import PlainTextResponse

from archive_pipeline.web.peers import OwnPeersOnly

NOBODY: Final = "65534"
ASK: Final = """
import encodings.idna, http.client, os, sys
if len(sys.argv) > 2:  # not before it starts: another user may not be let through to where the interpreter lies
    os.setgroups([])
    os.setuid(int(sys.argv[2]))
connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=20)
connection.request("GET", "/")
print(connection.getresponse().status)
"""


@pytest.fixture
def port() -> Iterator[int]:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await PlainTextResponse("private")(scope, receive, send)

    with socket.create_server(("127.0.0.1", 0)) as listening:
        config = uvicorn.Config(OwnPeersOnly(app), log_level="error", lifespan="off")
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, args=([listening],))
        thread.start()
        while not server.started and thread.is_alive():
            time.sleep(0.01)
        yield listening.getsockname()[1]
        server.should_exit = True
        thread.join()


def status(port: int, *user: str) -> str:
    command = [sys.executable, "-I", "-c", ASK, str(port), *user]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout.strip()


def test_a_process_of_this_user_is_answered(port: int):
    assert status(port) == "200"


@pytest.mark.skipif(not sys.platform.startswith("linux") or os.getuid() != 0, reason="root alone can be another user")
def test_a_process_of_another_user_is_refused(port: int):
    assert status(port, NOBODY) == "403"
