"""What ``llm-archive up`` runs: a code server, the daemon, and the guarded web server, all on one workspace.

It does what `dagster dev` does, which has no place for another web server. If web server, daemon or `up` end, it stops
the rest and ends; a code server that ends is replaced. The code server listens on a socket file.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import click
import dagster as dg
from dagster._cli.proxy_server_manager import ProxyServerManager
from dagster._core.workspace.load_target import ModuleTarget, WorkspaceFileTarget, WorkspaceLoadTarget
from dagster._utils.interrupts import setup_interrupt_handlers

from archive_pipeline.orchestration.instance.execution import CODE_LOCATION
from archive_pipeline.orchestration.instance.lost_database_log import filter_logs
from archive_pipeline.program import command
from archive_pipeline.settings.variables import CHECKOUT

WATCH_SECONDS: Final = 1.0
# `up` has less patience, and ends what is left.
STOP_SECONDS: Final = 60.0
# At the level info the daemon writes every key of a backfill to the terminal, once a minute or more.
LOG_LEVEL: Final = "warning"
_DEFINITIONS: Final = "archive_pipeline.definitions"
_DAEMON: Final = "archive_pipeline.orchestration.instance.daemon"
_WEB_SERVER: Final = "archive_pipeline.orchestration.instance.web_server"

Process = subprocess.Popen[bytes]


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("web_server_options", nargs=-1, type=click.UNPROCESSED)
def run(web_server_options: Sequence[str]) -> None:
    """Run all of them until interrupted; the options are the web server's."""
    up = os.getppid()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background has it ignored
    setup_interrupt_handlers()
    # Whoever can write to a code server's socket file has it run code.
    os.umask(0o077)
    filter_logs()
    with dg.DagsterInstance.get() as instance, _code_server(instance) as workspace:
        processes = [
            _start(_WEB_SERVER, *web_server_options, "--workspace", str(workspace)),
            _start(_DAEMON, "run", "--log-level", LOG_LEVEL, "--workspace", str(workspace)),
        ]
        try:
            ended = _first_ended(processes, up)
        except KeyboardInterrupt:
            ended = None
        finally:
            _stop(processes)
    if ended is not None:
        sys.exit(ended.returncode or 1)


@contextmanager
def _code_server(instance: dg.DagsterInstance) -> Iterator[Path]:
    """Run the code server, and yield a workspace file that names its socket."""
    with (
        ProxyServerManager(instance, _code_location(), code_server_log_level=LOG_LEVEL) as server,
        tempfile.TemporaryDirectory() as folder,
    ):
        workspace = Path(folder) / "workspace.yaml"  # JSON is YAML
        workspace.write_text(json.dumps({"load_from": list(server.get_code_server_specs())}), encoding="utf-8")
        yield workspace


def _code_location() -> WorkspaceLoadTarget:
    workspace = CHECKOUT / "workspace.yaml"
    if workspace.exists():
        return WorkspaceFileTarget([str(workspace)])
    return ModuleTarget(_DEFINITIONS, attribute=None, working_directory=None, location_name=CODE_LOCATION)


def _start(module: str, *arguments: str) -> Process:
    return subprocess.Popen(command(module, *arguments))  # noqa: S603 (this interpreter, own arguments)


def _first_ended(processes: Sequence[Process], up: int) -> Process | None:
    """Return the first process that has ended; None when `up` has, which was killed."""
    while os.getppid() == up:
        for process in processes:
            if process.poll() is not None:
                return process
        time.sleep(WATCH_SECONDS)
    return None


def _stop(processes: Sequence[Process]) -> None:
    for process in processes:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
    deadline = time.monotonic() + STOP_SECONDS
    for process in processes:
        try:
            process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            process.kill()


def main() -> None:
    """Run them with the arguments of this process."""
    try:
        run(standalone_mode=False)
    except (KeyboardInterrupt, click.Abort):  # told a second time to stop: `up` ends what is left
        sys.exit(1)
