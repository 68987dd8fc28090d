"""Dagster's web server behind the guard: the only place that makes it listen.

``llm-archive up`` runs this module, and so does the command `dagster-webserver` of the image.

Private parts of dagster-webserver are imported here and nowhere else. What listens is the guard, so a change of theirs
that this module does not know of makes the server fail and never leaves it open.
"""

from __future__ import annotations

import asyncio
import os
import re
import signal
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from http import HTTPStatus
from ipaddress import ip_address
from pathlib import Path
from typing import Any, Final

import click
import dagster as dg
import uvicorn
from dagster._core.workspace.context import WorkspaceProcessContext
from dagster._core.workspace.load_target import WorkspaceFileTarget
from dagster._utils.interrupts import setup_interrupt_handlers
from dagster_webserver.app import create_app_from_workspace_process_context
from dagster_webserver.version import __version__
from starlette.responses import PlainTextResponse

from archive_pipeline.errors import ArchiveError
from archive_pipeline.orchestration.instance.archive_instance import guarded_web_server
from archive_pipeline.orchestration.instance.lost_database_log import filter_logs
from archive_pipeline.settings import Settings
from archive_pipeline.store.home import private_folder
from archive_pipeline.web.access_token import AccessToken, load_token, page_address
from archive_pipeline.web.peers import is_own_peer
from archive_pipeline.web.request_guard import App, Receive, RequestGuard, Scope, Send

POLL_MILLISECONDS: Final = 2_000
STATEMENT_MILLISECONDS: Final = 15_000
POOL_RECYCLE_SECONDS: Final = 3_600
POOL_OVERFLOW: Final = 20
# Open pages hold connections for ever.
CLOSING_SECONDS: Final = 2
# Where Dagster takes the rest of the path for a log's key and kind, and fails if it is none.
_LOGS: Final = "/logs/"
_LOG: Final = re.compile(r"(?:(?!\.{1,2}/)[^/\0]+/)+[^/\0]+")


@click.command()
@click.option("--host", "-h", required=True, help="Address to listen on.")
@click.option("--port", "-p", required=True, type=int)
@click.option(
    "--allow-host",
    "names",
    multiple=True,
    envvar="ARCHIVE_ALLOW_HOST",
    show_envvar=True,
    help="A further name that the server is reached by.",
)
@click.option("--token", "has_token", is_flag=True, help="Ask every client for the token.")
@click.option("--workspace", "-w", required=True, type=click.Path(path_type=Path), help="The workspace file.")
def serve(host: str, port: int, names: tuple[str, ...], workspace: Path, *, has_token: bool) -> None:
    """Serve Dagster's UI until interrupted."""
    filter_logs()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background has it ignored
    setup_interrupt_handlers()
    os.umask(0o077)
    settings = Settings.from_environment()
    token = _token(settings, port) if has_token else None
    # A token that was given is known, and what a server prints is kept in places that others read.
    shown = None if settings.ui_token is not None else token
    with guarded_web_server(), dg.DagsterInstance.get() as instance:
        instance.optimize_for_webserver(STATEMENT_MILLISECONDS, POOL_RECYCLE_SECONDS, POOL_OVERFLOW)
        target = WorkspaceFileTarget([str(workspace)])
        with WorkspaceProcessContext(instance, target, version=__version__) as workspace_context:
            app: Any = create_app_from_workspace_process_context(
                workspace_context, live_data_poll_rate=POLL_MILLISECONDS, lifespan=_lifespan
            )
            guard = RequestGuard(
                without_other_logs(app), names=names, token=token, is_own_peer=peer_check(token, [host, *names])
            )
            _serve(guard, host, port, shown)


def without_other_logs(app: App) -> App:
    """Return Dagster's web server, by which addresses below that of logs are not found if they are of no log."""
    no_log = PlainTextResponse("there is no such log\n", HTTPStatus.NOT_FOUND)

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "")
        is_other = path.startswith(_LOGS) and not _LOG.fullmatch(path, len(_LOGS))
        await (no_log if is_other else app)(scope, receive, send)

    return answer


def peer_check(token: AccessToken | None, names: Sequence[str]) -> Callable[[Scope], bool]:
    """Return what tells whether a client is this user's.

    All are who have the token, where the server goes by a name by which another machine or a proxy may be the client.
    """
    return is_own_peer if token is None or all(map(_is_loopback, names)) else lambda _scope: True


def _is_loopback(name: str) -> bool:
    try:
        return ip_address(name.strip("[]")).is_loopback
    except ValueError:
        return name == "localhost"


def _token(settings: Settings, port: int) -> AccessToken:
    if settings.ui_token is None:
        private_folder(settings.home)
        return load_token(settings.home, port=port)
    return AccessToken(settings.ui_token.get_secret_value(), port=port)


@asynccontextmanager
async def _lifespan(_app: Any) -> AsyncIterator[None]:
    with suppress(asyncio.CancelledError):  # how uvicorn ends it when this process is interrupted
        yield


def _serve(guard: RequestGuard, host: str, port: int, token: AccessToken | None) -> None:
    config = uvicorn.Config(
        guard,
        host=host,
        port=port,
        log_level="warning",
        # Addresses hold titles and the token.
        access_log=False,
        server_header=False,
        # Who the client is decides about access; no header may say so.
        proxy_headers=False,
        timeout_graceful_shutdown=CLOSING_SECONDS,
    )
    address = page_address(host, port)
    with suppress(KeyboardInterrupt):
        _Server(config, address if token is None else token.address(address)).run()


class _Server(uvicorn.Server):
    """Says when it answers."""

    def __init__(self, config: uvicorn.Config, address: str) -> None:
        super().__init__(config)
        self._address = address

    async def startup(self, sockets: Any = None) -> None:
        """Start to listen."""
        await super().startup(sockets)
        if self.started:
            click.echo(f"Dagster's UI is ready at {self._address}", err=True)


def main() -> None:
    """Serve with the arguments of this process; a refusal is one line."""
    try:
        serve(standalone_mode=False)
    except (ArchiveError, click.ClickException) as error:
        sys.exit(str(error))
