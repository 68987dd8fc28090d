"""Tables are tidied at the end of a command; that they cannot be takes nothing from what it did and said."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from archive_pipeline.store.database import Database
from archive_pipeline_tests.cli.command_line import CommandLine, Loaded
from archive_pipeline_tests.exports import chain, chatgpt, write
from archive_pipeline_tests.tables import query

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
def test_a_command_has_said_all_and_succeeds(llm_archive: CommandLine, loaded: Loaded, sample: Path):
    loaded(sample)
    imported = llm_archive("import", sample, "--json")
    built = llm_archive("build", "--json")
    assert imported.json["dialogues"]["unchanged"] == 15
    assert built.json["failures"] == []
    assert [result.code for result in (imported, built)] == [0, 0]
    said = "".join(
        f"{what} (no such thing); the next import, build or night tries again\n"
        for what in ("tables were not tidied", "indexes were not rebuilt")
    )
    assert [result.err for result in (imported, built)] == [said, said]


@pytest.mark.parametrize("command", [("build", "--full"), ("index",)])
def test_statistics_are_there_after_a_command(
    llm_archive: CommandLine, loaded: Loaded, database: Database, tmp_path: Path, command: tuple[str, ...]
):
    loaded(write(tmp_path / "a.json", chatgpt("talk", chain("a", "b"))))
    with database.session() as connection:
        connection.execute("CREATE TABLE derived.known AS SELECT gen_random_uuid() AS id FROM generate_series(1, 9000)")
    llm_archive(*command)
    assert query(database, "SELECT n_distinct FROM pg_stats WHERE tablename = 'known'") == [(-1.0,)]
    with database.session() as connection:
        connection.execute("DROP TABLE derived.known")
