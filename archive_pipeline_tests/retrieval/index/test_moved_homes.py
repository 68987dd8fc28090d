"""An embedded Chroma in a home that was moved, copied, or whose database was restored: no text stays unnoticed."""

from __future__ import annotations

import shutil
import uuid
from pathlib import Path

import pytest

from archive_pipeline.retrieval.index.chroma import open_chroma, reopen_chroma
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


def collections(home: Settings) -> set[str]:
    return {collection.name for collection in reopen_chroma(home).client.list_collections()}


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


@pytest.mark.usefixtures("model")
def test_a_copy_beside_a_database_elsewhere_has_an_index_of_its_own(built: Database, home: Settings, tmp_path: Path):
    home = home.with_values(database_url=built.url)
    first = index_archive(built, home).sync.index
    copy = copied(home, tmp_path / "copy")
    without_bread(built)
    second = index_archive(built, copy).sync.index
    assert (has_bread(copy), collections(copy)) == (False, {f"text-{second.id}", f"visual-{second.id}"})
    assert collections(home) == {f"text-{first.id}", f"visual-{first.id}"}


@pytest.mark.usefixtures("model")
def test_deleting_drops_collections_of_indexes_that_no_row_names(built: Database, home: Settings):
    index = index_archive(built, home).sync.index
    lost = str(uuid.uuid4())
    client = open_chroma(home).client
    client.create_collection(f"text-{lost}", metadata={"index_id": lost}, embedding_function=None)
    client.create_collection("text-of-others", embedding_function=None)
    assert delete_gone(built, home) == 0
    assert collections(home) == {f"text-{index.id}", f"visual-{index.id}", "text-of-others"}


@pytest.mark.usefixtures("model")
def test_entries_that_no_row_records_count_as_deleted(built: Database, home: Settings):
    index = index_archive(built, home).sync.index
    collection = open_chroma(home).find(index, "text")
    assert collection is not None
    collection.upsert(ids=["stranger"], embeddings=[[1.0, 0.0, 0.0]], documents=["?"], metadatas=[{"doc_id": "?"}])
    assert index_archive(built, home).sync.deleted == {"text": 1, "visual": 0}
