"""LibreChat's exports of one conversation: of all branches, and of the one that was shown."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from archive_pipeline.store.database import Database
from archive_pipeline_tests.conftest import empty
from archive_pipeline_tests.exports import load
from archive_pipeline_tests.readers.test_librechat import NONE, asked, export, said
from archive_pipeline_tests.tables import query

pytestmark = pytest.mark.postgres


def test_an_export_of_the_shown_branch_deletes_nothing_of_others_in_whichever_order(database: Database, tmp_path: Path):
    whole = export(asked("a", NONE, "why?"), said("b", "a", "because"), said("c", "a", "no reason"))
    later = "2026-02-03T11:00:00Z"
    shown = export(asked("a", NONE, "why?"), said("c", "a", "a reason", updatedAt=later), branches=False)
    for exports in itertools.permutations((whole, shown)):
        empty(database)
        for value in exports:
            assert not load(database, tmp_path / "export.json", value).rejected
        rows = query(
            database,
            "SELECT m.source_id, p.text_content FROM raw.messages m JOIN raw.content_parts p ON p.message_id = m.id"
            " WHERE m.deleted_at IS NULL ORDER BY 1",
        )
        assert [tuple(row) for row in rows] == [("a", "why?"), ("b", "because"), ("c", "a reason")]
