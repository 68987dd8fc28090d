"""A database that takes no writes: commands that read work, others say so in one line."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest
from psycopg import sql
from sqlalchemy.engine import make_url

from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.attached import imported
from archive_pipeline_tests.cli.command_line import CommandLine
from archive_pipeline_tests.conftest import administrator_url
from archive_pipeline_tests.exports import chain, chatgpt, write

pytestmark = pytest.mark.postgres


def test_a_command_that_writes_says_that_it_cannot(
    module_archive: Database, settings: Settings, environment: dict[str, str], tmp_path: Path
):
    export = write(tmp_path / "export.json", chatgpt("c", chain("Oats?", "Oats.")))
    imported(module_archive, settings, export)
    build_stale(module_archive, settings)
    llm_archive = CommandLine(settings.home, {**environment, "ARCHIVE_DATABASE_URL": module_archive.url})
    assert llm_archive("import", export).code == 0
    name = sql.Identifier(str(make_url(module_archive.url).database))
    with psycopg.connect(administrator_url(module_archive), autocommit=True) as connection:
        connection.execute(sql.SQL("ALTER DATABASE {} SET default_transaction_read_only = on").format(name))
    assert "Oats" in llm_archive("search", "oats").out
    refused = llm_archive("import", export)
    assert (refused.code, "takes no writes (cannot execute" in refused.error) == (2, True)
