"""The commands on the session's embedded archive, which is empty before each test."""

from __future__ import annotations

from pathlib import Path

import pytest

from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.cli.command_line import CommandLine

SAMPLE = Path(__file__).parents[2] / "examples" / "sample_archive"


@pytest.fixture(scope="session")
def environment() -> dict[str, str]:
    """Variables of the user who runs the suite that must not reach the commands."""
    return {"ARCHIVE_DATABASE_URL": "", "ARCHIVE_PARTITIONING": "", "DAGSTER_HOME": ""}


@pytest.fixture
def llm_archive(settings: Settings, database: Database, environment: dict[str, str]) -> CommandLine:
    return CommandLine(settings.home, environment)


@pytest.fixture(scope="session")
def sample() -> Path:
    return SAMPLE
