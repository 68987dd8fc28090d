"""Days and times are those of UTC in every command, whatever time zone the role or the environment has."""

from __future__ import annotations

import re
from pathlib import Path

import psycopg
import pytest
from psycopg import sql
from sqlalchemy.engine import make_url

from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.cli.command_line import CommandLine
from archive_pipeline_tests.exports import chain, chatgpt, load

pytestmark = pytest.mark.postgres

NEW_YEAR = 1_704_067_201.0  # 2024-01-01 00:00:01 UTC; it is still 2023 in America


def of_new_year(database: Database, settings: Settings, folder: Path) -> None:
    """Fill an archive with what is of the first second of a year."""
    said = chain("Rye bread", "With starter", start=NEW_YEAR)
    load(database, folder / "c.json", chatgpt("c", said, updated=NEW_YEAR, create_time=NEW_YEAR))
    build_stale(database, settings)
    with database.session() as connection:
        connection.execute(
            "UPDATE raw.imports SET finished_at = '2024-01-01T00:00:01Z', acknowledged_at = '2024-01-01T00:00:02Z'"
        )


def assert_times_are_those_of_utc(west: CommandLine) -> None:
    assert west("list", "--since", "2024-01-01").out.startswith("2024-01-01")
    assert west("show", "chatgpt-c").out.splitlines()[1].startswith("chatgpt · 2024-01-01 00:00")
    assert "2024-01-01" in west("search", "rye bread", "--mode", "lexical", "--since", "2024-01-01").out
    assert west("list", "--json").json[0]["updated_at"] == "2024-01-01T00:00:01+00:00"
    shown = west("stats").out
    assert "last import 2024-01-01 00:00 UTC, acknowledged 2024-01-01 00:00 UTC\n" in shown
    spans = re.findall(r"\d{4}-\d\d-\d\d", shown.split("last import")[0])
    assert set(spans) == {"2024-01-01"}


def test_somebody_whose_environment_is_in_america_reads_times_of_utc(
    llm_archive: CommandLine, database: Database, settings: Settings, tmp_path: Path
):
    of_new_year(database, settings, tmp_path)
    variables = {**llm_archive.environment, "PGTZ": "America/New_York"}
    assert_times_are_those_of_utc(CommandLine(settings.home, variables))


def test_somebody_whose_role_is_in_america_reads_times_of_utc(
    llm_archive: CommandLine, own_server: str, own_database: Database, settings: Settings, tmp_path: Path
):
    of_new_year(own_database, settings, tmp_path)
    role = sql.Identifier(str(make_url(own_database.url).username))
    with psycopg.connect(own_server, autocommit=True) as connection:
        connection.execute(sql.SQL("ALTER ROLE {} SET timezone = 'America/New_York'").format(role))
    variables = {**llm_archive.environment, "ARCHIVE_DATABASE_URL": own_database.url}
    assert_times_are_those_of_utc(CommandLine(settings.home, variables))
