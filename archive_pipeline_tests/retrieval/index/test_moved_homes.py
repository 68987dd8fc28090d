"""An embedded Chroma in a home that was moved, copied, or whose database was restored: no text stays unnoticed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from archive_pipeline.retrieval.index.run import index_archive
from archive_pipeline.retrieval.index.sync import delete_gone
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.retrieval.index.conftest import BREAD, IN_CHROMA
from archive_pipeline_tests.tables import query

pytestmark = [pytest.mark.postgres, IN_CHROMA]


def copied(home: Settings, to: Path) -> Settings:
    shutil.copytree(home.chroma_folder, to / "chroma")
    return home.with_values(home=to)


def without_bread(database: Database) -> None:
    query(database, "DELETE FROM raw.dialogues WHERE id = %s RETURNING 1", BREAD.id)


def has_bread(home: Settings) -> bool:
    return b"bake bread" in (home.chroma_folder / "chroma.sqlite3").read_bytes()


@pytest.mark.usefixtures("model")
def test_an_index_moves_with_its_home_also_one_whose_folder_was_recorded(
    built: Database, home: Settings, tmp_path: Path
):
    index_archive(built, home)
    copy = copied(home, tmp_path / "copy")
    without_bread(built)
    # Of bread: two chunks of each of two questions with their answers, and two pages.
    assert (has_bread(copy), delete_gone(built, copy), has_bread(copy)) == (True, 6, False)
    query(built, "UPDATE derived.vector_indexes SET location = %s RETURNING 1", str(home.chroma_folder))
    again = index_archive(built, copy).sync
    assert (again.is_new, again.written) == (False, {"text": 0, "visual": 0})
    assert index_archive(built, copy, rebuild=True).sync.is_new
    assert query(built, "SELECT location FROM derived.vector_indexes") == [("chroma",)]
