"""Checks before a command listens on a port."""

from __future__ import annotations

import errno
import socket

from archive_pipeline.errors import ConfigurationError


def check_port(host: str, port: int, option: str = "--port") -> None:
    """Raise ``ConfigurationError`` where a web server would end with a traceback; ``option`` chooses the port."""
    try:
        with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, port))
    except OSError as error:
        raise ConfigurationError(_obstacle(error, host, port, option)) from error


def _obstacle(error: OSError, host: str, port: int, option: str) -> str:
    if error.errno == errno.EADDRNOTAVAIL:
        return f"{host} is no address of this machine; use another --host"
    if error.errno == errno.EADDRINUSE:
        return f"port {port} is taken; choose another one with {option}"
    if error.errno == errno.EACCES:
        return f"port {port} needs rights that this user does not have; choose one from 1024 on with {option}"
    return f"port {port} of {host} cannot be listened on: {error.strerror}"
