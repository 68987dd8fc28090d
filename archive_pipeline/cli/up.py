"""``llm-archive up``: Dagster's UI and daemon over the archive."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from archive_pipeline.cli import outdated
from archive_pipeline.cli.archive import open_archive
from archive_pipeline.cli.dagster_dev import keep_running
from archive_pipeline.cli.listening import check_port
from archive_pipeline.cli.output import note
from archive_pipeline.errors import ConfigurationError
from archive_pipeline.program import command
from archive_pipeline.readers.registry import reader_versions
from archive_pipeline.settings import Settings
from archive_pipeline.store.home import prepare_home
from archive_pipeline.store.outdated_readings import outdated_readings
from archive_pipeline.web.access_token import page_address


def run(host: str, port: int, names: Sequence[str], *, has_token: bool) -> int:
    """Start the services and wait for their end; return the exit code.

    Args:
        host: the address to listen on.
        port: the port to listen on.
        names: names that browsers may use besides localhost.
        has_token: whether requests need the token.
    """
    check_port(host, port)
    options = [f"--host={host}", f"--port={port}", *(f"--allow-host={name}" for name in names)]
    if has_token:
        options.append("--token")
    with open_archive() as archive:  # held open: the embedded server stays up at least as long as this command
        from archive_pipeline.orchestration.instance.cron import cron_schedule  # noqa: PLC0415 (slow to import)
        from archive_pipeline.orchestration.instance.opening import (  # noqa: PLC0415
            ensure_configuration,
            read_configuration,
        )

        # What is wrong with these the services would say at length, or when all seems to run.
        cron_schedule(archive.settings)
        prepare_home(archive.settings.home)
        read_configuration(_dagster_home(archive.settings))
        with _only_up(archive.settings) as lock:
            ensure_configuration(archive.settings)
            with archive.database.session() as connection:
                outdated.print_notes(outdated_readings(connection, reader_versions()))
            note(f"starting Dagster's UI at {page_address(host, port)}, which takes some seconds; Ctrl-C stops it")
            return keep_running(lambda: _start(archive.settings, options, lock))


@contextmanager
def _only_up(settings: Settings) -> Iterator[int]:
    """Hold the home's lock and yield its descriptor: two daemons would start every scheduled run twice.

    Whoever inherits the descriptor holds the lock too: the services do, to their end, also if this process is killed.
    """
    path = settings.home / "up.lock"
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise ConfigurationError(f"cannot open {path}: {error.strerror}") from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield descriptor
    except BlockingIOError:
        raise ConfigurationError(
            f"`llm-archive up` is already running for {settings.home}; stop that one first"
        ) from None
    finally:
        os.close(descriptor)


def _start(settings: Settings, options: Sequence[str], lock: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # noqa: S603 (the command is this interpreter and checked arguments)
        command("archive_pipeline.orchestration.instance.services", *options),
        env=_environment(settings),
        cwd=settings.home,
        start_new_session=True,
        pass_fds=[lock],
    )


def _environment(settings: Settings) -> dict[str, str]:
    own = {
        "ARCHIVE_HOME": str(settings.home),
        "DAGSTER_HOME": str(_dagster_home(settings)),
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]),
    }
    return {**os.environ, **own}


def _dagster_home(settings: Settings) -> Path:
    """Return the folder of the ``dagster.yaml``: the home, unless the user names another one."""
    given = os.environ.get("DAGSTER_HOME")
    if not given:
        return settings.home
    if not (Path(given).is_absolute() and Path(given).is_dir()):
        raise ConfigurationError(f"DAGSTER_HOME={given!r}: name a folder that is there, by its whole path")
    return Path(given)
