"""Checks before a command listens on a port."""

from __future__ import annotations

import errno
import socket

from archive_pipeline.errors import ConfigurationError


def check_port(host: str, port: int, option: str = "--port") -> None:
    """Raise ``ConfigurationError`` where a web server would end with a traceback; ``option`` chooses the port."""
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            if error.errno == errno.EADDRNOTAVAIL:
                raise ConfigurationError(f"{host} is no address of this machine; use another --host") from error
            raise ConfigurationError(f"port {port} is taken; choose another one with {option}") from error
