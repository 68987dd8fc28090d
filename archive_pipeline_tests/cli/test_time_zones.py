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


@pytest.fixture(params=["role", "environment"])
def west(
    request: pytest.FixtureRequest,
    own_server: str,
    own_database: Database,
    settings: Settings,
    tmp_path: Path,
    llm_archive: CommandLine,
) -> CommandLine:
    """Commands of somebody in America; what they read is of the first second of a year."""
    said = chain("Rye bread", "With starter", start=NEW_YEAR)
    talk = chatgpt("c", said, updated=NEW_YEAR, create_time=NEW_YEAR)
    load(own_database, tmp_path / "c.json", talk)
    build_stale(own_database, settings)
    with own_database.session() as connection:
        connection.execute(
            "UPDATE raw.imports SET finished_at = '2024-01-01T00:00:01Z', acknowledged_at = '2024-01-01T00:00:02Z'"
        )
    variables = {**llm_archive.environment, "ARCHIVE_DATABASE_URL": own_database.url}
    if request.param == "environment":
        return CommandLine(settings.home, {**variables, "PGTZ": "America/New_York"})
    role = sql.Identifier(str(make_url(own_database.url).username))
    with psycopg.connect(own_server, autocommit=True) as connection:
        connection.execute(sql.SQL("ALTER ROLE {} SET timezone = 'America/New_York'").format(role))
    return CommandLine(settings.home, variables)


def test_what_a_command_lists_since_a_day_has_that_day(west: CommandLine):
    assert west("list", "--since", "2024-01-01").out.startswith("2024-01-01")
    assert west("show", "chatgpt-c").out.splitlines()[1].startswith("chatgpt · 2024-01-01 00:00")
    assert "2024-01-01" in west("search", "rye bread", "--mode", "lexical", "--since", "2024-01-01").out
    assert west("list", "--json").json[0]["updated_at"] == "2024-01-01T00:00:01+00:00"


def test_times_of_imports_name_the_zone(west: CommandLine):
    shown = west("stats").out
    assert "last import 2024-01-01 00:00 UTC, acknowledged 2024-01-01 00:00 UTC\n" in shown
    spans = re.findall(r"\d{4}-\d\d-\d\d", shown.split("last import")[0])
    assert set(spans) == {"2024-01-01"}
