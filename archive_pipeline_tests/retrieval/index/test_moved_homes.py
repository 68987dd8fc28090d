"""An embedded Chroma whose home or database is moved, copied, restored or shared: no text stays unnoticed."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from archive_pipeline.domain.choices import VectorStore
from archive_pipeline.errors import VectorStoreError
from archive_pipeline.retrieval.index import chroma_sync
from archive_pipeline.retrieval.index.chroma import open_chroma, reopen_chroma
from archive_pipeline.retrieval.index.chroma_removal import remove_embedded
from archive_pipeline.retrieval.index.run import index_archive
from archive_pipeline.retrieval.index.sync import delete_gone
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.derive.batches import batch_of
from archive_pipeline_tests.retrieval.index.conftest import BREAD, IN_CHROMA, add
from archive_pipeline_tests.retrieval.index.letters import searched
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
    assert query(built, "SELECT location FROM derived.vector_indexes") == [(str(copy.chroma_folder),)]


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
def test_a_database_finds_its_index_by_whichever_address_it_is_reached(built: Database, home: Settings):
    index = index_archive(built, home).sync.index
    by_address = home.with_values(database_url=built.url)
    without_bread(built)
    assert (delete_gone(built, by_address), has_bread(home)) == (6, False)
    assert index_archive(built, by_address).sync.index.id == index.id
    assert index_archive(built, home).sync.index.id == index.id


@pytest.mark.usefixtures("model")
def test_deleting_drops_collections_of_a_restored_database_that_it_does_not_name_yet(built: Database, home: Settings):
    index_archive(built, home)
    client = open_chroma(home).client
    client.create_collection("text-of-others", embedding_function=None)
    query(built, "DELETE FROM derived.embedding_generations RETURNING 1")
    # Nothing says that the index was in Chroma.
    assert (delete_gone(built, home.with_values(vector_index=None)), has_bread(home)) == (0, False)
    assert collections(home) == {"text-of-others"}


@pytest.mark.usefixtures("model")
def test_archives_in_one_home_leave_each_others_collections(
    built: Database, home: Settings, new_migrated_database: Callable[[], Database]
):
    first = index_archive(built, home).sync.index
    other = new_migrated_database()
    beside = home.with_values(database_url=other.url)
    add(other, beside, batch_of(BREAD))
    second = index_archive(other, beside).sync.index
    assert delete_gone(other, beside) == 0
    of_first = {f"text-{first.id}", f"visual-{first.id}"}
    assert collections(home) == of_first | {f"text-{second.id}", f"visual-{second.id}"}
    index_archive(other, beside.with_values(vector_index=VectorStore.POSTGRES))
    assert collections(home) == of_first
    assert index_archive(built, home).sync.written == {"text": 0, "visual": 0}


@pytest.mark.usefixtures("model")
def test_collections_that_nobody_claims_are_left_when_an_index_moves(
    built: Database, home: Settings, new_migrated_database: Callable[[], Database]
):
    index = index_archive(built, home).sync.index
    client = open_chroma(home).client
    for name in collections(home):  # as versions before wrote them
        client.get_collection(name, embedding_function=None).modify(metadata={"index_id": index.id})
    beside = home.with_values(database_url=(other := new_migrated_database()).url)
    add(other, beside, batch_of(BREAD))
    index_archive(other, beside.with_values(vector_index=VectorStore.POSTGRES))
    assert collections(home) == {f"text-{index.id}", f"visual-{index.id}"}


@pytest.mark.usefixtures("model")
def test_a_home_that_a_link_leads_to_has_one_index(built: Database, home: Settings, tmp_path: Path):
    home = home.with_values(database_url=built.url)
    index = index_archive(built, home).sync.index
    (tmp_path / "link").symlink_to(home.home)
    linked = home.with_values(home=tmp_path / "link")
    assert delete_gone(built, linked) == 0
    assert index_archive(built, linked).sync.index.id == index.id


@pytest.mark.usefixtures("model")
def test_a_store_that_cannot_be_read_is_not_removed(built: Database, home: Settings):
    index_archive(built, home)
    file = home.chroma_folder / "chroma.sqlite3"
    file.write_bytes(b"not a database" * 100)
    with pytest.raises(VectorStoreError):
        remove_embedded(built, home)
    assert file.exists()


@pytest.mark.usefixtures("model")
def test_deleting_reaches_an_index_whose_building_was_interrupted(
    built: Database, home: Settings, monkeypatch: pytest.MonkeyPatch
):
    index = index_archive(built, home).sync.index
    write = chroma_sync._upsert

    def write_and_die(collection: Any, entries: Any) -> None:
        write(collection, entries)
        raise InterruptedError

    monkeypatch.setattr(chroma_sync, "_upsert", write_and_die)
    with pytest.raises(VectorStoreError):
        index_archive(built, home, rebuild=True)
    without_bread(built)
    # Six of the index that is searched, and all eight chunks of the other one, which no row records yet.
    assert (delete_gone(built, home), has_bread(home)) == (6 + 8, False)
    assert searched(built, home).id == index.id


@pytest.mark.usefixtures("model")
def test_a_folder_that_the_chroma_server_works_on_is_left_to_it(built: Database, home: Settings):
    index = index_archive(built, home).sync.index
    at_server = home.with_values(chroma_url="http://127.0.0.1:9")
    query(built, "UPDATE derived.vector_indexes SET location = %s RETURNING 1", "http://127.0.0.1:9")
    remove_embedded(built, at_server)
    assert collections(home) == {f"text-{index.id}", f"visual-{index.id}"}


@pytest.mark.usefixtures("model")
def test_entries_that_no_row_records_count_as_deleted(built: Database, home: Settings):
    index = index_archive(built, home).sync.index
    collection = open_chroma(home).find(index, "text")
    assert collection is not None
    collection.upsert(ids=["stranger"], embeddings=[[1.0, 0.0, 0.0]], documents=["?"], metadatas=[{"doc_id": "?"}])
    assert index_archive(built, home).sync.deleted == {"text": 1, "visual": 0}
