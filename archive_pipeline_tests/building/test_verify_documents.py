"""Chunks of documents: incremental = rebuild, and every kind of drift in them is found."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.building.document_source import DOCUMENTS
from archive_pipeline.building.documents import build_document_chunks
from archive_pipeline.building.verify import Verification, verify_archive, verify_sample
from archive_pipeline.settings import Settings
from archive_pipeline.store.compare import TableDrift
from archive_pipeline.store.database import Database
from archive_pipeline.store.document_chunks import DOCUMENT_CHUNKS
from archive_pipeline_tests.conftest import empty
from archive_pipeline_tests.documents.stored import PAGE, remove_document, store_document
from archive_pipeline_tests.tables import query
from archive_pipeline_tests.trials import trials

pytestmark = pytest.mark.postgres

# Without the number that a row is given each time it is written.
ROWS = (
    "SELECT to_jsonb(chunk) - 'chunk_number' FROM derived.document_chunks AS chunk "
    "ORDER BY document_id, page, chunk_index"
)
NAMES = ("a", "b", "c")
TEXTS = ("", PAGE, PAGE * 20, "Fig. 3", "```\ncode\n```", "Ein Brot aus Roggen braucht Zeit und Wärme. " * 5)


@pytest.fixture
def built(database: Database, settings: Settings) -> Database:
    """Three documents of two pages each, one of which has two chunks."""
    for name in NAMES:
        store_document(database, name, [PAGE + name, PAGE * 15 + name])
    built = build_document_chunks(database, settings)
    assert (built.built, built.size, built.rows) == (3, 6, {DOCUMENT_CHUNKS: 9})
    return database


def drift(found: Verification) -> TableDrift:
    return found.tables[DOCUMENT_CHUNKS]


def looked_at(found: Verification) -> tuple[int, int, int]:
    return found.counts["documents"], found.counts["pages"], found.stale[DOCUMENT_CHUNKS]


def change(database: Database, statement: str) -> None:
    with database.session() as connection:
        connection.execute(statement)


def test_what_was_built_is_verified_and_not_touched(
    built: Database, settings: Settings, monkeypatch: pytest.MonkeyPatch
):
    before = query(built, ROWS)
    for max_pages in (1, 5, 1_000):
        monkeypatch.setattr(DOCUMENTS, "max_size", max_pages)
        found = verify_archive(built, settings)
        assert looked_at(found) == (3, 6, 0)
        assert (drift(found).rows, drift(found).total) == (len(before), 0)
    assert query(built, ROWS) == before


DRIFT = {
    "UPDATE derived.document_chunks SET token_count = token_count + 1 WHERE page = 1": {"different": 3},
    "DELETE FROM derived.document_chunks WHERE chunk_index = 1": {"missing": 3},
    "UPDATE derived.document_chunks SET chunk_id = gen_random_uuid() WHERE chunk_index = 1": {"extra": 3, "missing": 3},
    "UPDATE raw.document_pages SET markdown = 'Other.' WHERE page = 1": {"different": 3},
}


@pytest.mark.parametrize("statement", DRIFT)
def test_a_hand_in_the_table_is_found(statement: str, built: Database, settings: Settings):
    change(built, statement)
    assert drift(verify_archive(built, settings)).counts == DRIFT[statement]
    sample = verify_sample(built, settings, DOCUMENTS, number=20, seed="x")
    assert drift(sample).counts == DRIFT[statement]


def test_a_different_row_says_which_columns(built: Database, settings: Settings):
    change(built, "UPDATE derived.document_chunks SET language = 'simple', end_offset = end_offset + 1 WHERE page = 1")
    (example, *_) = drift(verify_archive(built, settings)).examples
    assert (example.kind, example.columns) == ("different", ("end_offset", "language"))
    assert (example.key,) in query(built, "SELECT chunk_id::text FROM derived.document_chunks")


def test_stale_documents_are_no_drift(built: Database, settings: Settings):
    change(built, "DELETE FROM derived.document_chunks")
    store_document(built, "a", ["Read again."])
    found = verify_archive(built, settings)
    assert (looked_at(found), drift(found).counts["missing"]) == ((3, 4, 1), 6)
    finer = verify_archive(built, settings.with_values(chunk_tokens=16))
    assert (looked_at(finer), drift(finer).total) == ((3, 0, 3), 0)
    sample = verify_sample(built, settings.with_values(chunk_tokens=16), DOCUMENTS, number=20, seed="x")
    assert sample.compared == []


def test_documents_that_cannot_be_read_are_not_looked_at(built: Database, settings: Settings):
    change(built, "DELETE FROM raw.document_pages")
    change(built, "UPDATE raw.documents SET status = 'failed', error = 'no', page_count = 0")
    found = verify_archive(built, settings)
    assert (looked_at(found), drift(found).rows) == ((0, 0, 0), 0)


def test_a_sample_is_another_one_with_another_seed(built: Database, settings: Settings):
    chosen = {
        seed: tuple(verify_sample(built, settings, DOCUMENTS, number=1, seed=seed).compared) for seed in "abcdefgh"
    }
    assert {len(documents) for documents in chosen.values()} == {1}
    assert len(set(chosen.values())) > 1
    again = verify_sample(built, settings, DOCUMENTS, number=1, seed="a")
    assert tuple(again.compared) == chosen["a"]


def test_large_documents_are_left_out_of_samples(built: Database, settings: Settings, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(DOCUMENTS, "max_sampled_size", 1)
    assert verify_sample(built, settings, DOCUMENTS, number=20, seed="x").compared == []


def test_full_cuts_what_is_up_to_date_and_mends_it(built: Database, settings: Settings):
    before = query(built, ROWS)
    change(built, "UPDATE derived.document_chunks SET text = 'x'")
    assert build_document_chunks(built, settings).built == 0
    assert build_document_chunks(built, settings, full=True).rows == {DOCUMENT_CHUNKS: len(before)}
    assert query(built, ROWS) == before


# What happens to documents: (name, its pages; None: it is removed), tokens of a chunk, whether chunks are built then.
steps = st.tuples(
    st.sampled_from(NAMES),
    st.none() | st.lists(st.sampled_from(TEXTS), max_size=3),
    st.sampled_from([16, 256]),
    st.booleans(),
)


@given(history=st.lists(steps, max_size=8))
@trials(25)
def test_incremental_equals_rebuild(
    archive: Database, settings: Settings, history: list[tuple[str, list[str] | None, int, bool]]
):
    empty(archive)
    for name, pages, tokens, is_built in history:
        if pages is None:
            remove_document(archive, name)
        else:
            store_document(archive, name, pages)
        if is_built:
            build_document_chunks(archive, settings.with_values(chunk_tokens=tokens))
    build_document_chunks(archive, settings)
    incremental = query(archive, ROWS)
    found = verify_archive(archive, settings)
    assert (drift(found).rows, drift(found).total, looked_at(found)[2]) == (len(incremental), 0, 0)
    build_document_chunks(archive, settings, full=True)
    assert query(archive, ROWS) == incremental
