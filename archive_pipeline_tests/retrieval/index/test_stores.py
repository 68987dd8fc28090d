"""Which store has the index, moving from one to the other, and what only PostgreSQL's has: a graph, damaged vectors."""

from __future__ import annotations

import itertools
import signal
import subprocess
import sys
from collections.abc import Callable

import numpy as np
import psycopg
import pytest
from psycopg import sql

from archive_pipeline.domain.choices import VectorStore
from archive_pipeline.errors import VectorStoreError
from archive_pipeline.retrieval.index import nearest, postgres
from archive_pipeline.retrieval.index.choice import FALLS_BACK, MOVE, chosen_store
from archive_pipeline.retrieval.index.client import ChromaClient
from archive_pipeline.retrieval.index.run import index_archive
from archive_pipeline.retrieval.index.verify import compare
from archive_pipeline.retrieval.search.engine import SearchEngine
from archive_pipeline.retrieval.search.filters import SearchFilters
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.migrate import migrate
from archive_pipeline.store.sql_files import load_query
from archive_pipeline_tests.conftest import administrator_url
from archive_pipeline_tests.derive.batches import batch_of, linear
from archive_pipeline_tests.retrieval.index.conftest import BREAD, IN_POSTGRES, PLANETS, WORDLESS, add
from archive_pipeline_tests.retrieval.index.letters import Letters, nearest_ids, searched
from archive_pipeline_tests.tables import query
from archive_pipeline_tests.variants import some_of

VECTORS = (
    "SELECT generation_id, content_hash, encode(vector, 'hex'), half_vector::text FROM derived.chunk_embeddings "
    "ORDER BY 1, 2"
)
GRAPHS = "SELECT count(*) FROM pg_indexes WHERE indexname ~ '^ix_chunk_embeddings_neighbours_'"


@pytest.fixture
def unset(home: Settings) -> Settings:
    """The archive's settings with no store chosen."""
    return home.with_values(vector_index=None)


def told(database: Database, settings: Settings) -> tuple[VectorStore, str | None]:
    with database.session() as connection:
        chosen = chosen_store(connection, settings)
    return chosen.store, chosen.note


@IN_POSTGRES
def test_postgresql_is_the_default_and_chroma_needs_to_be_named(built: Database, unset: Settings):
    assert told(built, unset) == (VectorStore.POSTGRES, None)
    assert told(built, unset.with_values(chroma_url="http://host:8000")) == (VectorStore.CHROMA, None)
    assert told(built, unset.with_values(vector_index=VectorStore.CHROMA)) == (VectorStore.CHROMA, None)


@IN_POSTGRES
def test_the_nearest_pages_are_found_among_those_of_the_nearest_texts(built: Database, home: Settings, model: Letters):
    talks = [
        linear(f"page-{number}", ("user", "a" * number + "e" * (40 - number)), ("assistant", f"{'o' * number} done"))
        for number in range(40)
    ]
    add(built, home, batch_of(*talks))
    index_archive(built, home)
    generation = searched(built, home).generation
    texts = query(built, "SELECT doc_id || ':' || page, text FROM derived.all_chunks WHERE NOT is_near_duplicate")
    for question in ("aaaa", "eeee", "oooo", "aeo"):
        vector = model.embed_query(question)
        means = {
            page: model.embed_queries([text for own, text in texts if own == page]).mean(axis=0) for page, _ in texts
        }
        cosines = {page: float(mean @ vector / np.linalg.norm(mean)) for page, mean in means.items()}
        with built.session() as connection:
            found = nearest.nearest_pages(connection, generation, vector, most=5)
        assert [score for _, score in found] == pytest.approx(sorted(cosines.values(), reverse=True)[:5], abs=2e-3)
        assert [cosines[page] for page, _ in found] == pytest.approx([score for _, score in found], abs=2e-3)


