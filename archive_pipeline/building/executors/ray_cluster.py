"""A connection to Ray: to the cluster that ``RAY_ADDRESS`` names, or to one of this process alone.

One of its own listens on the loopback interface only, takes no request without its token, sends no statistics, and
keeps its files in a private folder; all of it ends with this process. A given cluster is as its owners run it.
"""

from __future__ import annotations

import atexit
import os
import re
import secrets
import shutil
import socket
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import psutil

from archive_pipeline.domain.optional import import_optional
from archive_pipeline.domain.reasons import first_line
from archive_pipeline.errors import ExecutorError
from archive_pipeline.store.server.socket import is_private

# Ray's least. Tasks carry references to dialogues and results are counts.
_OBJECT_STORE_BYTES: Final = 80_000_000
_PREFIX: Final = "archive-ray-"
_TOKEN_BYTES: Final = 32
# Ray names a socket so, below the folder. The address of one holds 103 bytes on any system.
_LONGEST_FOLDER: Final = 103 - len("/session_2026-01-31_12-00-00_123456_1234567/sockets/plasma_store")
_SECONDS_TO_START: Final = 120
_SECONDS_TO_ANSWER: Final = 10
_HOST_AND_PORT: Final = re.compile(r"(?:ray://)?\[?(?P<host>[^/\[\]]+)\]?:(?P<port>[0-9]+)")
# Calls that find no connection do not start a cluster, which would be open to others; no statistics are sent.
_OURS_ALONE: Final = {"RAY_ENABLE_AUTO_CONNECT": "0", "RAY_USAGE_STATS_ENABLED": "0"}


@dataclass(frozen=True)
class Cluster:
    """Where tasks run.

    Attributes:
        ray: the module.
        is_own: whether it was started for this process, on this machine.
    """

    ray: Any
    is_own: bool

    @property
    def processors(self) -> int:
        """How many tasks of one processor it runs at once now; at least 1, since machines may still join."""
        return max(1, int(self.ray.cluster_resources().get("CPU", 0)))

    @property
    def machines(self) -> int:
        """How many machines it has now."""
        return len({node["NodeManagerAddress"] for node in self.ray.nodes() if node["Alive"]})


@contextmanager
def connected(workers: int) -> Iterator[Cluster]:
    """Connect to a cluster for the block, or start one.

    Args:
        workers: processors of a cluster of one's own.

    Raises:
        MissingExtraError: Ray is not installed.
        ExecutorError: the cluster cannot be reached or started.
    """
    address = os.environ.get("RAY_ADDRESS")
    if address:
        _check_answers(address)
        with _environment(_OURS_ALONE):
            ray = _import_ray()
            with _initialised(ray, {}):
                yield Cluster(ray, is_own=False)
    else:
        folder = _own_folder()
        with _environment(_closed_to_others(folder / "token")):
            ray = _import_ray()
            own = {
                "address": "local",
                "num_cpus": workers,
                "include_dashboard": False,
                "object_store_memory": _OBJECT_STORE_BYTES,
                "_temp_dir": str(folder / "s"),  # Ray opens the folder itself to everybody
            }
            with _initialised(ray, own):
                yield Cluster(ray, is_own=True)


def _check_answers(address: str) -> None:
    """Raise ``ExecutorError`` if nothing answers at a cluster's address: Ray would try for many minutes."""
    found = _HOST_AND_PORT.fullmatch(address)
    if found is None:
        return
    try:
        socket.create_connection((found["host"], int(found["port"])), _SECONDS_TO_ANSWER).close()
    except (OSError, OverflowError) as error:
        raise ExecutorError(f"no Ray cluster answers at {address} (RAY_ADDRESS): {first_line(error)}") from error


def _import_ray() -> Any:
    return import_optional("ray", extra="ray", purpose="ARCHIVE_EXECUTOR=ray")


@contextmanager
def _initialised(ray: Any, options: Mapping[str, Any]) -> Iterator[None]:
    """Initialise Ray for the block."""
    try:
        ray.init(log_to_driver=False, configure_logging=False, **options)
    except Exception as error:  # Ray has no class of its own for what keeps it from starting
        raise ExecutorError(f"Ray cannot be used: {first_line(error)}") from error
    try:
        yield
    finally:
        ray.shutdown()


def _closed_to_others(token: Path) -> dict[str, str]:
    """Return the environment of a cluster that nobody else can use."""
    return {
        **_OURS_ALONE,
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN_PATH": str(token),
        # Ray's own switch for one machine, on any system: its address is that of the loopback interface then.
        "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
        # Its first process has 20 seconds otherwise, too few on a machine that is busy.
        "RAY_gcs_server_port_wait_time_s": str(_SECONDS_TO_START),
        "RAY_NUM_REDIS_GET_RETRIES": str(_SECONDS_TO_START),
    }


@contextmanager
def _environment(values: Mapping[str, str]) -> Iterator[None]:
    """Set variables of the environment, which Ray reads when it is imported and when it starts processes."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _own_folder() -> Path:
    """Return the folder of this process's clusters.

    Raises:
        ExecutorError: Ray was imported before; it has read by then whom to listen to.
    """
    if "ray" in sys.modules and not _private_folder.cache_info().currsize:
        raise ExecutorError(
            "this process imported Ray before, which would let others reach the build: start the build in a process of "
            "its own, or set RAY_ADDRESS to a cluster"
        )
    return _private_folder(os.getpid())


@cache
def _private_folder(process: int) -> Path:
    """Make a folder that only this user can enter, for a process and its clusters: Ray reads a token once."""
    parent = _parent()
    _remove_abandoned(parent)
    folder = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{process}-", dir=parent))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    token = folder / "token"
    token.touch(mode=0o600)
    token.write_text(secrets.token_hex(_TOKEN_BYTES), encoding="ascii")
    return folder


def _parent() -> Path:
    longest_name = len(f"/{_PREFIX}{2**22}-12345678/s")
    given = Path(tempfile.gettempdir())
    return given if len(os.fsencode(given)) + longest_name <= _LONGEST_FOLDER else Path("/tmp")  # noqa: S108 (mkdtemp)


def _remove_abandoned(parent: Path) -> None:
    """Remove this user's folders of processes that were killed."""
    for folder in parent.glob(f"{_PREFIX}*"):
        process = folder.name.removeprefix(_PREFIX).split("-")[0]
        if process.isdigit() and is_private(folder) and not psutil.pid_exists(int(process)):
            shutil.rmtree(folder, ignore_errors=True)
