"""``llm-archive up``: Dagster's UI and daemon over the archive."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click
import fasteners

from archive_pipeline.cli.archive import open_archive
from archive_pipeline.cli.dagster_dev import keep_running
from archive_pipeline.cli.output import note
from archive_pipeline.errors import ConfigurationError
from archive_pipeline.settings import CHECKOUT, Settings


@click.command()
@click.option(
    "--port",
    type=click.IntRange(1, 65535),
    default=3000,
    show_default=True,
    help="Port of the UI, on the loopback interface only.",
)
def up(port: int) -> int:
    """Start Dagster's UI and daemon; Ctrl-C stops everything that was started."""
    _check_port(port)
    with open_archive() as archive:  # held open: the embedded server stays up at least as long as this command
        from archive_pipeline.orchestration.instance import ensure_configuration  # noqa: PLC0415 (slow to import)

        with _only_up(archive.settings):
            ensure_configuration(archive.settings)
            note(f"Dagster's UI will be at http://127.0.0.1:{port} in a few seconds; Ctrl-C stops it")
            return keep_running(lambda: _start(archive.settings, port))


@contextmanager
def _only_up(settings: Settings) -> Iterator[None]:
    """Hold the home's lock: two daemons would start every scheduled run twice."""
    lock = fasteners.InterProcessLock(str(settings.home / "up.lock"))
    if not lock.acquire(blocking=False):
        raise ConfigurationError(f"`llm-archive up` is already running for {settings.home}; stop that one first")
    try:
        yield
    finally:
        lock.release()


def _start(settings: Settings, port: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # noqa: S603 (the command is this interpreter and fixed arguments)
        [
            *(sys.executable, "-m", "dagster", "dev", "--host", "127.0.0.1", "--port", str(port)),
            # At the level info the daemon writes every key of a backfill to the terminal, once a minute or more.
            *("--log-level", "warning"),
            *_code_location(),
        ],
        env=_environment(settings),
        cwd=settings.home,
        start_new_session=True,
    )


def _check_port(port: int) -> None:
    # Dagster would take another port without a word that is seen, or end with a traceback.
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            raise ConfigurationError(f"port {port} is taken; choose another one with --port") from error


def _code_location() -> list[str]:
    workspace = CHECKOUT / "workspace.yaml"
    if workspace.exists():
        return ["--workspace", str(workspace)]
    return ["--module-name", "archive_pipeline.definitions"]


def _environment(settings: Settings) -> dict[str, str]:
    own = {
        "ARCHIVE_HOME": str(settings.home),
        "DAGSTER_HOME": os.environ.get("DAGSTER_HOME") or str(settings.home),
        # `dagster dev` recommends another tool at every start, which a user can do nothing about.
        "PYTHONWARNINGS": "ignore::FutureWarning",
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]),
    }
    return {**os.environ, **own}
