"""`llm-archive build` and `build_prompt_responses`: what is built, and what a wrong name says."""

from __future__ import annotations

from pathlib import Path

import pytest

from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.derive.registry import ASSETS
from archive_pipeline.ingest.importer import import_archive
from archive_pipeline.orchestration import resources
from archive_pipeline.orchestration.assets import factory
from archive_pipeline.orchestration.checks import structure
from archive_pipeline.readers.reading import read_paths
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.cli.command_line import CommandLine
from archive_pipeline_tests.conftest import empty
from archive_pipeline_tests.tables import counts, derived_rows, query

pytestmark = [pytest.mark.postgres, pytest.mark.dagster]


@pytest.fixture(scope="module")
def database(archive: Database) -> Database:
    empty(archive)
    return archive


@pytest.fixture(scope="module")
def built(database: Database, settings: Settings, environment: dict[str, str], sample: Path) -> CommandLine:
    """The commands on an archive of the sample, which no test here changes."""
    import_archive(database, read_paths([sample]))
    build_stale(database, settings)
    return CommandLine(settings.home, environment)


def test_nothing_is_built_when_nothing_changed(built: CommandLine):
    result = built("build")
    assert result.code == 0
    assert result.out == "Everything is up to date.\n"
    as_json = built("build", "--json").json
    assert set(as_json["rows"].values()) == {0}
    assert as_json["failures"] == []


def test_full_builds_every_row_again_and_changes_none(built: CommandLine, database: Database):
    before = derived_rows(database)
    result = built("build", "--full", "--json")
    assert result.code == 0
    assert result.json["rows"] == {table: len(before[table]) for table in result.json["rows"] if table in before} | {
        "document_chunks": 0
    }
    tables = {table for asset in ASSETS.values() for table in asset.tables}
    assert set(result.json["rows"]) == {*tables, "document_chunks"}
    assert derived_rows(database) == before


def test_a_dialogue_is_named_by_its_key_or_its_id(built: CommandLine, database: Database):
    found = query(
        database, "SELECT partition_key, id::text, message_count FROM raw.dialogues ORDER BY partition_key LIMIT 3"
    )
    (key, _, _), (_, identifier, _), (_, other, _) = found
    names = (option for name in (key, identifier, other.upper()) for option in ("--dialogue", name))
    result = built("build", *names, "--asset", "message_paths", "--full", "--json")
    assert result.code == 0
    assert result.json["rows"] == {"message_paths": sum(messages for *_, messages in found)}


def test_an_asset_of_two_tables_is_built_alone(built: CommandLine, database: Database):
    result = built("build", "--asset", "prompt_responses", "--full", "--json")
    stored = counts(database)
    tables = ("prompt_responses", "prompt_response_content")
    assert result.json["rows"] == {table: stored[table] for table in tables}


def test_prompt_responses_are_built_by_the_command_of_the_seed(built: CommandLine, database: Database):
    [(identifier, pairs)] = query(
        database,
        "SELECT dialogue_id::text, count(*) FROM derived.prompt_responses GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 1",
    )
    one = built("build_prompt_responses", f"--dialogue_id={identifier}", "--json")
    assert (one.code, one.json["rows"]["prompt_responses"]) == (0, pairs)
    everything = built("build_prompt_responses", "--json")
    assert (everything.code, everything.json["rows"]["prompt_responses"]) == (0, counts(database)["prompt_responses"])


WRONG_NAMES = {
    ("build", "--asset", "exchange"): "no derived asset is called 'exchange'; there are message_paths, ",
    ("build", "--dialogue", "chatgpt-nobody"): "no dialogue has the key or id 'chatgpt-nobody'; ",
    ("build_prompt_responses", "--dialogue_id=42"): "no dialogue has the key or id '42'; ",
    ("build_prompt_responses", "--dialogue_id="): "no dialogue has the key or id ''; ",
    ("delete", "chatgpt-nobody"): "no dialogue has the key or id 'chatgpt-nobody'",
    ("delete", "nul\ufffd"): "no dialogue has the key or id 'nul\ufffd'",
}


@pytest.mark.parametrize("arguments", WRONG_NAMES)
def test_a_wrong_name_is_one_line(arguments: tuple[str, ...], built: CommandLine):
    result = built(*arguments)
    assert result.code == 2
    assert result.out == ""
    assert result.error.startswith(WRONG_NAMES[arguments])


@pytest.mark.parametrize("name", ["check", "asset"])
def test_a_database_that_goes_away_in_a_run_is_one_line(
    name: str, built: CommandLine, database: Database, monkeypatch: pytest.MonkeyPatch
):
    def loses_its_connection(*_arguments: object, **_named: object) -> object:
        with database.session() as connection:
            return connection.execute("SELECT pg_terminate_backend(pg_backend_pid())")

    monkeypatch.setattr(resources, "SECONDS_BETWEEN_RETRIES", 0.1)
    if name == "check":
        monkeypatch.setattr(structure, "find_violations", loses_its_connection)
    else:
        monkeypatch.setattr(factory, "build_asset", loses_its_connection)
    result = built("build", "--full", "--asset", "message_paths")
    assert result.code == 2
    assert result.error == (
        "the database failed while derived tables were built (the connection is lost); what was committed stays, run "
        "the command again"
    )
    monkeypatch.undo()
    assert built("build").code == 0
