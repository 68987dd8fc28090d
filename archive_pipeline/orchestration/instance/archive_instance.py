"""The instance class that ``dagster.yaml`` names: values of that file that the environment replaces.

In ``dagster.yaml`` a text can come from a variable, ``{env: NAME}``, which fails where the variable is not set; numbers
of runs, seconds and days cannot. An instance class is what Dagster has for more: every process, whoever starts it,
makes its instance of it.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, Final

from dagster import DagsterInstance
from dagster._core.instance.ref import InstanceRef
from dagster._core.run_coordinator import QueuedRunCoordinator
from dagster._serdes import ConfigurableClassData

from archive_pipeline.orchestration.instance.storage import current_settings
from archive_pipeline.settings import Settings

UNGUARDED: Final = (
    "This web server does what any web page asks for that is open in a browser on this machine. "
    "`llm-archive up` runs the same one behind a guard."
)
PATIENT_QUEUE: Final = {"max_user_code_failure_retries": 60, "user_code_failure_retry_delay": 10}
_TICKS = ("success", "failure", "started")
_is_guarded: ContextVar[bool] = ContextVar("is_guarded", default=False)


class ArchiveInstance(DagsterInstance):
    """An instance whose files are in the archive's home and whose settings follow the environment."""

    def __init__(self, *, settings: Mapping[str, Any] | None = None, **arguments: Any) -> None:
        own = current_settings()
        ref: InstanceRef | None = arguments.get("ref")
        if ref is not None:
            ref = with_patient_queue(at_home(ref, own.home))
            arguments |= {"ref": ref, "local_artifact_storage": ref.local_artifact_storage}
        super().__init__(settings=replaced(settings or {}, own), **arguments)

    @classmethod
    def config_schema(cls) -> Mapping[str, Any]:
        """``dagster.yaml`` has no fields that Dagster does not know."""
        return {}

    @classmethod
    def config_defaults(cls, _base_dir: str) -> Mapping[str, ConfigurableClassData | None]:
        """Return Dagster's defaults, with its files in the archive's home, wherever ``dagster.yaml`` is."""
        return InstanceRef.config_defaults(str(current_settings().home))

    def optimize_for_webserver(self, statement_timeout: int, pool_recycle: int, max_overflow: int) -> None:
        """Do what Dagster does when a web server starts, and say so if it is one without the guard."""
        if not _is_guarded.get():
            logging.getLogger("dagster").warning(UNGUARDED)
        super().optimize_for_webserver(statement_timeout, pool_recycle, max_overflow)


@contextmanager
def guarded_web_server() -> Iterator[None]:
    """A web server that is started inside is behind the guard."""
    token = _is_guarded.set(True)
    try:
        yield
    finally:
        _is_guarded.reset(token)


def at_home(ref: InstanceRef, home: Path) -> InstanceRef:
    """Return the reference with Dagster's files in this home where they are in another one.

    A run worker gets the reference of whoever launched it, whose home may be a folder of another machine. What
    ``dagster.yaml`` configures, such as a compute log manager in object storage, stays.
    """
    there = InstanceRef.config_defaults(ref.local_artifact_storage.base_dir)
    here = InstanceRef.config_defaults(str(home))

    def moved(data: ConfigurableClassData, name: str) -> ConfigurableClassData:
        own = here[name]
        return own if own is not None and data == there[name] else data

    return ref._replace(
        local_artifact_storage_data=moved(ref.local_artifact_storage_data, "local_artifact_storage"),
        compute_logs_data=moved(ref.compute_logs_data, "compute_logs"),
    )


def with_patient_queue(ref: InstanceRef) -> InstanceRef:
    """Return the reference with a queue that waits for the process with the code, where the file does not say.

    A file of an earlier version does not. Dagster itself fails every queued run while that process is started anew.
    """
    data = ref.run_coordinator_data
    if data is None or data.class_name != QueuedRunCoordinator.__name__:
        return ref
    config = json.dumps({**PATIENT_QUEUE, **data.config_dict})  # JSON is YAML
    return ref._replace(run_coordinator_data=data._replace(config_yaml=config))


def replaced(settings: Mapping[str, Any], environment: Settings) -> dict[str, Any]:
    """Return the settings of ``dagster.yaml`` with the values that the environment gives."""
    result = dict(settings)
    for path, value in _values(environment):
        if value is not None:
            result = _with(result, path, value)
    return result


def _values(environment: Settings) -> Iterator[tuple[Sequence[str], int | None]]:
    yield ("concurrency", "runs", "max_concurrent_runs"), environment.concurrent_runs
    yield ("run_retries", "max_retries"), environment.run_retries
    yield ("run_monitoring", "start_timeout_seconds"), environment.run_start_seconds
    for kind in ("schedule", "sensor"):
        for tick in _TICKS:
            yield ("retention", kind, "purge_after_days", tick), environment.tick_retention_days


def _with(settings: Mapping[str, Any], path: Sequence[str], value: int) -> dict[str, Any]:
    name, *below = path
    inner = settings.get(name)
    if below:
        return {**settings, name: _with(inner if isinstance(inner, Mapping) else {}, below, value)}
    return {**settings, name: value}
