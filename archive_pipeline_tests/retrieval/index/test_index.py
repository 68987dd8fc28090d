"""The vector store follows the tables: whatever happened before, it holds what they ask for."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys
from datetime import datetime
from typing import Any

import fasteners
import numpy as np
import pytest

from archive_pipeline.domain.choices import VectorStore
from archive_pipeline.errors import EmbeddingError, MissingExtraError, VectorStoreError
from archive_pipeline.retrieval.embedders.registry import open_embedder
from archive_pipeline.retrieval.index import chroma_sync as syncing
from archive_pipeline.retrieval.index.chroma import open_chroma
from archive_pipeline.retrieval.index.client import ChromaClient
from archive_pipeline.retrieval.index.held_vectors import HeldVectors
from archive_pipeline.retrieval.index.run import IndexResult, index_archive
from archive_pipeline.retrieval.index.verify import compare
from archive_pipeline.retrieval.search.retrievers.dense import searched_vectors
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.derive.batches import batch_of, linear
from archive_pipeline_tests.retrieval.index.conftest import BREAD, IN_CHROMA, PLANETS, WORDLESS, add
from archive_pipeline_tests.retrieval.index.letters import Letters, nearest_ids, searched
from archive_pipeline_tests.tables import query
from archive_pipeline_tests.variants import some_of


def texts_of(collection: Any) -> dict[str, str]:
    found = collection.get(include=["documents"])
    return dict(zip(found["ids"], found["documents"], strict=True))


def assert_equal(database: Database, home: Settings) -> None:
    """The index has what the tables ask for, and nothing else."""
    comparison = compare(database, home, seed="x")
    assert comparison.is_equal, comparison
    wanted = dict(query(database, "SELECT chunk_id::text, text FROM derived.all_chunks WHERE NOT is_near_duplicate"))
    if home.vector_index is VectorStore.POSTGRES:
        assert set(nearest_ids(database, home)) == set(wanted)
        hashes = "SELECT DISTINCT content_hash FROM derived.all_chunks WHERE NOT is_near_duplicate ORDER BY 1"
        stored = "SELECT content_hash FROM derived.chunk_embeddings WHERE generation_id = %s ORDER BY 1"
        assert query(database, stored, searched(database, home).generation.id) == query(database, hashes)
        return
    client = ChromaClient(database, home)
    assert texts_of(client.text_collection) == wanted
    pages = {
        f"{dialogue}:{page}"
        for dialogue, page in query(database, "SELECT dialogue_id, page FROM derived.dialogue_pages")
    }
    assert set(texts_of(client.visual_collection)) == pages


def wrote(result: IndexResult, *entries: int) -> bool:
    """Whether Chroma got so many chunks and pages; PostgreSQL needs no copies."""
    if result.store is VectorStore.POSTGRES:
        return result.sync.written == {}
    return written(result) == entries


def written(result: IndexResult) -> tuple[int, int]:
    return result.sync.written["text"], result.sync.written["visual"]


def test_a_first_run_embeds_and_writes_everything_and_a_second_one_nothing(
    built: Database, home: Settings, model: Letters
):
    first = index_archive(built, home)
    # Chunks: 2 x 2 of bread; 2 x 2 of planets, without the regenerated answer that repeats. Pages: 2 + 3 + 1.
    assert wrote(first, 8, 6)
    assert (first.embedding.embedded, first.sync.is_new) == (8, True)
    assert_equal(built, home)
    second = index_archive(built, home)
    assert wrote(second, 0, 0)
    assert (second.embedding.embedded, second.sync.is_new) == (0, False)
    assert second.sync.index == first.sync.index
    assert len(model.embedded) == len(set(model.embedded)) == 8


@IN_CHROMA
def test_the_seeds_queries_find_pages_and_documents(built: Database, home: Settings, model: Letters):
    index_archive(built, home)
    client = ChromaClient(built, home)
    found = client.visual_collection.get(
        where={"$and": [{"doc_id": {"$eq": BREAD.id}}, {"page": {"$eq": 1}}]}, include=["metadatas"]
    )
    assert found["ids"] == [f"{BREAD.id}:1"]
    metadata = dict(found["metadatas"][0])
    markdown = asyncio.run(client.get_document_markdown(BREAD.id))
    assert metadata.pop("full_markdown_compressed")
    ((added,),) = query(built, "SELECT imported_at FROM raw.dialogues WHERE id = %s", BREAD.id)
    assert datetime.fromisoformat(str(metadata.pop("timestamp"))) == added
    assert metadata == {
        "doc_id": BREAD.id,
        "filename": f"chatgpt-{BREAD.id}",
        "page": 1,
        "extension": "md",
        "created_at": "",
        "source_path": f"chatgpt/chatgpt-{BREAD.id}",
        "image_path": "",
        "thumb_path": "",
        "section_path": f"chatgpt-{BREAD.id}",
        "parent_heading": f"chatgpt-{BREAD.id}",
        "source": "chatgpt",
        "num_headings": 1,
        "num_tables": 1,
        "num_pictures": 0,
        "has_vector": True,
    }
    assert markdown is not None
    assert markdown.startswith(
        "<!-- page 1 -->\n**User:**\n\nHow do I bake bread in a cold kitchen?\n\n**Assistant:**\n\nUse"
    )
    assert markdown.endswith(
        "<!-- page 2 -->\n**User:**\n\nAnd the oven?\n\n**Assistant:**\n\nHeat it to 240 °C, with a stone in it."
    )
    assert asyncio.run(client.get_document_markdown("nobody")) is None
    best = client.text_collection.query(query_embeddings=[model.embed_query("And the oven?")], n_results=1)
    assert best["documents"] == [["And the oven?"]]
    assert best["distances"][0][0] == pytest.approx(0, abs=1e-5)
    assert (best["metadatas"][0][0]["doc_id"], best["metadatas"][0][0]["page"]) == (BREAD.id, 2)


@IN_CHROMA
def test_a_page_without_chunks_is_found_by_its_place(built: Database, home: Settings, model: Letters):
    index_archive(built, home)
    where = {"$and": [{"doc_id": {"$eq": WORDLESS.id}}, {"page": {"$eq": 1}}]}
    found = ChromaClient(built, home).visual_collection.get(where=where, include=["metadatas"])
    assert [metadata["has_vector"] for metadata in found["metadatas"]] == [False]


def test_what_is_in_no_pair_is_indexed(built: Database, home: Settings, model: Letters):
    add(built, home, batch_of(linear("unanswered", ("user", "Is anybody there?"))))
    assert wrote(index_archive(built, home), 9, 7)
    assert model.embedded.count("Is anybody there?") == 1


def test_deleted_changed_and_new_dialogues_are_followed(built: Database, home: Settings, model: Letters):
    index_archive(built, home)
    with built.session() as connection:
        connection.execute("DELETE FROM raw.dialogues WHERE id = %s", [PLANETS.id])
        connection.execute("UPDATE raw.dialogues SET title = 'Bread' WHERE id = %s", [BREAD.id])
    add(built, home, batch_of(linear("new", ("user", "Entirely new?"), ("assistant", "Yes, entirely."))))
    result = index_archive(built, home)
    assert wrote(result, 4 + 2, 2 + 1)
    if home.vector_index is VectorStore.CHROMA:
        assert result.sync.deleted == {"text": 4, "visual": 3}
    assert (result.embedding.embedded, result.embedding.deleted) == (2, 4)
    assert_equal(built, home)


@IN_CHROMA
def test_a_new_title_is_in_the_metadata(built: Database, home: Settings, model: Letters):
    index_archive(built, home)
    with built.session() as connection:
        connection.execute("UPDATE raw.dialogues SET title = 'Bread' WHERE id = %s", [BREAD.id])
    index_archive(built, home)
    client = ChromaClient(built, home)
    assert {
        metadata["filename"] for metadata in client.text_collection.get(where={"doc_id": BREAD.id})["metadatas"]
    } == {"Bread"}


class KilledError(Exception):
    pass


@IN_CHROMA
@pytest.mark.parametrize("after", some_of([1, 3, 0, 2, 4, 5], 2))
def test_an_interrupted_run_is_gone_on_with(
    built: Database, home: Settings, model: Letters, monkeypatch: pytest.MonkeyPatch, after: int
):
    monkeypatch.setattr("archive_pipeline.retrieval.index.embed.BATCH_TEXTS", 3)
    monkeypatch.setattr(syncing, "BATCH_ENTRIES", 3)
    upserts = 0
    write = syncing._upsert

    def upsert_or_die(collection: Any, entries: Any) -> None:
        nonlocal upserts
        write(collection, entries)  # it dies after Chroma has it and before PostgreSQL knows
        upserts += 1
        if upserts > after:
            raise KilledError

    monkeypatch.setattr(syncing, "_upsert", upsert_or_die)
    if after < 5:
        with pytest.raises(KilledError):
            index_archive(built, home)
        with pytest.raises(VectorStoreError, match="there is no index"):
            _ = ChromaClient(built, home).text_collection
    monkeypatch.setattr(syncing, "_upsert", write)
    with built.session() as connection:
        connection.execute("DELETE FROM raw.dialogues WHERE id = %s", [WORDLESS.id])
    index_archive(built, home)
    assert_equal(built, home)
    assert len(model.embedded) == 8
    assert query(built, "SELECT count(*) FROM derived.vector_indexes") == [(1,)]


def test_another_model_grows_beside_the_present_one_and_takes_its_place(
    built: Database, home: Settings, model: Letters, monkeypatch: pytest.MonkeyPatch
):
    index_archive(built, home)
    seen: set[str] = set()
    other = Letters("other letters", dimensions=4)
    monkeypatch.setattr("archive_pipeline.retrieval.index.run.open_embedder", lambda _settings: other)
    result = index_archive(
        built, home, progress=lambda _stage, _done, _total: seen.add(searched(built, home).generation.model)
    )
    assert seen == {"letters"}
    assert searched(built, home) == result.sync.index
    assert result.sync.index.generation.model == "other letters"
    assert len(nearest_ids(built, home)) == 8
    vectors = searched_vectors(built, home, ChromaClient(built, home), HeldVectors())
    question = other.embed_query("planet")
    assert vectors.pages(question, most=8).ids
    hashes = [found for (found,) in query(built, "SELECT DISTINCT content_hash FROM derived.chunk_embeddings")]
    assert vectors.scores(question, hashes).keys() == set(hashes)
    assert_equal(built, home)
    assert query(built, "SELECT count(*) FROM derived.vector_indexes") == [(1,)]
    # The vectors of the model before stay: going back costs no embedding.
    monkeypatch.setattr("archive_pipeline.retrieval.index.run.open_embedder", lambda _settings: model)
    assert index_archive(built, home).embedding.embedded == 0
    assert searched(built, home).generation.model == "letters"


@IN_CHROMA
def test_collections_of_another_model_are_dropped_with_the_texts_that_only_they_have(
    built: Database, home: Settings, model: Letters, monkeypatch: pytest.MonkeyPatch
):
    index_archive(built, home)
    client = ChromaClient(built, home)
    file = home.chroma_folder / "chroma.sqlite3"
    assert b"bake bread" in file.read_bytes()
    with built.session() as connection:
        connection.execute("DELETE FROM raw.dialogues WHERE id = %s", [BREAD.id])
    monkeypatch.setattr("archive_pipeline.retrieval.index.run.open_embedder", lambda _settings: Letters("others"))
    index_archive(built, home)
    assert b"bake bread" not in file.read_bytes()
    assert len(texts_of(client.text_collection)) == 4
    assert {collection.name for collection in client._opened.chroma.client.list_collections()} == {
        f"text-{client.index.id}",
        f"visual-{client.index.id}",
    }


def test_a_rebuild_makes_the_store_anew_from_the_vectors_in_postgresql(built: Database, home: Settings, model: Letters):
    first = index_archive(built, home)
    again = index_archive(built, home, rebuild=True)
    assert wrote(again, 8, 6)
    assert (again.embedding.embedded, again.sync.is_new) == (0, True)
    assert again.sync.index.id != first.sync.index.id
    assert_equal(built, home)


@IN_CHROMA
def test_a_store_that_is_gone_is_made_again(built: Database, home: Settings, model: Letters):
    index_archive(built, home)
    forget_open_stores()
    shutil.rmtree(home.chroma_folder)
    forget_open_stores()
    assert written(index_archive(built, home)) == (8, 6)
    assert_equal(built, home)


def forget_open_stores() -> None:
    """Forget what this process has open of any store."""
    from chromadb.api.shared_system_client import SharedSystemClient

    SharedSystemClient.clear_system_cache()


@IN_CHROMA
def test_a_broken_store_is_an_error_that_names_the_way_out(built: Database, home: Settings, model: Letters):
    index_archive(built, home)
    forget_open_stores()
    (home.chroma_folder / "chroma.sqlite3").write_bytes(b"no database at all" * 100)
    with pytest.raises(VectorStoreError, match=r"llm-archive index --rebuild") as raised:
        index_archive(built, home)
    assert "\n" not in str(raised.value)
    forget_open_stores()
    assert written(index_archive(built, home, rebuild=True)) == (8, 6)
    assert_equal(built, home)


@IN_CHROMA
def test_entries_that_were_lost_or_added_behind_its_back_are_put_right(built: Database, home: Settings, model: Letters):
    index_archive(built, home)
    collection = open_chroma(home).find(ChromaClient(built, home).index, "text")
    assert collection is not None
    ids = sorted(texts_of(collection))
    collection.delete(ids=ids[:3])
    collection.upsert(ids=["stranger"], embeddings=[[1.0, 0.0, 0.0]], documents=["?"], metadatas=[{"doc_id": "?"}])
    comparison = compare(built, home, seed="x")
    assert (comparison.is_equal, comparison.surplus["text"], len(comparison.differing)) == (False, -2, 3)
    assert written(index_archive(built, home)) == (3, 0)
    assert_equal(built, home)


@IN_CHROMA
def test_two_processes_do_not_write_to_one_store(built: Database, home: Settings, model: Letters):
    lock = fasteners.InterProcessLock(str(home.home / "chroma.lock"))
    home.home.mkdir(exist_ok=True)
    code = (
        "import fasteners, sys; lock = fasteners.InterProcessLock(sys.argv[1]); lock.acquire()\n"
        "print('held', flush=True); sys.stdin.read()"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", code, lock.path.decode()], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(VectorStoreError, match="another process is writing"):
            index_archive(built, home)
    finally:
        holder.communicate()
    index_archive(built, home)
    assert_equal(built, home)


@IN_CHROMA
def test_who_has_the_store_open_sees_what_another_process_wrote(built: Database, home: Settings, model: Letters):
    index_archive(built, home)
    client = ChromaClient(built, home)
    assert len(texts_of(client.text_collection)) == 8
    add(built, home, batch_of(linear("new", ("user", "Zoo zoo?"), ("assistant", "Zoo zoo zoo zoo zoo zoo."))))
    code = (
        "import sys; from pathlib import Path; from archive_pipeline.settings import Settings\n"
        "from archive_pipeline.domain.choices import VectorStore\n"
        "from archive_pipeline.store.database import Database\n"
        "from archive_pipeline.retrieval.index import run as indexing\n"
        "from archive_pipeline.retrieval.index.run import index_archive\n"
        "from archive_pipeline_tests.retrieval.index.letters import Letters\n"
        "indexing.open_embedder = lambda _settings: Letters()\n"
        "index_archive(Database(sys.argv[1]), Settings(home=Path(sys.argv[2]), vector_index=VectorStore.CHROMA))"
    )
    subprocess.run([sys.executable, "-c", code, built.url, str(home.home)], check=True)
    vector = Letters().embed_query("Zoo zoo zoo zoo zoo zoo.")
    found = client.text_collection.query(query_embeddings=[vector], n_results=1)
    assert found["documents"] == [["Zoo zoo zoo zoo zoo zoo."]]


def test_a_model_that_changed_its_size_under_its_name_is_an_error(built: Database, home: Settings, model: Letters):
    index_archive(built, home)
    add(built, home, batch_of(linear("new", ("user", "Entirely new?"), ("assistant", "Yes."))))
    model.embed = lambda texts: np.ones((len(texts), 5), dtype=np.float32)  # type: ignore[method-assign]
    with pytest.raises(EmbeddingError, match="5 dimensions, the stored ones have 3"):
        index_archive(built, home)
    assert_stored_untouched(built)


def assert_stored_untouched(database: Database) -> None:
    sizes = "SELECT coalesce(length(vector) / 4, vector_dims(half_vector)) FROM derived.chunk_embeddings"
    assert query(database, sizes) == [(3,)] * 8


@IN_CHROMA
def test_without_the_extra_it_says_how_to_install_it(
    built: Database, home: Settings, model: Letters, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setitem(sys.modules, "chromadb", None)
    with pytest.raises(MissingExtraError, match=r"search needs chromadb: pip install 'llm-archive-pipeline\[search\]'"):
        index_archive(built, home)
    assert model.embedded == []


@IN_CHROMA
def test_a_server_that_is_not_there_is_an_error(built: Database, home: Settings, model: Letters):
    with pytest.raises(VectorStoreError, match="ARCHIVE_CHROMA_URL") as raised:
        index_archive(built, home.with_values(chroma_url="http://127.0.0.1:9"))
    assert "\n" not in str(raised.value)


def test_the_default_model_finds_what_is_meant(built: Database, home: Settings):
    generation = index_archive(built, home).sync.index.generation
    vector = open_embedder(home, generation.model).embed_query("biggest planets")
    found = searched_vectors(built, home, ChromaClient(built, home), HeldVectors()).chunks(vector, most=2)
    documents = "SELECT dialogue_id::text FROM derived.qa_chunks WHERE chunk_id = ANY(%s::uuid[])"
    assert set(query(built, documents, list(found.ids))) == {(PLANETS.id,)}
