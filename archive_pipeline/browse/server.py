"""The server: the application behind the web guard, on the loopback interface."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

import uvicorn

from archive_pipeline.browse.app import build_app
from archive_pipeline.retrieval.search.engine import SearchEngine
from archive_pipeline.store.home import private_folder
from archive_pipeline.text.user_input import LONGEST_QUERY
from archive_pipeline.web.access_token import load_token, page_address
from archive_pipeline.web.peers import is_own_peer
from archive_pipeline.web.request_guard import RequestGuard

LOOPBACK: Final = "127.0.0.1"
_CLOSING_SECONDS: Final = 2
# A character that a form sends takes nine bytes of the address at most; one of four bytes counts twice in a browser.
_MOST_BYTES_OF_HEADERS: Final = 9 * LONGEST_QUERY + 65_536


def serve(engine: SearchEngine, port: int, when_ready: Callable[[str], None]) -> None:
    """Serve an archive until interrupted.

    Args:
        engine: searches the archive.
        port: to listen on.
        when_ready: is given the address with the token as soon as the server answers.
    """
    private_folder(engine.settings.home)  # a database elsewhere has made none
    token = load_token(engine.settings.home, port=port, service="browse")
    config = uvicorn.Config(
        RequestGuard(build_app(engine), token=token, program="llm-archive browse", is_own_peer=is_own_peer),
        host=LOOPBACK,
        port=port,
        log_level="warning",
        # The other implementation reads no address of more than 64 kB.
        http="h11",
        h11_max_incomplete_event_size=_MOST_BYTES_OF_HEADERS,
        # Addresses hold words that were searched, and the token.
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=_CLOSING_SECONDS,
    )
    with suppress(KeyboardInterrupt):
        _Server(config, lambda: when_ready(token.address(page_address(LOOPBACK, port)))).run()


class _Server(uvicorn.Server):
    """Says when it answers."""

    def __init__(self, config: uvicorn.Config, when_ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._when_ready = when_ready

    async def startup(self, sockets: Any = None) -> None:
        """Start to listen."""
        await super().startup(sockets)
        if self.started:
            self._when_ready()
