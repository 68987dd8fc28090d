"""Verification of the lexical index: what it says of each chunk, whatever was written, replaced and deleted before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.building.documents import build_document_chunks
from archive_pipeline.building.verify import verify_archive
from archive_pipeline.settings import Settings
from archive_pipeline.store import lexical_compare
from archive_pipeline.store.compare import TableDrift
from archive_pipeline.store.database import Database
from archive_pipeline.store.raw_writes import delete_dialogues
from archive_pipeline.text.search_terms import split_words, terms_of_word
from archive_pipeline_tests.derive.batches import Talk, batch_of, linear, store
from archive_pipeline_tests.documents.stored import PAGE, store_document
from archive_pipeline_tests.tables import query
from archive_pipeline_tests.trials import trials

pytestmark = pytest.mark.postgres

WORDS = ("ash", "birch", "cedar", "readHttpHeaders", "walking", "日本", "naïve")


def talk(number: int) -> Talk:
    words = [WORDS[(number + at) % len(WORDS)] for at in range(3)]
    return linear(f"d{number}", ("user", f"Which trees, {words[0]}?"), ("assistant", " ".join(words)))


def index_of(database: Database, settings: Settings) -> TableDrift:
    return verify_archive(database, settings).tables["search_postings"]


def terms_of_chunks(database: Database) -> Counter[int]:
    """Per chunk, by its number, how many different terms it has."""
    rows = query(database, "SELECT chunk_number, text, language FROM derived.all_chunks WHERE NOT is_near_duplicate")
    terms = {
        (number, term)
        for number, text, language in rows
        for word in split_words(text)
        for term in terms_of_word(word, language)
    }
    return Counter(number for number, _ in terms)


@pytest.fixture
def built(database: Database, settings: Settings) -> Database:
    store(database, batch_of(*map(talk, range(6))))
    build_stale(database, settings)
    store_document(database, "manual", [PAGE])
    build_document_chunks(database, settings)
    return database


@pytest.mark.parametrize("most", [1, 3, 8_192])
def test_an_index_that_says_what_the_chunks_say_is_verified(
    built: Database, settings: Settings, monkeypatch: pytest.MonkeyPatch, most: int
):
    monkeypatch.setattr(lexical_compare, "MOST_COMPARED", most)
    found = index_of(built, settings)
    assert found.total == 0
    assert found.rows == terms_of_chunks(built).total() > 40


def test_a_list_that_is_gone_or_damaged_is_missing_in_each_of_its_chunks(built: Database, settings: Settings):
    [(trees,)] = query(built, "DELETE FROM derived.search_postings WHERE term = 'trees' RETURNING chunk_count")
    [(which,)] = query(
        built,
        "UPDATE derived.search_postings SET ordinals = '\\x00'::bytea WHERE term = 'which' RETURNING chunk_count",
    )
    found = index_of(built, settings)
    assert found.counts == {"missing": trees + which}
    assert [example.kind for example in found.examples] == ["missing"] * 3


def test_a_term_that_no_chunk_has_is_extra_and_another_weight_is_different(built: Database, settings: Settings):
    query(built, "UPDATE derived.search_postings SET term = 'zzz' WHERE term = 'trees' RETURNING 1")
    [(which,)] = query(
        built,
        "UPDATE derived.search_postings SET weights = set_byte(weights, 0, 7) WHERE term = 'which' RETURNING 1",
    )
    found = index_of(built, settings)
    assert found.counts == {"missing": 6, "extra": 6, "different": which}
    [different] = [example for example in found.examples if example.kind == "different"]
    assert different.key.startswith("which ")
    assert different.columns == ("weights",)


def test_chunks_that_no_segment_has_are_missing(built: Database, settings: Settings):
    [(last,)] = query(built, "SELECT max(last_number) FROM derived.search_segments")
    query(built, "DELETE FROM derived.search_segments WHERE last_number < %s RETURNING 1", last)
    terms = terms_of_chunks(built)
    [(first,)] = query(built, "SELECT first_number FROM derived.search_segments")
    assert index_of(built, settings).counts == {"missing": sum(terms[at] for at in terms if at < first)}
    query(built, "DELETE FROM derived.search_segments RETURNING 1")
    assert index_of(built, settings).counts == {"missing": terms.total()}


def test_what_is_said_of_chunks_that_are_gone_is_no_drift(built: Database, settings: Settings):
    query(built, "DELETE FROM raw.dialogues WHERE id = (SELECT id FROM raw.dialogues ORDER BY id LIMIT 1) RETURNING 1")
    found = index_of(built, settings)
    assert found.total == 0
    assert found.rows == terms_of_chunks(built).total()


STEPS = st.lists(st.tuples(st.sampled_from(["add", "delete", "rebuild"]), st.integers(0, 7)), min_size=1, max_size=12)


def entries(database: Database) -> Counter[tuple[str, str, int]]:
    """What the index says of chunks that are there, by their text instead of their number."""
    rows = query(
        database,
        "SELECT posting.term, chunk.text, get_byte(posting.weights, place::int)"
        " FROM derived.search_postings AS posting"
        " CROSS JOIN generate_series(0, posting.chunk_count - 1) AS place"
        " INNER JOIN derived.all_chunks AS chunk ON chunk.chunk_number = posting.first_number"
        " + get_byte(posting.ordinals, 2 * place::int) + 256 * get_byte(posting.ordinals, 2 * place::int + 1)",
    )
    return Counter((term, text, weight) for term, text, weight in rows)


@pytest.mark.slow
@trials(4)
@given(STEPS)
def test_an_index_that_grew_is_that_of_a_rebuild(
    database: Database, settings: Settings, steps: Sequence[tuple[str, int]]
):
    query(database, "DELETE FROM raw.dialogues RETURNING 1")
    there: set[int] = set()
    for step, number in steps:
        if step == "add" and number not in there:
            store(database, batch_of(talk(number)))
            there.add(number)
        elif step == "delete":
            with database.session() as connection:
                delete_dialogues(connection, batch_of(talk(number)).dialogue_ids)
            there.discard(number)
        elif step == "rebuild":
            query(database, "DELETE FROM derived.build_state RETURNING 1")
        build_stale(database, settings)
        assert index_of(database, settings).total == 0
    grown = entries(database)
    assert (not grown) == (not there)
    query(database, "DELETE FROM derived.search_segments RETURNING 1")
    query(database, "DELETE FROM derived.qa_chunks RETURNING 1")
    query(database, "DELETE FROM derived.build_state RETURNING 1")
    build_stale(database, settings)
    assert entries(database) == grown
