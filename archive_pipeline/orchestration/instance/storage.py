"""The storage that ``dagster.yaml`` names: Dagster's tables in the schema ``dagster`` of the archive's own database.

Every Dagster process (web server, daemon, code server, run worker) makes it anew from ``dagster.yaml``, so plain
``dagster dev`` finds the archive, starts the embedded server if needed and creates the schema, with no other setting.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final

import click
from dagster._config import UserConfigSchema
from dagster._core.storage.base_storage import DagsterStorage
from dagster._core.storage.event_log import EventLogStorage
from dagster._core.storage.runs import RunStorage
from dagster._core.storage.schedules import ScheduleStorage
from dagster._serdes import ConfigurableClass, ConfigurableClassData

from archive_pipeline.errors import ConfigurationError
from archive_pipeline.orchestration.instance.event_log_storage import PooledEventLogStorage, PooledScheduleStorage
from archive_pipeline.orchestration.instance.pooled_engine import pooled_engine
from archive_pipeline.orchestration.instance.run_storage import PooledRunStorage
from archive_pipeline.settings import Settings
from archive_pipeline.store import locks
from archive_pipeline.store.database import Database
from archive_pipeline.store.home import mend_home, private_umask
from archive_pipeline.store.migrate import migrate
from archive_pipeline.store.server.embedded import restart_when_gone

EVENT_BATCH_SIZE: Final = "1000"

_settings: ContextVar[Settings | None] = ContextVar("settings_of_storage", default=None)


class UnusableSettingsError(ConfigurationError, click.ClickException):
    """What Dagster's programs, which are made with click, end with as a line instead of a traceback."""


class ArchiveDagsterStorage(DagsterStorage[Any], ConfigurableClass):
    """Dagster's runs, events and schedules in a database of the archive."""

    def __init__(self, settings: Settings, inst_data: ConfigurableClassData | None = None) -> None:
        self._inst_data = inst_data
        database = Database.open(settings)
        try:
            self._open(database, settings)
        finally:
            database.engine.dispose()  # the storages have an engine of their own
        super().__init__()  # type: ignore[no-untyped-call]

    def _open(self, database: Database, settings: Settings) -> None:
        migrate(database)
        engine = pooled_engine(database.dagster_url)
        if settings.database_url is None:
            restart_when_gone(engine, settings.postgres_folder)
        with database.engine.begin() as connection:
            locks.hold_in_transaction(connection, locks.DAGSTER_TABLES)
            self._run_storage = PooledRunStorage(engine)
            self._event_log_storage = PooledEventLogStorage(engine)
            self._schedule_storage = PooledScheduleStorage(engine)

    @classmethod
    def config_type(cls) -> UserConfigSchema:
        """There is nothing to configure here: the environment says where the archive is."""
        return {}

    @classmethod
    def from_config_value(
        cls, inst_data: ConfigurableClassData | None, config_value: Mapping[str, Any]
    ) -> ArchiveDagsterStorage:
        """Open the archive's database, bring it to this code's schema and return the storage."""
        del config_value
        settings = current_settings()
        # All processes of Dagster come by here before they write files: logs of steps, histories of its own.
        private_umask()
        mend_home(settings.home)
        # Dagster reads it whenever it writes an event. Without it events of a range are written one by one.
        os.environ.setdefault("DAGSTER_EVENT_BATCH_SIZE", EVENT_BATCH_SIZE)
        # Without it a turn of the daemon over a backfill ends the backfill as failed while the code cannot be loaded.
        os.environ.setdefault("DAGSTER_BACKFILL_RETRY_DEFINITION_CHANGED_ERROR", "1")
        return cls(settings, inst_data)

    @property
    def inst_data(self) -> ConfigurableClassData | None:
        """What ``dagster.yaml`` said, from which other processes make the same storage."""
        return self._inst_data

    @property
    def event_log_storage(self) -> EventLogStorage[Any]:
        """Events, asset keys and partition keys."""
        return self._event_log_storage

    @property
    def run_storage(self) -> RunStorage[Any]:
        """Runs and backfills."""
        return self._run_storage

    @property
    def schedule_storage(self) -> ScheduleStorage[Any]:
        """States and ticks of schedules and sensors."""
        return self._schedule_storage


def current_settings() -> Settings:
    """Return the settings of the archive whose instance is being made.

    Raises:
        UnusableSettingsError: the environment has none that are usable.
    """
    try:
        return _settings.get() or Settings.from_environment()
    except ConfigurationError as error:
        raise UnusableSettingsError(str(error)) from error


@contextmanager
def storage_of(settings: Settings) -> Iterator[None]:
    """Instances and storages made inside are those of the given settings instead of the environment's."""
    token = _settings.set(settings)
    try:
        yield
    finally:
        _settings.reset(token)