@IN_POSTGRES
def test_a_home_with_an_index_in_chroma_goes_on_with_it_and_is_told_how_to_move(
    built: Database, unset: Settings, model: Letters
):
    pytest.importorskip("chromadb")
    index_archive(built, unset.with_values(vector_index=VectorStore.CHROMA))
    assert told(built, unset) == (VectorStore.CHROMA, MOVE)
    add(built, unset, batch_of(linear("new", ("user", "Entirely new?"), ("assistant", "Yes, entirely."))))
    again = index_archive(built, unset)
    assert (again.store, again.note, again.sync.written["text"]) == (VectorStore.CHROMA, MOVE, 2)
    assert compare(built, unset, seed="x").note == MOVE


@IN_POSTGRES
def test_an_index_moves_to_the_other_store_and_back_without_embedding(built: Database, home: Settings, model: Letters):
    pytest.importorskip("chromadb")
    chroma = home.with_values(vector_index=VectorStore.CHROMA)
    index_archive(built, chroma)
    found = nearest_ids(built, chroma)
    moved = index_archive(built, home)
    assert (moved.store, moved.embedding.embedded, moved.sync.is_new) == (VectorStore.POSTGRES, 0, True)
    assert nearest_ids(built, home) == found
    assert not chroma.chroma_folder.exists()
    assert query(built, "SELECT count(*), count(half_vector), count(vector) FROM derived.chunk_embeddings") == [
        (8, 8, 0)
    ]
    assert query(built, "SELECT location FROM derived.vector_indexes") == [("postgresql",)]
    with pytest.raises(VectorStoreError, match="ARCHIVE_VECTOR_INDEX=chroma"):
        _ = ChromaClient(built, chroma).text_collection

    back = index_archive(built, chroma)
    assert (back.embedding.embedded, back.sync.written) == (0, {"text": 8, "visual": 6})
    assert nearest_ids(built, chroma) == found
    assert query(built, "SELECT count(half_vector), count(vector) FROM derived.chunk_embeddings") == [(0, 8)]
    assert compare(built, chroma, seed="x").is_equal


def without_pgvector(database: Database) -> None:
    """Make a database one of a server that has no extension to add: its role may not add it."""
    with psycopg.connect(administrator_url(database), autocommit=True) as connection:
        connection.execute("DROP EXTENSION vector")


@pytest.fixture
def plain(new_database: Callable[[], Database], unset: Settings) -> Database:
    """An archive on a server without pgvector."""
    database = new_database()
    without_pgvector(database)
    migrate(database)
    add(database, unset, batch_of(BREAD, PLANETS, WORDLESS))
    return database


@IN_POSTGRES
def test_a_server_without_pgvector_falls_back_to_chroma_and_says_so(plain: Database, unset: Settings, model: Letters):
    pytest.importorskip("chromadb")
    first = index_archive(plain, unset)
    assert (first.store, first.note) == (VectorStore.CHROMA, FALLS_BACK)
    assert len(nearest_ids(plain, unset)) == 8
    assert compare(plain, unset, seed="x").note == FALLS_BACK
    with pytest.raises(VectorStoreError, match=r"CREATE EXTENSION vector.*ARCHIVE_VECTOR_INDEX=chroma"):
        index_archive(plain, unset.with_values(vector_index=VectorStore.POSTGRES))


@IN_POSTGRES
def test_an_extension_that_comes_later_is_used(plain: Database, home: Settings, model: Letters):
    with pytest.raises(VectorStoreError):
        index_archive(plain, home)
    with psycopg.connect(administrator_url(plain), autocommit=True) as connection:
        connection.execute("CREATE EXTENSION vector")
    assert index_archive(plain, home).embedding.embedded == 8
    assert compare(plain, home, seed="x").is_equal


@IN_POSTGRES
def test_the_users_own_server_without_pgvector(own_database: Database, unset: Settings, model: Letters):
    assert told(own_database, unset) == (VectorStore.CHROMA, FALLS_BACK)
    pytest.importorskip("chromadb")
    assert index_archive(own_database, unset).store is VectorStore.CHROMA


