"""`llm-archive acknowledge`: what was met is kept, and counts no more."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from archive_pipeline.settings import Settings
from archive_pipeline.store import import_log
from archive_pipeline.store.database import Database
from archive_pipeline_tests.attached import imported
from archive_pipeline_tests.cli.command_line import CommandLine
from archive_pipeline_tests.exports import chain, chatgpt
from archive_pipeline_tests.tables import counts

pytestmark = pytest.mark.postgres


def test_what_imports_met_is_counted_until_it_is_acknowledged(
    llm_archive: CommandLine, database: Database, settings: Settings, tmp_path: Path
):
    export = json.dumps([chatgpt("talk", chain("a\0b")), 7, {"title": "lost", "mapping": 1}])
    (tmp_path / "conversations.json").write_text(export)
    (tmp_path / "cut.json").write_text(export[:-5])
    imported(database, settings, tmp_path)
    met = {"failed_imports": 1, "rejected_records": 4, "surprises": 1}
    stats = llm_archive("stats")
    assert "Not acknowledged" in stats.out
    assert llm_archive("stats", "--json").json["unacknowledged"] == met
    with database.session() as connection:
        import_log.start(connection, "running.json", is_partial=False)
    result = llm_archive("acknowledge")
    assert (result.code, result.err) == (0, "")
    assert result.out == "acknowledged: failed imports 1, rejected records 4, surprises 1\n"
    after = llm_archive("stats", "--json").json
    assert set(after["unacknowledged"].values()) == {0}
    assert after["acknowledged_at"] is not None
    assert after["imports"]["rejected_records"] == counts(database)["rejected_records"] == 4
    assert "Not acknowledged" not in llm_archive("stats").out
    assert llm_archive("acknowledge", "--json").json == dict.fromkeys(met, 0)
    assert llm_archive("acknowledge").out == "nothing to acknowledge\n"
    with database.session() as connection:
        import_log.close_interrupted(connection)
    assert llm_archive("stats", "--json").json["unacknowledged"]["failed_imports"] == 1
