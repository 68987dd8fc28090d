"""Many writers of the lexical index at the same time: none waits, and its segments stay few and apart."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any, ClassVar

import psycopg
import pytest

from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.building.verify import verify_archive
from archive_pipeline.derive.registry import ASSETS
from archive_pipeline.settings import Settings
from archive_pipeline.store import lexical_index, lexical_segments
from archive_pipeline.store.database import Database
from archive_pipeline.store.lexical_segments import MERGED_SEGMENTS, purge_deleted, tidy_index
from archive_pipeline.store.replace import encode_frames, replace_rows
from archive_pipeline_tests.derive.batches import Talk, batch_of, linear, store
from archive_pipeline_tests.tables import query

pytestmark = pytest.mark.postgres

Segments = list[tuple[int, int, int]]


def talk(number: int) -> Talk:
    return linear(f"w{number}", ("user", f"Which tree is number{number}?"), ("assistant", f"It is an ash{number}."))


def write(connection: psycopg.Connection[Any], settings: Settings, *talks: Talk) -> None:
    """Write the chunks of dialogues that are stored, two of each, in the connection's transaction."""
    connection.execute("SET LOCAL lock_timeout = '20s'")  # whoever waits for another writer fails
    frames = ASSETS["qa_chunks"].derive(batch_of(*talks), settings)
    fingerprints = {each.id: "f" for each in talks}
    replace_rows(connection, "qa_chunks", encode_frames(frames), fingerprints=fingerprints, code_version="v")


@contextmanager
def writing(database: Database, settings: Settings, *talks: Talk) -> Iterator[None]:
    """Have written the chunks of dialogues, in a transaction that ends with the block."""
    with psycopg.connect(database.url) as connection:
        write(connection, settings, *talks)
        yield


def segments(database: Database) -> Segments:
    return query(database, "SELECT first_number, last_number, chunk_count FROM derived.search_segments ORDER BY 1")


def check(database: Database, settings: Settings) -> None:
    """Segments are apart, have the numbers of all chunks, and say what these say."""
    found = segments(database)
    assert all(before[1] < after[0] for before, after in pairwise(found))
    assert sum(count for *_, count in found) == query(database, "SELECT count(*) FROM derived.qa_chunks")[0][0]
    assert verify_archive(database, settings).tables["search_postings"].total == 0


@pytest.fixture(autouse=True)
def few_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """As soon as there are enough segments to merge, they are."""
    monkeypatch.setattr(lexical_segments, "MANY_SEGMENTS", 1)


@pytest.fixture
def talks(database: Database) -> list[Talk]:
    """Dialogues with two chunks each; what these hang on is there."""
    made = [talk(number) for number in range(60)]
    store(database, batch_of(*made))
    return made


def test_a_writer_does_not_wait_for_one_that_has_not_ended(database: Database, settings: Settings, talks: list[Talk]):
    with writing(database, settings, talks[0]), writing(database, settings, talks[1]), database.session() as connection:
        write(connection, settings, talks[2])
    check(database, settings)
    assert sorted(last - first + 1 for first, last, _ in segments(database)) == [2, 2, 2]


class Interrupted(psycopg.Cursor[Any]):
    """A cursor after whose first query others are at work."""

    between: ClassVar[Callable[[], object] | None] = None

    def fetchall(self) -> list[Any]:
        found = super().fetchall()
        between, Interrupted.between = Interrupted.between, None
        if between is not None:
            between()
        return found


def test_a_segment_that_another_one_merges_meanwhile_is_no_error(
    database: Database, settings: Settings, talks: list[Talk]
):
    with writing(database, settings, *talks[:3]):
        pass
    with writing(database, settings, *talks[3:6]), psycopg.connect(database.url) as connection:
        deleted = [number for (number,) in connection.execute("SELECT first_number FROM derived.search_segments")]
        connection.execute("DELETE FROM derived.qa_chunks WHERE chunk_number = ANY(%s)", (deleted,))
        connection.cursor_factory = Interrupted
        Interrupted.between = lambda: query(database, "DELETE FROM derived.search_segments RETURNING 1")
        tidy_index(connection, deleted)
    assert Interrupted.between is None


def test_one_that_has_not_ended_is_not_merged_over(database: Database, settings: Settings, talks: list[Talk]):
    with writing(database, settings, talks[0]):
        before = query(database, "SELECT last_value FROM derived.chunk_numbers")[0][0]
        for each in talks[1 : 1 + MERGED_SEGMENTS - 1]:
            with database.session() as connection:
                write(connection, settings, each)
        with writing(database, settings, talks[19]):
            pass
        assert [count for *_, count in segments(database)] == [2 * MERGED_SEGMENTS]
        assert segments(database)[0][0] == before + 1
    check(database, settings)
    with database.session() as connection:
        write(connection, settings, *talks[20:21])
    check(database, settings)


