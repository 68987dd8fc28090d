"""The time at which the nightly jobs start, as Dagster takes it."""

from __future__ import annotations

from dagster._utils.schedules import is_valid_cron_schedule

from archive_pipeline.errors import ConfigurationError
from archive_pipeline.settings import Settings


def cron_schedule(settings: Settings) -> str:
    """Return the cron expression of the settings.

    Raises:
        ConfigurationError: it is none, or a time that never comes.
    """
    if not is_valid_cron_schedule(settings.schedule):
        raise ConfigurationError(
            f"ARCHIVE_SCHEDULE={settings.schedule!r} is no time: "
            "use five fields (minute hour day month weekday), such as '0 3 * * *'"
        )
    return settings.schedule
