"""An asset that fails is named with its reason, costs no other one, and is built when the cause is gone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from archive_pipeline.store.database import Database
from archive_pipeline_tests.cli.command_line import CommandLine
from archive_pipeline_tests.tables import counts

pytestmark = [pytest.mark.postgres, pytest.mark.dagster]


@pytest.fixture
def broken_asset(database: Database) -> Iterator[None]:
    """PostgreSQL refuses rows of `exchanges`."""
    with database.session() as connection:
        connection.execute("ALTER TABLE derived.exchanges ADD CONSTRAINT refused CHECK (message_count < 0) NOT VALID")
    yield
    with database.session() as connection:
        connection.execute("ALTER TABLE derived.exchanges DROP CONSTRAINT refused")


def test_a_failed_asset_is_named_with_its_reason_and_the_others_are_built(
    llm_archive: CommandLine, database: Database, sample: Path, broken_asset: None
):
    result = llm_archive("import", sample)
    assert result.code == 1
    assert result.error.startswith("exchanges: ")
    assert 'violates check constraint "refused"' in result.error
    assert "Traceback" not in result.err
    stored = counts(database)
    assert stored["exchanges"] == 0
    assert stored["qa_pairs"] > 0
    assert stored["message_paths"] == 120


def test_a_failed_asset_is_in_the_json_too_and_is_built_when_the_cause_is_gone(
    llm_archive: CommandLine, database: Database, sample: Path, request: pytest.FixtureRequest
):
    request.getfixturevalue("broken_asset")
    result = llm_archive("import", sample, "--json")
    assert result.code == 1
    assert len(result.json["failures"]) == 1
    assert result.json["failures"] == [result.error]
    with database.session() as connection:
        connection.execute("ALTER TABLE derived.exchanges DROP CONSTRAINT refused, ADD CONSTRAINT refused CHECK (true)")
    again = llm_archive("build", "--json")
    assert again.code == 0
    assert again.json["rows"]["exchanges"] > 0
    assert again.json["rows"]["qa_pairs"] == 0
