"""The instance class that ``dagster.yaml`` names: values of that file that the environment replaces.

In ``dagster.yaml`` a text can come from a variable, ``{env: NAME}``, which fails where the variable is not set; numbers
of runs, seconds and days cannot. An instance class is what Dagster has for more: every process, whoever starts it,
makes its instance of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dagster import DagsterInstance
from dagster._core.instance.ref import InstanceRef
from dagster._serdes import ConfigurableClassData

from archive_pipeline.orchestration.dagster_storage import current_settings
from archive_pipeline.settings import InstanceSettings

_TICKS = ("success", "failure", "started")


class ArchiveInstance(DagsterInstance):
    """An instance whose files are in the archive's home and whose settings follow the environment."""

    def __init__(self, *, settings: Mapping[str, Any] | None = None, **arguments: Any) -> None:
        super().__init__(settings=replaced(settings or {}, current_settings().instance), **arguments)

    @classmethod
    def config_schema(cls) -> Mapping[str, Any]:
        """``dagster.yaml`` has no fields that Dagster does not know."""
        return {}

    @classmethod
    def config_defaults(cls, _base_dir: str) -> Mapping[str, ConfigurableClassData | None]:
        """Return Dagster's defaults, with its files in the archive's home, wherever ``dagster.yaml`` is."""
        return InstanceRef.config_defaults(str(current_settings().home))


def replaced(settings: Mapping[str, Any], instance: InstanceSettings) -> dict[str, Any]:
    """Return the settings of ``dagster.yaml`` with the values that the environment gives."""
    result = dict(settings)
    for path, value in _values(instance):
        if value is not None:
            result = _with(result, path, value)
    return result


def _values(instance: InstanceSettings) -> Iterator[tuple[Sequence[str], int | None]]:
    yield ("concurrency", "runs", "max_concurrent_runs"), instance.concurrent_runs
    yield ("run_retries", "max_retries"), instance.run_retries
    yield ("run_monitoring", "start_timeout_seconds"), instance.run_start_seconds
    for kind in ("schedule", "sensor"):
        for tick in _TICKS:
            yield ("retention", kind, "purge_after_days", tick), instance.tick_retention_days


def _with(settings: Mapping[str, Any], path: Sequence[str], value: int) -> dict[str, Any]:
    name, *below = path
    inner = settings.get(name)
    if below:
        return {**settings, name: _with(inner if isinstance(inner, Mapping) else {}, below, value)}
    return {**settings, name: value}
