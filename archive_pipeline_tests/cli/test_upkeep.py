"""Indexes that cannot be rebuilt at the end of a command take nothing from what it did and said."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from archive_pipeline.store.database import Database
from archive_pipeline_tests.cli.command_line import CommandLine

pytestmark = [pytest.mark.postgres, pytest.mark.dagster]

# An index of more than a megabyte, over what cannot be computed any more.
UNBUILDABLE = """
CREATE TABLE derived.unbuildable AS SELECT gen_random_uuid() AS id FROM generate_series(1, 50000);
CREATE FUNCTION derived.same(id uuid) RETURNS uuid IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN RETURN id; END $$;
CREATE INDEX unbuildable_same ON derived.unbuildable (derived.same(id));
CREATE OR REPLACE FUNCTION derived.same(id uuid) RETURNS uuid IMMUTABLE LANGUAGE plpgsql
AS $$ BEGIN RAISE 'no such thing'; END $$;
"""


@pytest.fixture
def with_unbuildable(database: Database) -> Iterator[None]:
    with database.session() as connection:
        connection.execute(UNBUILDABLE)
    yield
    with database.session() as connection:
        connection.execute("DROP TABLE derived.unbuildable; DROP FUNCTION derived.same")


@pytest.mark.usefixtures("with_unbuildable")
def test_a_command_has_said_all_and_succeeds(llm_archive: CommandLine, sample: Path):
    imported = llm_archive("import", sample, "--json")
    built = llm_archive("build", "--json")
    assert imported.json["dialogues"]["new"] == 15
    assert built.json["failures"] == []
    assert [result.code for result in (imported, built)] == [0, 0]
    said = "indexes were not rebuilt (no such thing); the next import, build or night tries again\n"
    assert [result.err for result in (imported, built)] == [said, said]
