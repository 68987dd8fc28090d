"""What cannot be built is named with its reason, costs nothing else, and is built when the cause is gone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from archive_pipeline.building import engine
from archive_pipeline.domain.identity import dialogue_id, partition_key
from archive_pipeline.store.database import Database
from archive_pipeline_tests.cli.command_line import CommandLine, Loaded
from archive_pipeline_tests.exports import chain, chatgpt, write
from archive_pipeline_tests.tables import counts, query

pytestmark = [pytest.mark.postgres, pytest.mark.dagster]

DIALOGUES = 7


def refuse(database: Database, condition: str) -> None:
    """Have PostgreSQL take only rows of `exchanges` for which the condition holds."""
    with database.session() as connection:
        connection.execute("ALTER TABLE derived.exchanges DROP CONSTRAINT IF EXISTS refused")
        connection.execute(f"ALTER TABLE derived.exchanges ADD CONSTRAINT refused CHECK ({condition}) NOT VALID")


def take_all(database: Database) -> None:
    with database.session() as connection:
        connection.execute("ALTER TABLE derived.exchanges DROP CONSTRAINT IF EXISTS refused")


@pytest.fixture
def export(tmp_path: Path) -> Path:
    """An export of more dialogues than are named."""
    talks = (chatgpt(f"c{number}", chain("a", f"b {number}", "and?", "c")) for number in range(DIALOGUES))
    return write(tmp_path / "conversations.json", *talks)


@pytest.fixture
def poison(database: Database) -> Iterator[str]:
    """The key of a dialogue of the export, whose exchanges PostgreSQL refuses."""
    refuse(database, f"dialogue_id <> '{dialogue_id('chatgpt', 'c3')}'")
    yield partition_key("chatgpt", "c3")
    take_all(database)


@pytest.fixture
def broken_asset(database: Database) -> Iterator[None]:
    """PostgreSQL refuses all rows of `exchanges`."""
    refuse(database, "message_count < 0")
    yield
    take_all(database)


def test_a_quarantined_dialogue_is_named_with_its_reason_and_the_others_are_built(
    llm_archive: CommandLine, loaded: Loaded, database: Database, export: Path, poison: str
):
    loaded(export)
    result = llm_archive("import", export)
    assert result.code == 1
    assert result.error.startswith(f"{poison} cannot be built and is quarantined: CheckViolation: ")
    assert result.error.endswith('violates check constraint "refused" (exchanges)')
    [(number,)] = query(database, "SELECT count(DISTINCT dialogue_id) FROM derived.exchanges")
    assert number == query(database, "SELECT count(*) FROM derived.dialogue_trees WHERE total_nodes > 0")[0][0] - 1
    assert counts(database)["message_paths"] == 4 * DIALOGUES


def test_every_build_tells_of_it_and_tries_again_only_if_it_is_named(
    llm_archive: CommandLine, loaded: Loaded, database: Database, export: Path, poison: str
):
    loaded(export)
    again = llm_archive("build")
    assert (again.code, again.out) == (1, "Everything else is up to date.\n")
    assert again.error.startswith(f"{poison} cannot be built")
    shown = llm_archive("stats", "--json").json
    assert (shown["quarantined"], shown["stale"]["exchanges"]) == ({"exchanges": 1}, 0)
    assert "Quarantined" in llm_archive("stats").out
    other = query(database, "SELECT partition_key FROM raw.dialogues WHERE partition_key <> %s LIMIT 1", poison)[0][0]
    assert llm_archive("build", "--dialogue", other).code == 0
    assert llm_archive("build", "--asset", "qa_pairs").code == 0
    assert llm_archive("build", "--dialogue", poison).code == 1
    take_all(database)
    assert llm_archive("build").code == 1
    healed = llm_archive("build", "--dialogue", poison, "--json").json
    assert healed["failures"] == []
    assert healed["rows"]["exchanges"] > 0
    assert healed["rows"]["message_paths"] == 0
    assert llm_archive("build").out == "Everything is up to date.\n"
    assert llm_archive("stats", "--json").json["quarantined"] == {}


def test_full_tries_it_too(llm_archive: CommandLine, loaded: Loaded, database: Database, export: Path, poison: str):
    loaded(export)
    assert query(database, "SELECT count(*) FROM derived.build_errors") == [(1,)]
    take_all(database)
    assert llm_archive("build", "--full").code == 0
    assert query(database, "SELECT 1 FROM derived.build_errors") == []


def test_five_are_named_and_the_others_counted(
    llm_archive: CommandLine, loaded: Loaded, database: Database, export: Path, broken_asset: None
):
    loaded(export)
    result = llm_archive("import", export, "--json")
    assert result.code == 1
    failures = result.json["failures"]
    number = query(database, "SELECT count(*) FROM derived.build_errors")[0][0]
    assert [line for line in failures if "is quarantined: " in line] == failures[:5]
    assert failures[5:] == [f"{number - 5} more are quarantined, see derived.build_errors"]
    stored = counts(database)
    assert stored["exchanges"] == 0
    assert stored["qa_pairs"] > 0


def test_an_asset_that_fails_altogether_is_named_with_its_reason_and_is_built_when_the_cause_is_gone(
    llm_archive: CommandLine,
    database: Database,
    export: Path,
    broken_asset: None,
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(engine, "MOST_FAILURES_WITHOUT_SUCCESS", 3)
    result = llm_archive("import", export)
    assert result.code == 1
    assert result.error.startswith("exchanges: ")
    assert 'violates check constraint "refused"' in result.error
    assert "Traceback" not in result.err
    stored = counts(database)
    assert stored["exchanges"] == 0
    assert stored["qa_pairs"] > 0
    assert stored["message_paths"] == 4 * DIALOGUES
    take_all(database)
    again = llm_archive("build", "--json")
    assert again.code == 0
    assert again.json["rows"]["exchanges"] > 0
    assert again.json["rows"]["qa_pairs"] == 0