@IN_POSTGRES
def test_what_is_gone_is_not_found_before_anything_is_indexed(built: Database, home: Settings, model: Letters):
    index_archive(built, home)
    gone = {
        chunk
        for (chunk,) in query(built, "SELECT chunk_id::text FROM derived.qa_chunks WHERE dialogue_id = %s", PLANETS.id)
    }
    assert gone & set(nearest_ids(built, home))
    with built.session() as connection:
        connection.execute("DELETE FROM raw.dialogues WHERE id = %s", [PLANETS.id])
    assert not gone & set(nearest_ids(built, home))
    left = compare(built, home, seed="x")
    assert (left.is_equal, left.surplus, left.stale) == (False, {"text": 4}, {"text": 0})
    index_archive(built, home)
    assert compare(built, home, seed="x").is_equal


@IN_POSTGRES
def test_chunks_without_a_vector_are_stale(built: Database, home: Settings, model: Letters):
    index_archive(built, home)
    add(built, home, batch_of(linear("new", ("user", "Entirely new?"), ("assistant", "Yes, entirely."))))
    assert compare(built, home, seed="x").stale == {"text": 2}


@IN_POSTGRES
@pytest.mark.parametrize("damage", ["[1,2]", "[0.5,0,0]"])
def test_a_damaged_vector_is_found_and_made_again(built: Database, home: Settings, model: Letters, damage: str):
    index_archive(built, home)
    whole = query(built, VECTORS)
    damaged = "UPDATE derived.chunk_embeddings SET half_vector = %s::halfvec WHERE content_hash = %s"
    with built.session() as connection:
        connection.execute(damaged, [damage, whole[3][1]])
    assert compare(built, home, seed="x").differing == [whole[3][1]]
    assert index_archive(built, home, rebuild=True).embedding.embedded == 1
    assert compare(built, home, seed="x").is_equal
    assert query(built, VECTORS) == whole


@IN_POSTGRES
def test_a_text_without_tokens_is_near_to_nothing(built: Database, home: Settings, model: Letters):
    index_archive(built, home)
    with built.session() as connection:
        connection.execute(
            "UPDATE derived.chunk_embeddings SET half_vector = '[0,0,0]' WHERE content_hash = "
            "(SELECT content_hash FROM derived.qa_chunks WHERE text = 'And the oven?')"
        )
    assert compare(built, home, seed="x").is_equal
    assert len(nearest_ids(built, home)) == 7
    assert index_archive(built, home, rebuild=True).embedding.embedded == 0
    engine = SearchEngine(built, home)
    engine.query_reader._embedders["letters"] = model
    for mode in ("text", "visual"):
        for filters in (SearchFilters(), SearchFilters(source="chatgpt")):
            scores = [result["score"] for result in engine.search_now("And the oven?", 10, mode, filters=filters)]
            assert scores
            assert all(0 <= score <= 1 for score in scores)


@IN_POSTGRES
def test_many_vectors_get_a_graph_that_finds_the_same(
    built: Database, home: Settings, model: Letters, monkeypatch: pytest.MonkeyPatch
):
    index_archive(built, home)
    exactly = nearest_ids(built, home, most=5)
    assert query(built, GRAPHS) == [(0,)]
    monkeypatch.setattr(postgres, "GRAPH_FROM", 8)
    index_archive(built, home)
    assert query(built, GRAPHS) == [(1,)]
    assert nearest_ids(built, home, most=5) == exactly
    # A few new vectors are added to it; many make it anew, and it is never searched half made.
    monkeypatch.setattr(postgres, "_NEW_SHARE", 10)
    add(built, home, batch_of(linear("new", ("user", "Ooooo aaa?"), ("assistant", "Ooooo ooo aa."))))
    index_archive(built, home)
    assert query(built, GRAPHS) == [(1,)]
    with_graph = nearest_ids(built, home, "Ooooo aaa?", most=5)
    assert len(with_graph) == 5
    # What a graph cannot answer is compared one by one.
    assert nearest_ids(built, home, "Ooooo aaa?", most=1_000)[:5] == with_graph


