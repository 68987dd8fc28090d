"""Settings of the schedules and of housekeeping."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from archive_pipeline.errors import ConfigurationError
from archive_pipeline.orchestration.build import build_defs
from archive_pipeline.settings import Settings


def test_defaults() -> None:
    settings = Settings.from_environment({})
    assert (settings.schedule, settings.timezone, settings.event_retention_days) == ("0 3 * * *", "UTC", 90)
    assert settings.sensor_seconds == 30


def test_values_are_taken() -> None:
    settings = Settings.from_environment(
        {
            "ARCHIVE_SCHEDULE": " 30  2 * * 1-5 ",
            "ARCHIVE_TIMEZONE": "Europe/Berlin",
            "ARCHIVE_EVENT_RETENTION_DAYS": "0",
            "ARCHIVE_SENSOR_SECONDS": "600",
        }
    )
    assert (settings.schedule, settings.timezone, settings.event_retention_days) == ("30 2 * * 1-5", "Europe/Berlin", 0)
    assert settings.sensor_seconds == 600


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ARCHIVE_SCHEDULE", "at night"),
        ("ARCHIVE_SCHEDULE", "0 3 * *"),
        ("ARCHIVE_TIMEZONE", "Mars/Olympus"),
        ("ARCHIVE_TIMEZONE", "../etc/passwd"),
        ("ARCHIVE_EVENT_RETENTION_DAYS", "-1"),
        ("ARCHIVE_EVENT_RETENTION_DAYS", "90 days"),
        ("ARCHIVE_EVENT_RETENTION_DAYS", "²"),
        ("ARCHIVE_SENSOR_SECONDS", "0"),
        ("ARCHIVE_SENSOR_SECONDS", "half a minute"),
        ("ARCHIVE_SENSOR_SECONDS", "86401"),
    ],
)
def test_values_that_cannot_be_used_are_named(name: str, value: str) -> None:
    with pytest.raises(ConfigurationError, match=name):
        Settings.from_environment({name: value})


@pytest.mark.parametrize("schedule", ["a b c d e", "61 * * * *", "0 0 31 2 *", "@nonsense"])
def test_a_schedule_that_is_no_time_is_named_when_definitions_are_made(schedule: str) -> None:
    with pytest.raises(ConfigurationError, match=re.escape(f"ARCHIVE_SCHEDULE={schedule!r} is no time")):
        build_defs(settings=Settings(home=Path("/nowhere"), schedule=schedule))
