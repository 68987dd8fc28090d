"""What is said of a port on which a command cannot listen."""

from __future__ import annotations

import errno
import os
import socket

import pytest

from archive_pipeline.cli.listening import check_port
from archive_pipeline.errors import ConfigurationError


def test_a_port_that_is_free_is_no_error_and_one_that_is_taken_is():
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with pytest.raises(ConfigurationError, match=f"port {port} is taken; choose another one with --http"):
            check_port("127.0.0.1", port, "--http")
    check_port("127.0.0.1", port)


def test_an_address_of_another_machine_is_none_of_this_one():
    with pytest.raises(ConfigurationError, match=r"192\.0\.2\.1 is no address of this machine; use another --host"):
        check_port("192.0.2.1", 0)


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (errno.EACCES, "port 80 needs rights that this user does not have; choose one from 1024 on with --port"),
        (errno.EAFNOSUPPORT, f"port 80 of ::1 cannot be listened on: {os.strerror(errno.EAFNOSUPPORT)}"),
    ],
)
@pytest.mark.parametrize("step", ["__init__", "bind"])
def test_what_the_system_refuses_is_said_as_it_is(monkeypatch: pytest.MonkeyPatch, number: int, said: str, step: str):
    def refuse(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(socket, "socket", type("Refusing", (socket.socket,), {step: refuse}))
    with pytest.raises(ConfigurationError) as raised:
        check_port("::1", 80)
    assert str(raised.value) == said