@IN_POSTGRES
def test_the_graph_is_used(built: Database, home: Settings, model: Letters, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(postgres, "GRAPH_FROM", 8)
    generation = index_archive(built, home).sync.index.generation
    with built.session() as connection:
        connection.execute("SET LOCAL enable_seqscan = off")
        connection.execute("SET LOCAL enable_sort = off")  # eight rows are sorted faster
        plan = explained(connection, generation.id, generation.dimensions)
    assert f"ix_chunk_embeddings_neighbours_{generation.id}" in plan


def explained(connection: psycopg.Connection[object], generation_id: int, dimensions: int) -> str:
    """The plan of the query by the graph."""
    text = sql.SQL("EXPLAIN " + load_query("vector_index/nearest_chunks_by_graph")).format(
        dimensions=sql.Literal(dimensions), generation_id=sql.Literal(generation_id)
    )
    parameters = {"vector": nearest.as_text(Letters().embed_query("a")), "most": 5}
    return "\n".join(str(line) for (line,) in connection.execute(text, parameters))


@IN_POSTGRES
def test_a_large_share_of_new_vectors_drops_the_graph_first(
    built: Database, home: Settings, model: Letters, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(postgres, "GRAPH_FROM", 8)
    index_archive(built, home)
    add(built, home, batch_of(linear("new", ("user", "Ooooo aaa?"), ("assistant", "Ooooo ooo aa."))))
    seen: list[tuple[str, int]] = []
    index_archive(built, home, progress=lambda stage, _done, _total: seen.append((stage, query(built, GRAPHS)[0][0])))
    assert seen == [("embedding", 0), ("embedding", 0), ("graph", 0), ("graph", 0)]
    assert query(built, GRAPHS) == [(1,)]


KILLED = """
import os, signal, sys
from pathlib import Path
from archive_pipeline.retrieval.index import embed, postgres, run
from archive_pipeline.domain.choices import VectorStore
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.retrieval.index.letters import Letters

url, home, store, stage, after = sys.argv[1:]
embed.BATCH_TEXTS, postgres.GRAPH_FROM = 3, 8
run.open_embedder = lambda _settings: Letters()
calls = 0

def die(name, done, total):
    global calls
    calls += name == stage
    if calls > int(after):
        os.kill(os.getpid(), signal.SIGKILL)

run.index_archive(Database(url), Settings(home=Path(home), vector_index=VectorStore(store)), progress=die)
"""


# Vectors are in PostgreSQL before either store gets them: to be killed there in one of the two says it of both.
KILLED_AT = [
    (VectorStore.POSTGRES, "embedding", 1),
    (VectorStore.POSTGRES, "graph", 0),
    (VectorStore.CHROMA, "text", 0),
    (VectorStore.POSTGRES, "graph", 1),
    (VectorStore.CHROMA, "text", 1),
    (VectorStore.CHROMA, "embedding", 1),
    *itertools.product(VectorStore, ["embedding"], [0, 3]),
]


@pytest.mark.parametrize(("home", "stage", "after"), some_of(KILLED_AT, 3), indirect=["home"])
def test_a_killed_process_leaves_what_the_next_run_completes(
    built: Database, home: Settings, model: Letters, stage: str, after: int
):
    died = subprocess.run(
        [sys.executable, "-c", KILLED, built.url, str(home.home), str(home.vector_index), stage, str(after)],
        check=False,
    )
    assert died.returncode == -signal.SIGKILL
    index_archive(built, home)
    assert compare(built, home, seed="x").is_equal
    after_kill = query(built, VECTORS.replace("generation_id, ", "").replace("1, 2", "1"))
    found = nearest_ids(built, home)
    with built.session() as connection:
        connection.execute("DELETE FROM derived.embedding_generations")
    index_archive(built, home, rebuild=True)
    assert query(built, VECTORS.replace("generation_id, ", "").replace("1, 2", "1")) == after_kill
    assert nearest_ids(built, home) == found
    assert searched(built, home).generation.model == "letters"


@IN_POSTGRES
def test_a_search_asks_the_database(built: Database, home: Settings, monkeypatch: pytest.MonkeyPatch):
    pytest.importorskip("wordllama")
    index_archive(built, home)
    monkeypatch.setitem(sys.modules, "chromadb", None)
    engine = SearchEngine(built, home)
    for mode in ("hybrid", "text", "visual"):
        results = engine.search_now("largest planet", 1, mode)
        assert (results[0]["doc_id"], results.degraded) == (PLANETS.id, {})
    assert not (home.home / "chroma").exists()
