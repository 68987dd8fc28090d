"""The lexical index says what the chunks say, whatever was written, replaced and deleted before."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import psycopg
import pytest

from archive_pipeline.building.dialogues import build_asset
from archive_pipeline.derive.registry import effective_version
from archive_pipeline.settings import Settings
from archive_pipeline.store import lexical_index, lexical_segments
from archive_pipeline.store.copy import EncodedRows, copy_rows
from archive_pipeline.store.database import Database
from archive_pipeline.store.lexical_segments import MERGED_SEGMENTS, purge_deleted
from archive_pipeline.store.raw_writes import delete_dialogues
from archive_pipeline.store.staleness import stale_dialogues
from archive_pipeline.store.tables import search_postings
from archive_pipeline.text.search_terms import MOST_TEXTS, split_words, terms_of_word
from archive_pipeline_tests.derive.batches import Row, Talk, batch_of, linear, store
from archive_pipeline_tests.tables import query

pytestmark = pytest.mark.postgres

WORDS = ("ash", "birch", "cedar", "elm", "fir", "hazel", "larch", "maple", "oak", "pine", "rowan", "willow")


def talk(number: int, answer: str = "walking readHttpHeaders") -> Talk:
    words = f"{WORDS[number % len(WORDS)]} unique{number} {answer}"
    return linear(f"d{number}", ("user", f"Which trees, {WORDS[number % 7]}?"), ("assistant", words))


def add(database: Database, settings: Settings, *talks: Talk) -> None:
    """Store dialogues and build what is stale of pairs and chunks, which no other table is needed for."""
    store(database, batch_of(*talks))
    build(database, settings)


def build(database: Database, settings: Settings) -> None:
    for name in ("qa_pairs", "qa_chunks"):
        with database.session() as connection:
            stale = stale_dialogues(connection, name, effective_version(name, settings))
        build_asset(database, settings, name, stale)


def dialogue(database: Database, number: int) -> str:
    [(found,)] = query(
        database, "SELECT dialogue_id::text FROM derived.qa_pairs WHERE answer LIKE %s", f"% unique{number} %"
    )
    return str(found)


def indexed(database: Database) -> set[tuple[str, int]]:
    rows = query(database, "SELECT term, first_number, ordinals FROM derived.search_postings")
    return {(term, first + at) for term, first, held in rows for at in np.frombuffer(held, dtype="<u2").tolist()}


def said(database: Database) -> set[tuple[str, int]]:
    rows = query(
        database,
        "SELECT chunk_number, text, language::text FROM derived.all_chunks WHERE NOT is_near_duplicate",
    )
    return {
        (term, number)
        for number, text, language in rows
        for word in split_words(text)
        for term in terms_of_word(word, language)
    }


def segments(database: Database) -> list[tuple[int, int, int]]:
    return query(database, "SELECT first_number, last_number, chunk_count FROM derived.search_segments ORDER BY 1")


@pytest.fixture(autouse=True)
def few_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """As soon as there are enough segments to merge, they are."""
    monkeypatch.setattr(lexical_segments, "MANY_SEGMENTS", 1)


def test_a_build_writes_what_its_chunks_say(database: Database, settings: Settings):
    add(database, settings, *(talk(number) for number in range(20)))
    assert said(database)
    assert indexed(database) == said(database)
    [(first, last, chunks)] = segments(database)
    assert chunks == 40 == last - first + 1
    counted = "SELECT bool_and(chunk_count = length(ordinals) / 2 AND chunk_count = length(weights))"
    assert query(database, f"{counted} FROM derived.search_postings") == [(True,)]


def test_postings_of_a_segment_are_read_and_written_some_at_a_time(
    database: Database, settings: Settings, monkeypatch: pytest.MonkeyPatch
):
    sizes: list[int] = []

    def recorded(connection: psycopg.Connection[Any], rows: EncodedRows) -> int:
        if rows.table is search_postings:
            sizes.append(sum(map(len, rows.pieces)))
        return copy_rows(connection, rows)

    monkeypatch.setattr(lexical_segments, "copy_rows", recorded)
    monkeypatch.setattr(lexical_segments, "ROWS_AT_ONCE", 3)
    monkeypatch.setattr(lexical_segments, "CHARACTERS_AT_ONCE", 200)
    for number in range(MERGED_SEGMENTS):
        add(database, settings, talk(number))
    assert [chunks for _, _, chunks in segments(database)] == [2 * MERGED_SEGMENTS]
    assert indexed(database) == said(database)
    assert len(sizes) > 2 * MERGED_SEGMENTS
    assert max(sizes) < 400  # and the segment's number at the end of each line


def test_many_small_writes_make_few_segments(database: Database, settings: Settings):
    for number in range(3 * MERGED_SEGMENTS):
        add(database, settings, talk(number))
        found = segments(database)
        assert len(found) < 2 * MERGED_SEGMENTS
        assert all(before[1] < after[0] for before, after in pairwise(found))
    assert indexed(database) == said(database)
    assert sum(chunks for _, _, chunks in segments(database)) == 6 * MERGED_SEGMENTS


def test_small_segments_stay_until_there_are_many(
    database: Database, settings: Settings, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(lexical_segments, "MANY_SEGMENTS", MERGED_SEGMENTS + 2)
    for number in range(MERGED_SEGMENTS + 1):
        add(database, settings, talk(number))
    assert len(segments(database)) == MERGED_SEGMENTS + 1
    assert indexed(database) == said(database)
    add(database, settings, talk(MERGED_SEGMENTS + 1))
    assert [chunks for _, _, chunks in segments(database)] == [2 * (MERGED_SEGMENTS + 2)]
    assert indexed(database) == said(database)


def test_terms_that_are_merged_one_by_one_are_merged_alike(
    database: Database, settings: Settings, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(lexical_segments, "POSTINGS_AT_ONCE", 1)
    for number in range(MERGED_SEGMENTS):
        add(database, settings, talk(number))
    assert len(segments(database)) == 1
    assert indexed(database) == said(database)


def test_a_rebuild_leaves_nothing_of_the_chunks_before(database: Database, settings: Settings):
    add(database, settings, *(talk(number) for number in range(6)))
    before = {number for _, number in indexed(database)}
    query_none = "DELETE FROM derived.build_state"
    with database.session() as connection:
        connection.execute(query_none)
    build(database, settings)
    assert indexed(database) == said(database)
    assert not before & {number for _, number in indexed(database)}  # numbers are never given again


def test_a_few_deleted_chunks_wait_and_find_nothing_until_many_are_gone(database: Database, settings: Settings):
    add(database, settings, *(talk(number) for number in range(20)))
    with database.session() as connection:
        connection.execute("DELETE FROM raw.dialogues WHERE id = %s", [dialogue(database, 0)])
    add(database, settings, talk(30))
    gone = indexed(database) - said(database)
    assert {term for term, _ in gone if term.startswith("unique")} == {"unique0"}
    assert said(database) <= indexed(database)
    many = [dialogue(database, number) for number in range(1, 6)]
    with database.session() as connection:
        connection.execute("DELETE FROM raw.dialogues WHERE id = ANY(%s)", [many])
        connection.execute("DELETE FROM derived.build_state")
    build(database, settings)
    assert indexed(database) == said(database)


def test_words_go_with_their_dialogue(database: Database, settings: Settings):
    add(database, settings, talk(1), talk(2))
    first, second = dialogue(database, 1), dialogue(database, 2)
    with database.session() as connection:
        delete_dialogues(connection, [first])
    terms = {term for term, _ in indexed(database)}
    assert "unique1" not in terms
    assert "unique2" in terms
    assert indexed(database) == said(database)
    with database.session() as connection:
        delete_dialogues(connection, [second])
    assert segments(database) == []
    assert indexed(database) == set()


def test_what_a_broken_off_transaction_wrote_is_not_there(database: Database, settings: Settings):
    add(database, settings, talk(1))
    before = indexed(database)

    class StopError(Exception):
        pass

    def break_off() -> None:
        with database.session() as connection:
            connection.execute("DELETE FROM derived.qa_chunks")
            purge_deleted(connection)
            raise StopError

    with pytest.raises(StopError):
        break_off()
    assert indexed(database) == before


def test_rows_beyond_a_segment_begin_another_one(
    database: Database, settings: Settings, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(lexical_index, "CHUNKS_AT_ONCE", 8)
    add(database, settings, *(talk(number) for number in range(10)))
    assert [chunks for _, _, chunks in segments(database)] == [8, 8, 4]
    assert indexed(database) == said(database)
    assert lexical_index.CHUNKS_AT_ONCE <= MOST_TEXTS == 1 << 16  # what 16 bits number


def test_regenerated_answers_that_say_the_same_are_not_indexed(database: Database, settings: Settings):
    same = "The ash grows slowly and ash wood is hard to come by in these parts. " * 3
    rows = (
        Row("q", None, "user", "What is it?", 0), Row("a", "q", "assistant", same, 1),
        Row("b", "q", "assistant", same, 2),
    )  # fmt: skip
    add(database, settings, Talk("d", rows))
    [(copies,)] = query(database, "SELECT count(*) FROM derived.qa_chunks WHERE is_near_duplicate")
    assert copies == 2  # the question of the second pair, and its answer
    assert indexed(database) == said(database)
