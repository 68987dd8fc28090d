"""The commands on the session's embedded archive, which is empty before each test."""

from __future__ import annotations

import gc
import shutil
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.building.documents import build_document_chunks
from archive_pipeline.ingest.attachment_store import FOLDER
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.attached import imported
from archive_pipeline_tests.cli.command_line import CommandLine, Loaded

SAMPLE = Path(__file__).parents[2] / "examples" / "sample_archive"


@pytest.fixture(scope="session")
def environment() -> dict[str, str]:
    """Variables of the user who runs the suite that must not reach the commands."""
    return {"ARCHIVE_DATABASE_URL": "", "ARCHIVE_PARTITIONING": "", "DAGSTER_HOME": ""}


@pytest.fixture
def llm_archive(settings: Settings, database: Database, environment: dict[str, str]) -> CommandLine:
    # A run of Dagster looks for garbage at its end: not in what earlier tests have imported, a third of a second each.
    gc.freeze()
    # Its rows are gone with the others: to what comes, they are files of another archive.
    shutil.rmtree(settings.home / FOLDER, ignore_errors=True)
    return CommandLine(settings.home, environment)


@pytest.fixture
def loaded(settings: Settings, database: Database) -> Loaded:
    """Imports files and builds what follows without a run of Dagster, for tests of what comes afterwards."""

    def load(*paths: Path) -> None:
        imported(database, settings, *paths)
        build_stale(database, settings)
        build_document_chunks(database, settings)

    return load


@pytest.fixture(scope="session")
def sample() -> Path:
    return SAMPLE


@pytest.fixture
def password_server(own_server: str) -> Iterator[str]:
    """A URL with a password, of a role without rights, on a server that asks for passwords."""
    with psycopg.connect(own_server, autocommit=True) as connection:
        row = connection.execute("SHOW hba_file").fetchone()
        assert row is not None
        rules = Path(row[0])
        trusting = rules.read_text()
        connection.execute("CREATE ROLE careful LOGIN PASSWORD 'right'")
        connection.execute("CREATE DATABASE guarded")
        rules.write_text(f"local all careful scram-sha-256\n{trusting}")
        connection.execute("SELECT pg_reload_conf()")
    yield own_server.replace("postgres@/postgres?", "careful:right@/guarded?")
    rules.write_text(trusting)
    with psycopg.connect(own_server, autocommit=True) as connection:
        connection.execute("SELECT pg_reload_conf()")
        connection.execute("DROP DATABASE guarded WITH (FORCE)")
        connection.execute("DROP ROLE careful")
