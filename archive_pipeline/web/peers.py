"""Whose process is at the other end of a connection over the loopback interface: every user of a machine can open one.

The kernel says so in a table of its connections. Other systems than Linux have no such table that everybody can read.
"""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterator, MutableMapping
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

NO_OWN_PEER: Final = "the client is no process of the user who started this server"
_TABLES: Final = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
_ROOT: Final = 0
# The kernel shows what is left of a closed connection as root's, without a file.
_NO_FILE: Final = "0"
_MAPPED: Final = "::ffff:"


class OwnPeersOnly:
    """An ASGI layer that answers processes of this user, as far as the system can say whose they are."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] == "http" and not is_own_peer(scope):
            refusal = PlainTextResponse(f"refused: {NO_OWN_PEER}\n", HTTPStatus.FORBIDDEN)
            await refusal(scope, receive, send)
            return
        await self._app(scope, receive, send)


def is_own_peer(scope: MutableMapping[str, Any]) -> bool:
    """Tell whether a request comes from a process of this user or of root, as far as the system can say."""
    client, server = scope.get("client"), scope.get("server")
    if not sys.platform.startswith("linux"):
        return True
    if client is None or server is None:
        return False
    # A client may have an IPv6 socket that speaks IPv4.
    wanted = {(_kernel_form(client, prefix), _kernel_form(server, prefix)) for prefix in ("", _MAPPED)}
    return any(user in {os.getuid(), _ROOT} for ends, user in _connections() if ends in wanted)


def _connections() -> Iterator[tuple[tuple[str, str], int]]:
    """Yield both ends of every connection with a process at it, and the user of the process at the first end."""
    for table in _TABLES:
        if table.exists():
            for line in table.read_text(encoding="ascii").splitlines()[1:]:
                fields = line.split()
                if fields[9] != _NO_FILE:
                    yield (fields[1], fields[2]), int(fields[7])


def _kernel_form(end: tuple[str, int], prefix: str) -> str:
    """Return an end of a connection as the table has it: words of four bytes in the machine's order."""
    host, port = end
    address = host if ":" in host else prefix + host
    packed = socket.inet_pton(socket.AF_INET6 if ":" in address else socket.AF_INET, address)
    words = [int.from_bytes(packed[at : at + 4], sys.byteorder) for at in range(0, len(packed), 4)]
    return "".join(f"{word:08X}" for word in words) + f":{port:04X}"
