"""The archive of the tests of exports, and exporting from it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from archive_pipeline.export.choices import Choices
from archive_pipeline.export.run import Exported, export
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.cli.command_line import CommandLine
from archive_pipeline_tests.export.dialogues import fill

Export = Callable[..., Exported]


@pytest.fixture(scope="module")
def unchanged(module_archive: Database, settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Database:
    """The archive for the tests of a module that only read it."""
    fill(module_archive, settings, tmp_path_factory.mktemp("exports"))
    return module_archive


@pytest.fixture
def filled(database: Database, settings: Settings, tmp_path: Path) -> Database:
    """The archive for one test, which may change it."""
    fill(database, settings, tmp_path / "exports")
    return database


@pytest.fixture
def exported(request: pytest.FixtureRequest, archive: Database, settings: Settings, tmp_path: Path) -> Export:
    """Export in a format to a new folder: from the archive of the test if it has one, else from that of its module."""
    database: Database = request.getfixturevalue("filled" if "filled" in request.fixturenames else "unchanged")
    made: list[Path] = []

    def run(name: str, **choices: Any) -> Exported:
        made.append(tmp_path / f"out{len(made)}")
        return export(database, settings, name, made[-1], Choices(**choices))

    return run


@pytest.fixture
def rows(exported: Export) -> Callable[..., list[dict[str, Any]]]:
    """Return the rows of an export of lines."""

    def run(name: str, **choices: Any) -> list[dict[str, Any]]:
        found = exported(name, **choices)
        return [json.loads(line) for line in (found.path / "data.jsonl").read_text(encoding="utf-8").splitlines()]

    return run


@pytest.fixture
def llm_archive_of(settings: Settings) -> CommandLine:
    """The commands on the same archive."""
    environment = {"ARCHIVE_DATABASE_URL": "", "ARCHIVE_PARTITIONING": "", "DAGSTER_HOME": ""}
    return CommandLine(settings.home, environment)
