"""`verify`: exit code, tables, JSON."""

from __future__ import annotations

from pathlib import Path

import pytest

from archive_pipeline.building import build_stale
from archive_pipeline.importing.importer import import_archive
from archive_pipeline.readers.reading import read_paths
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.cli.command_line import CommandLine
from archive_pipeline_tests.tables import counts

pytestmark = pytest.mark.postgres


@pytest.fixture
def built(database: Database, settings: Settings, sample: Path) -> Database:
    import_archive(database, read_paths([sample]))
    build_stale(database, settings)
    return database


def test_an_archive_as_it_should_be(llm_archive: CommandLine, built: Database):
    result = llm_archive("verify", "--json")
    assert (result.code, result.err) == (0, "")
    found = result.json
    rows = counts(built)
    assert {name: table["rows"] for name, table in found["tables"].items()} == {
        name: rows[name] for name in found["tables"]
    }
    assert found["messages"] == rows["messages"]
    assert not any(found["stale"].values())
    shown = llm_archive("verify")
    assert shown.code == 0
    assert "missing" in shown.out
    assert " a second" in shown.out


def test_drift_is_told_and_an_exit_code(llm_archive: CommandLine, built: Database):
    with built.session() as connection:
        connection.execute("UPDATE derived.message_contexts SET normalized_hash = 'x'")
        connection.execute("DELETE FROM derived.build_state WHERE asset = 'qa_pairs'")
    result = llm_archive("verify")
    assert result.code == 1
    assert result.error.startswith(f"derived.message_contexts: {counts(built)['message_contexts']} different; ")
    assert "normalized_hash" in result.out
    assert f"not compared: qa_pairs of {counts(built)['dialogues']} dialogues" in result.out
    as_json = llm_archive("verify", "--json")
    assert as_json.code == 1
    table = as_json.json["tables"]["message_contexts"]
    assert table["different"] == counts(built)["message_contexts"]
    assert table["examples"][0]["kind"] == "different"
    assert table["examples"][0]["columns"] == ["normalized_hash"]
    assert as_json.json["stale"]["qa_pairs"] == counts(built)["dialogues"]
