"""Vectors that are held in memory choose candidates; what is found is what comparing all vectors finds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.retrieval.index import nearest
from archive_pipeline.retrieval.index.client import ChromaClient
from archive_pipeline.retrieval.index.held_vectors import Candidates, HeldVectors, _Held
from archive_pipeline.retrieval.index.run import index_archive, purge_deleted
from archive_pipeline.retrieval.search.retrievers.base import Ranking
from archive_pipeline.retrieval.search.retrievers.dense import searched_vectors
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.embeddings import Vectors
from archive_pipeline.store.sql_files import load_query
from archive_pipeline_tests.derive.batches import batch_of, linear
from archive_pipeline_tests.retrieval.index.conftest import IN_POSTGRES, add
from archive_pipeline_tests.retrieval.index.letters import Letters, searched

MOST = 2
ALL, SOME = "vector_index/nearest_chunks", "vector_index/nearest_chunks_of_texts"
NEW = batch_of(linear("new", ("user", "Ooooo aaa?"), ("assistant", "Ooooo ooo aa.")))


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The statements that compare vectors."""
    ran: list[str] = []

    def load(name: str) -> str:
        ran.append(name)
        return load_query(name)

    monkeypatch.setattr(nearest, "load_query", load)
    return ran


def find(database: Database, home: Settings, held: HeldVectors, text: str = "anything") -> Ranking:
    """The nearest chunks."""
    vectors = searched_vectors(database, home, ChromaClient(database, home), held)
    return vectors.chunks(Letters().embed_query(text), most=MOST)


@IN_POSTGRES
def test_what_is_held_finds_what_comparing_all_finds(
    built: Database, home: Settings, model: Letters, compared: list[str]
):
    index_archive(built, home)
    held = HeldVectors(searches_before=0)
    for text in ("anything", "oven", "eee", "aeo", ""):
        assert find(built, home, held, text) == find(built, home, HeldVectors(), text)
    assert compared == [SOME, ALL] * 5


@IN_POSTGRES
def test_a_process_with_few_searches_reads_no_vectors(
    built: Database, home: Settings, model: Letters, compared: list[str]
):
    index_archive(built, home)
    held = HeldVectors(searches_before=3)
    for _ in range(5):
        find(built, home, held)
    assert compared == [ALL] * 3 + [SOME] * 2


@IN_POSTGRES
def test_vectors_that_take_too_much_memory_are_not_held(
    built: Database, home: Settings, model: Letters, compared: list[str]
):
    index_archive(built, home)
    held = HeldVectors(searches_before=0, most_bytes=50)
    for _ in range(2):
        find(built, home, held)
    assert compared == [ALL] * 2


@IN_POSTGRES
def test_a_new_text_is_found_at_once(built: Database, home: Settings, model: Letters):
    index_archive(built, home)
    held = HeldVectors(searches_before=0)
    before = find(built, home, held, "Ooooo aaa?")
    add(built, home, NEW)
    index_archive(built, home)
    after = find(built, home, held, "Ooooo aaa?")
    assert after != before
    assert after == find(built, home, HeldVectors(), "Ooooo aaa?")


@IN_POSTGRES
@pytest.mark.parametrize("is_purged", [False, True])
def test_a_deleted_text_is_found_no_more(built: Database, home: Settings, model: Letters, *, is_purged: bool):
    add(built, home, NEW)
    index_archive(built, home)
    held = HeldVectors(searches_before=0)
    best = find(built, home, held, "Ooooo aaa?").ids[0]
    with built.session() as connection:
        connection.execute("DELETE FROM derived.qa_chunks WHERE chunk_id = %s", [best])
    if is_purged:
        purge_deleted(built, home)
    after = find(built, home, held, "Ooooo aaa?")
    assert best not in after.ids
    assert after == find(built, home, HeldVectors(), "Ooooo aaa?")


@IN_POSTGRES
def test_vectors_that_went_unnoticed_are_made_up_for(
    built: Database, home: Settings, model: Letters, compared: list[str]
):
    index_archive(built, home)
    held = HeldVectors(searches_before=0)
    find(built, home, held)
    with built.session() as connection:  # behind the back of the index
        connection.execute(
            "DELETE FROM derived.chunk_embeddings WHERE content_hash IN (SELECT content_hash FROM derived.qa_chunks "
            "WHERE chunk_id = ANY(%s::uuid[]))",
            [list(find(built, home, held).ids)],
        )
    compared.clear()
    assert find(built, home, held) == find(built, home, HeldVectors())
    assert compared == [SOME, ALL, ALL]


@IN_POSTGRES
def test_vectors_that_are_others_by_the_time_they_are_read_are_not_held(
    built: Database, home: Settings, model: Letters
):
    index_archive(built, home)
    before = searched(built, home)
    add(built, home, NEW)
    index_archive(built, home)
    held, vector = HeldVectors(searches_before=0), model.embed_query("anything")
    with built.session() as connection:
        assert held.candidates(connection, before, vector, most=MOST) is None
        assert held.candidates(connection, searched(built, home), vector, most=MOST) is not None


def test_the_index_says_that_its_vectors_changed(built: Database, home: Settings, model: Letters):
    index_archive(built, home)
    first = searched(built, home)
    index_archive(built, home)
    assert searched(built, home) == first
    add(built, home, NEW)
    index_archive(built, home)
    second = searched(built, home)
    assert second.changed_at > first.changed_at
    with built.session() as connection:
        connection.execute("DELETE FROM raw.dialogues WHERE id = %s", [NEW.dialogue_ids[0]])
    purge_deleted(built, home)
    assert searched(built, home).changed_at > second.changed_at


@given(st.integers(0, 2**32 - 1), st.integers(1, 40), st.integers(1, 120))
def test_the_nearest_are_among_the_candidates(seed: int, most: int, number: int):
    chance = np.random.default_rng(seed)
    stored = unit(chance.normal(size=(number, 4)))
    stored[chance.random(number) < 0.1] = 0
    asked = unit(chance.normal(size=(1, 4)))[0]
    found = held_of(stored).candidates(asked, most)
    cosines = np.where(stored.any(axis=1), stored @ asked, -2)
    best = [str(at) for at in np.argsort(-cosines, kind="stable")[: most + (found.most_gone if found else 0)]]
    if found is None:
        assert number <= most + max(1, most // 4)
    else:
        assert set(best) <= set(found.content_hashes)


def test_a_query_without_a_direction_and_equal_vectors_are_left_to_the_database():
    vectors = np.tile(np.array([[1, 0]], dtype=np.float32), (100, 1))
    held = held_of(vectors)
    assert held.candidates(np.zeros(2, dtype=np.float32), 5) is None
    assert held.candidates(np.array([0, 1], dtype=np.float32), 5) is None
    vectors[:6] = [0, 1]
    assert held_of(vectors).candidates(np.array([0, 1], dtype=np.float32), 5) == Candidates(list("012345"), 1)


def unit(vectors: np.ndarray[tuple[int, int], np.dtype[np.float64]]) -> Vectors:
    scaled: Vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    return scaled


def held_of(vectors: Vectors) -> _Held:
    without = np.flatnonzero(~vectors.any(axis=1)).tolist()
    return _Held([str(at) for at in range(len(vectors))], vectors, without)
