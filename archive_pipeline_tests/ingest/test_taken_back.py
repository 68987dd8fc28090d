"""What the user of an agent took back: it goes from the archive's messages and pairs, and comes back with them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.ingest.importer import import_archive
from archive_pipeline.readers.reading import read_paths
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.conftest import empty
from archive_pipeline_tests.readers.opencode_sessions import INFO, START, export, message, part
from archive_pipeline_tests.tables import query

pytestmark = pytest.mark.postgres

SAID = [message(f"msg_{at}", role, part("text", text=f"{at}")) for at, role in enumerate(("user", "assistant") * 2, 1)]


@pytest.mark.parametrize(("back", "left"), [("msg_1", []), ("msg_3", [("1", "2")])])
def test_what_opencode_took_back_is_in_no_pair_until_it_is_there_again(
    database: Database, settings: Settings, tmp_path: Path, back: str, left: list[tuple[str, str]]
):
    def pairs(second: int, **info: Any) -> list[tuple[str, str]]:
        times: Mapping[str, Any] = {"time": {**INFO["time"], "updated": START + second * 1_000}}
        (tmp_path / "session.json").write_text(json.dumps(export(*SAID, **times, **info)))
        import_archive(database, read_paths([tmp_path / "session.json"]))
        build_stale(database, settings)
        primary = query(database, "SELECT count(*) FROM derived.message_paths WHERE is_on_primary_path")
        found = query(database, "SELECT question, answer FROM derived.qa_pairs ORDER BY question")
        assert primary == [(2 * len(found),)]
        return found

    empty(database)
    assert pairs(10) == [("1", "2"), ("3", "4")]
    assert pairs(20, revert={"messageID": back}) == left
    assert pairs(20, revert={"messageID": back}) == left
    assert pairs(30) == [("1", "2"), ("3", "4")]
