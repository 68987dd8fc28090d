"""The Dagster instance of an archive, for commands that run Dagster in their own process."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import dagster as dg
from dagster._core.instance.ref import InstanceRef

from archive_pipeline.errors import ArchiveError, ConfigurationError
from archive_pipeline.orchestration.instance.storage import storage_of
from archive_pipeline.settings import Settings
from archive_pipeline.settings.variables import CHECKOUT
from archive_pipeline.store.home import prepare_home

CONFIGURATION: Final = "dagster.yaml"
_INSTALLED: Final = Path(__file__).resolve().parents[2] / "_dagster.yaml"

# A command's terminal is its own: Dagster must neither print there nor redirect it into files, which it does while a
# step runs. What happens in a run is in the instance's event log, and what failed is in its outcome.
COMMAND_OVERRIDES: Final[dict[str, Any]] = {
    "python_logs": {"python_log_level": "CRITICAL"},
    "compute_logs": {
        "module": "dagster._core.storage.noop_compute_log_manager",
        "class": "NoOpComputeLogManager",
    },
}


def instance_for(settings: Settings) -> dg.DagsterInstance:
    """Return the instance of the archive, which must be disposed of (it is a context manager).

    A home without a ``dagster.yaml`` gets the project's; one that is there is used as it is.

    Raises:
        ConfigurationError: the home cannot be written, or the ``dagster.yaml`` cannot be used.
    """
    ensure_configuration(settings)
    with storage_of(settings):
        return dg.DagsterInstance.from_ref(read_configuration(settings.home, COMMAND_OVERRIDES))


def read_configuration(folder: Path, overrides: Mapping[str, Any] | None = None) -> InstanceRef:
    """Return the instance that the ``dagster.yaml`` in a folder describes, if there is one.

    Raises:
        ConfigurationError: it cannot be used.
    """
    try:
        return InstanceRef.from_dir(str(folder), overrides=overrides)
    except ArchiveError:
        raise
    except Exception as error:  # Dagster checks some of what users may write, and stumbles over the rest
        reason = " ".join(str(error).split())
        raise ConfigurationError(f"{folder / CONFIGURATION} cannot be used: {reason}") from error


def ensure_configuration(settings: Settings) -> Path:
    """Return the home's ``dagster.yaml``, written if it is missing and never overwritten."""
    path = settings.home / CONFIGURATION
    if not path.exists():
        source = packaged_configuration()
        try:
            content = source.read_bytes()
        except OSError as error:  # a checkout's own home is private to who used it
            raise ConfigurationError(
                f"cannot read {source}: {error.strerror}; it is another user's, use a checkout of your own"
            ) from error
        try:
            prepare_home(settings.home)
            path.write_bytes(content)
        except OSError as error:
            raise ConfigurationError(f"cannot write {path}: {error.strerror}; set ARCHIVE_HOME") from error
    return path


def packaged_configuration() -> Path:
    """Return the project's ``dagster.yaml``: the checkout's, or the copy inside an installed wheel."""
    checkout = CHECKOUT / "dagster_home" / CONFIGURATION
    return checkout if checkout.exists() else _INSTALLED
