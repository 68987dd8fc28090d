"""`llm-archive index`, and what `delete` does to the vector store."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest

from archive_pipeline.domain.choices import VectorStore
from archive_pipeline.domain.identity import dialogue_id
from archive_pipeline.orchestration.instance.opening import instance_for
from archive_pipeline.retrieval.embedders.interface import STATIC
from archive_pipeline.retrieval.index.client import ChromaClient
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.raw_writes import delete_dialogues
from archive_pipeline_tests.cli.command_line import CommandLine, Loaded
from archive_pipeline_tests.exports import chain, chatgpt, write
from archive_pipeline_tests.tables import query

pytestmark = [pytest.mark.postgres, pytest.mark.dagster]


IN_CHROMA = pytest.mark.parametrize("search_archive", [VectorStore.CHROMA], indirect=True)


@pytest.fixture(params=list(VectorStore))
def search_archive(
    request: pytest.FixtureRequest,
    llm_archive: CommandLine,
    database: Database,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[CommandLine]:
    """The commands, with no vectors and no vector store before and after; the index is in each store."""
    shared = pytest.importorskip("chromadb.api.shared_system_client")
    monkeypatch.setenv("ARCHIVE_VECTOR_INDEX", request.param)
    # To fit the map of queries takes ten seconds; retrieval/search/test_both_stores.py does, with either store.
    monkeypatch.setenv("ARCHIVE_QUERY_MODEL", STATIC)
    yield llm_archive
    with database.session() as connection:
        connection.execute("DELETE FROM derived.embedding_generations")
    shared.SharedSystemClient.clear_system_cache()
    shutil.rmtree(settings.chroma_folder, ignore_errors=True)


def test_a_dialogue_is_indexed_once_and_leaves_with_its_deletion(
    search_archive: CommandLine, loaded: Loaded, database: Database, settings: Settings, sample: Path
):
    loaded(sample)
    first = search_archive("index", "--json")
    assert first.code == 0
    [(chunks, texts)] = query(
        database, "SELECT count(*), count(DISTINCT content_hash) FROM derived.all_chunks WHERE NOT is_near_duplicate"
    )
    [(pages,)] = query(database, "SELECT count(*) FROM derived.dialogue_pages")
    store = VectorStore(first.json["store"])
    assert first.json["written"] == ({"text": chunks, "visual": pages} if store is VectorStore.CHROMA else {})
    assert (first.json["model"], first.json["dimensions"], first.json["embedded"]) == ("static", 256, texts)
    again = search_archive("index")
    assert again.code == 0
    rows = [line.rsplit(None, 1) for line in again.out.splitlines() if line.endswith(" 0")]
    of_chroma = ["chunks written to Chroma", "pages written to Chroma", "entries deleted from Chroma"]
    assert [name for name, _ in rows] == [
        "texts embedded (static)",
        "vectors deleted",
        *(of_chroma if store is VectorStore.CHROMA else []),
    ]
    stats = search_archive("stats", "--json").json
    assert stats["vector_index"] == {"store": store, "model": "static", "note": None}
    with instance_for(settings) as instance:
        events = [
            instance.get_latest_materialization_event(dg.AssetKey(name))
            for name in ("document_chunks", "chunk_embeddings", "vector_index")
        ]
    # In this order, so that none is shown as older than what it is made of.
    assert [event is not None for event in events] == [True, True, True]
    assert sorted(events, key=lambda event: event.timestamp) == events

    [(key, identifier)] = query(
        database, "SELECT partition_key, id::text FROM raw.dialogues ORDER BY message_count DESC LIMIT 1"
    )
    client = ChromaClient(database, settings)
    if store is VectorStore.CHROMA:
        assert client.text_collection.get(where={"doc_id": identifier})["ids"]
    assert search_archive("delete", key).code == 0
    if store is VectorStore.CHROMA:
        assert client.text_collection.get(where={"doc_id": identifier})["ids"] == []
        assert client.visual_collection.get(where={"doc_id": identifier})["ids"] == []
    unused = (
        "SELECT count(*) FROM derived.chunk_embeddings WHERE content_hash NOT IN (SELECT content_hash FROM "
        "derived.qa_chunks)"
    )
    assert query(database, unused) == [(0,)]
    again = search_archive("index", "--json").json
    assert (again["embeddings_deleted"], any(again["deleted"].values())) == (0, False)


def test_without_the_extra_it_says_how_to_install_it(llm_archive: CommandLine, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "chromadb", None)
    result = llm_archive("index", ARCHIVE_VECTOR_INDEX="chroma")
    assert result.code == 2
    assert result.error == "search needs chromadb: pip install 'llm-archive-pipeline[search]'"


def test_a_store_that_does_not_exist_is_an_error(llm_archive: CommandLine):
    result = llm_archive("index", ARCHIVE_VECTOR_INDEX="paper")
    assert (result.code, result.error) == (2, "ARCHIVE_VECTOR_INDEX='paper': use one of postgres, chroma")


def test_a_model_that_does_not_exist_is_an_error(llm_archive: CommandLine):
    result = llm_archive("index", ARCHIVE_EMBEDDING_MODEL="clever")
    assert result.code == 2
    assert result.error.startswith("there is no embedding model 'clever' (ARCHIVE_EMBEDDING_MODEL, ")


def test_dialogues_whose_chunks_are_stale_are_told(search_archive: CommandLine, loaded: Loaded, tmp_path: Path):
    long = "a word and another one, " * 100
    loaded(write(tmp_path / "a.json", *(chatgpt(name, chain(long, long)) for name in ("s1", "s2"))))
    result = search_archive("index", "--json", ARCHIVE_CHUNK_TOKENS="64")
    assert result.code == 0
    assert "chunks of 2 dialogues are not up to date; run `llm-archive build` first" in result.err


@IN_CHROMA
def test_a_deleted_dialogue_that_stays_in_the_vector_store_is_a_failure(
    search_archive: CommandLine, loaded: Loaded, database: Database, sample: Path, monkeypatch: pytest.MonkeyPatch
):
    loaded(sample)
    assert search_archive("index", "--json").code == 0
    [(key,)] = query(database, "SELECT partition_key FROM raw.dialogues ORDER BY message_count DESC LIMIT 1")
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "chromadb", None)
        result = search_archive("delete", key)
    assert result.code == 1
    assert "the vector store still has the dialogue (search needs chromadb" in result.error
    assert search_archive("index", "--json").json["deleted"]["text"] > 0


@IN_CHROMA
def test_mirroring_takes_out_of_the_index_what_a_killed_one_removed(
    search_archive: CommandLine, loaded: Loaded, database: Database, tmp_path: Path
):
    kept, gone = (chatgpt(name, chain(f"Where is {name}?", "far")) for name in ("kept", "gone"))
    loaded(write(tmp_path / "a.json", kept, gone))
    search_archive("index")
    with database.session() as connection:
        [(removed,)] = connection.execute("SELECT id::text FROM raw.dialogues WHERE source_id = 'gone'").fetchall()
        delete_dialogues(connection, [removed])
    again = search_archive("import", write(tmp_path / "b.json", kept), "--mirror", "--json")
    assert (again.code, again.json["mirror"]["removed"]) == (0, {"chatgpt": []})
    assert search_archive("index", "--json").json["deleted"]["text"] == 0


@IN_CHROMA
def test_nothing_of_a_deleted_dialogue_is_left_in_chromas_file(
    search_archive: CommandLine, loaded: Loaded, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    secrets = [chatgpt(name, chain(f"Where is {name}?", "far")) for name in ("zzz", "qqq")]
    loaded(write(tmp_path / "a.json", *secrets, chatgpt("kept", chain("Where is Paris?", "near"))))
    search_archive("index")

    def said(*texts: bytes) -> list[bytes]:
        found = (settings.chroma_folder / "chroma.sqlite3").read_bytes()
        return [text for text in texts if text in found]

    # Three characters as they are in the index of words, the first there with such a letter.
    assert said(b"zz?", b"qq?", b"Paris") == [b"zz?", b"qq?", b"Paris"]
    assert search_archive("delete", "chatgpt-zzz").code == 0
    assert said(b"zz?", b"qq?", b"Paris") == [b"qq?", b"Paris"]
    with monkeypatch.context() as patch:
        patch.setattr("archive_pipeline.retrieval.index.chroma_removal.erase_deleted", _interrupted)
        assert search_archive("delete", "chatgpt-qqq").code == 130
    assert search_archive("index", "--json").code == 0
    assert said(b"zz?", b"qq?", b"Paris") == [b"Paris"]


def _interrupted(*_: object) -> None:
    raise KeyboardInterrupt


@IN_CHROMA
def test_dialogues_that_mirroring_removes_leave_the_vector_store(
    search_archive: CommandLine, loaded: Loaded, database: Database, settings: Settings, tmp_path: Path
):
    path = write(tmp_path / "a.json", *[chatgpt(name, chain("a?", f"about {name}")) for name in ("m1", "m2", "m3")])
    loaded(path)
    search_archive("index")
    write(path, *[chatgpt(name, chain("a?", f"about {name}")) for name in ("m1", "m2")])
    assert search_archive("import", path, "--mirror").code == 0
    found = ChromaClient(database, settings).visual_collection.get(include=["metadatas"])
    assert sorted({metadata["doc_id"] for metadata in found["metadatas"]}) == sorted(
        dialogue_id("chatgpt", name) for name in ("m1", "m2")
    )