def test_numbers_that_nobody_has_any_more_keep_nothing_apart(database: Database, settings: Settings, talks: list[Talk]):
    for each in talks[: 3 * MERGED_SEGMENTS]:
        with psycopg.connect(database.url) as connection:
            write(connection, settings, talks[50])
            connection.rollback()
        with database.session() as connection:
            write(connection, settings, each)
        assert len(segments(database)) < 2 * MERGED_SEGMENTS
    check(database, settings)


def test_segments_stay_few_with_many_writers_at_once(
    database: Database, settings: Settings, talks: list[Talk], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(lexical_segments, "MERGED_SEGMENTS", 3)
    errors: list[BaseException] = []

    def work(own: list[Talk]) -> None:
        try:
            for each in own:
                with psycopg.connect(database.url) as connection:
                    write(connection, settings, each)
        except BaseException as error:  # noqa: BLE001 (shown by the assertion)
            errors.append(error)

    threads = [threading.Thread(target=work, args=(talks[start::6],)) for start in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert errors == []
    check(database, settings)
    # Two of each size (3, 9, 27 and 81 chunks), and what each of the others left when it did not wait.
    assert len(segments(database)) <= 2 * 4 + 5
    with database.session() as connection:
        connection.execute("DELETE FROM derived.qa_chunks WHERE dialogue_id = %s", [talks[0].id])
        purge_deleted(connection)
    check(database, settings)


def test_a_segment_that_is_written_anew_keeps_the_others_numbers(
    database: Database, settings: Settings, talks: list[Talk]
):
    """A replacement deletes most of a segment while another transaction adds one."""
    with database.session() as connection:
        write(connection, settings, *talks[:8])
    [(first, last, _)] = segments(database)
    with writing(database, settings, talks[9]), database.session() as connection:
        write(connection, settings, *talks[:4])
    check(database, settings)
    [(at_first, to_last, count), *_] = segments(database)
    assert (at_first, to_last, count) == (first, last, 8)


def test_more_small_segments_than_one_can_hold_become_several(
    database: Database, settings: Settings, talks: list[Talk], monkeypatch: pytest.MonkeyPatch
):
    """As many writers leave when none could merge; segments of ten chunks hold what is merged."""
    monkeypatch.setattr(lexical_segments, "MERGED_SEGMENTS", 2)
    monkeypatch.setattr(lexical_segments, "MOST_TEXTS", 10)
    with monkeypatch.context() as patch:
        patch.setattr(lexical_segments, "_small_ones", lambda _connection: [])
        for each in talks[:12]:
            with database.session() as connection:
                write(connection, settings, each)
    assert len(segments(database)) == 12
    for each in talks[12:16]:
        with database.session() as connection:
            write(connection, settings, each)
    assert max(last - first + 1 for first, last, _ in segments(database)) <= 10
    assert len(segments(database)) <= 6
    check(database, settings)


def test_numbers_of_a_transaction_follow_each_other_whoever_else_takes_some(database: Database):
    taken: list[tuple[int, int]] = []

    def take(count: int) -> None:
        for _ in range(20):
            with psycopg.connect(database.url) as connection:
                connection.execute("SELECT 1")
                first = lexical_index._take_numbers(connection, count)
                taken.append((first, first + count - 1))
                assert lexical_index._take_numbers(connection, 1) > first + count - 1

    threads = [threading.Thread(target=take, args=(count,)) for count in (1, 7, 100)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(taken) == 60
    assert all(before[1] < after[0] for before, after in pairwise(sorted(taken)))


def test_who_was_given_numbers_keeps_nobody_waiting(database: Database):
    with psycopg.connect(database.url) as connection, psycopg.connect(database.url) as other:
        connection.execute("SELECT 1")
        other.execute("SET lock_timeout = '20s'")
        first = lexical_index._take_numbers(connection, 5)
        assert lexical_index._take_numbers(other, 1) == first + 5


def test_a_build_after_all_of_it_finds_nothing_stale(database: Database, settings: Settings, talks: list[Talk]):
    build_stale(database, settings)
    check(database, settings)
    assert len(talks) * 2 == query(database, "SELECT count(*) FROM derived.qa_chunks")[0][0]
