"""Look-up indexes are made after a first load, are there whatever happens to it, and change nothing that is built."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest

from archive_pipeline.store import later_indexes
from archive_pipeline.store.database import Database
from archive_pipeline.store.index_upkeep import rebuild_grown_indexes
from archive_pipeline.store.later_indexes import (
    LATER_INDEXES,
    OF_DERIVED,
    OF_RAW,
    drop_indexes_of_empty_tables,
    indexes_made_after_import,
    indexes_made_later,
    make_missing_indexes,
)
from archive_pipeline.store.table_partitions import partition_tables
from archive_pipeline_tests.exports import chain, chatgpt, load
from archive_pipeline_tests.system.commands import wait_until
from archive_pipeline_tests.tables import query

pytestmark = pytest.mark.postgres

NAMES = {str(index.name) for _, index in OF_DERIVED}
NAMES_OF_RAW = {str(index.name) for _, index in OF_RAW}
DEFINITIONS = (
    "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname IN ('raw', 'derived', 'partitions') ORDER BY 1"
)


@pytest.fixture
def database(new_migrated_database: Callable[[], Database]) -> Database:
    """An archive without rows."""
    return new_migrated_database()


def definitions(database: Database) -> dict[str, str]:
    return dict(query(database, DEFINITIONS))


def add_a_row(database: Database) -> None:
    """Write a row of response hashes."""
    with database.session() as connection:
        connection.execute("SET session_replication_role = replica")  # no message has to be there
        connection.execute(
            "INSERT INTO derived.response_hashes"
            " (response_message_id, dialogue_id, prompt_hash, response_hash, path_hash, context_hash)"
            " VALUES (gen_random_uuid(), gen_random_uuid(), 'a', 'b', 'c', 'd')"
        )
        connection.execute("SET session_replication_role = DEFAULT")


def test_which_indexes_these_are():
    """Those by which no rows of a dialogue are found."""
    assert len(NAMES) == 32
    assert {
        "ix_messages_id",
        "ix_messages_parent_id",
        "ix_content_parts_message_id",
        "ix_attachments_message_id",
    } == NAMES_OF_RAW
    assert {"ix_content_hashes_full_sha256", "ix_response_hashes_path_hash", "ix_qa_chunks_content_hash"} < NAMES
    assert not any(name.endswith("_dialogue_id") for name in NAMES)
    assert not any(name.startswith("ix_duplicate_clusters") for name in NAMES)


def test_they_are_gone_in_the_block_and_the_same_after_it(database: Database, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(later_indexes, "FEWEST_MESSAGES", 0)
    before = definitions(database)
    assert before.keys() > NAMES
    messages: list[str] = []
    with indexes_made_later(database, fewest=0, on_wait=messages.append):
        assert definitions(database).keys() == before.keys() - NAMES
    assert definitions(database) == before
    assert messages == [later_indexes.MAKING]


def test_those_of_tables_that_are_written_are_made_meanwhile(database: Database):
    before = definitions(database)
    names = {"message_paths", "qa_pairs", "response_hashes"}
    of_tables = {str(index.name) for table, index in OF_DERIVED if table.name in names}
    with indexes_made_later(database, fewest=0) as make:
        make(["qa_pairs"])
        make(["message_paths", "response_hashes"])
        wait_until(lambda: definitions(database).keys() >= of_tables, "they are made")
        assert definitions(database).keys() == (before.keys() - NAMES) | of_tables
    assert definitions(database) == before


def test_what_cannot_be_made_meanwhile_is_made_at_the_end(database: Database, monkeypatch: pytest.MonkeyPatch):
    before = definitions(database)
    monkeypatch.setattr(later_indexes, "_TRIES", 1)
    with indexes_made_later(database, fewest=0) as make:
        with database.statements() as connection, connection.transaction():
            connection.execute("LOCK TABLE derived.qa_pairs IN ROW EXCLUSIVE MODE")
            make(["qa_pairs"])
            make(["response_hashes"])  # after the other one was given up
            wait_until(lambda: "ix_response_hashes_path_hash" in definitions(database), "it is made")
        assert "ix_qa_pairs_source_message_id" not in definitions(database)
    assert definitions(database) == before


def test_those_of_messages_are_gone_during_a_first_import_only(database: Database, tmp_path: Path):
    before = definitions(database)
    messages: list[str] = []
    with indexes_made_after_import(database, on_wait=messages.append):
        assert definitions(database).keys() == before.keys() - NAMES_OF_RAW
        load(database, tmp_path / "a.json", chatgpt("a", chain("q", "a")))
        load(database, tmp_path / "b.json", chatgpt("a", chain("q", "a", "more", "b")))
    assert definitions(database) == before
    assert messages == []  # it takes a moment
    with indexes_made_after_import(database):  # of attachments there are still none
        assert definitions(database) == before


def test_what_a_killed_import_has_left_out_is_there_after_the_next(database: Database, tmp_path: Path):
    before = definitions(database)
    drop_indexes_of_empty_tables(database, OF_RAW)
    load(database, tmp_path / "a.json", chatgpt("a", chain("q", "a")))
    with indexes_made_after_import(database):
        assert definitions(database).keys() == before.keys() - NAMES_OF_RAW
    assert definitions(database) == before


def test_what_was_just_made_is_not_rebuilt(database: Database):
    add_a_row(database)
    with database.statements() as connection:
        connection.execute("DROP INDEX derived.ix_response_hashes_path_hash")
    assert make_missing_indexes(database) == ["ix_response_hashes_path_hash"]
    rebuilt = rebuild_grown_indexes(database, smallest=8_192)
    assert "derived.ix_response_hashes_prompt_hash" in rebuilt
    assert "derived.ix_response_hashes_path_hash" not in rebuilt


def test_small_archives_keep_them(database: Database):
    before = definitions(database)
    with indexes_made_later(database, fewest=1) as make:
        make(["qa_pairs"])
        assert definitions(database) == before


def test_tables_with_rows_keep_theirs(database: Database):
    add_a_row(database)
    dropped = set(drop_indexes_of_empty_tables(database))
    assert (NAMES | NAMES_OF_RAW) - dropped == {name for name in NAMES if name.startswith("ix_response_hashes")}
    assert set(make_missing_indexes(database)) == dropped
    assert make_missing_indexes(database) == []


def test_who_reads_a_table_with_rows_is_not_waited_for(database: Database, monkeypatch: pytest.MonkeyPatch):
    def drop(_index: object) -> object:
        raise AssertionError("a statement that takes a lock")

    add_a_row(database)
    with database.session() as connection:
        with_rows = [each for each in LATER_INDEXES if each[0].name == "response_hashes"]
        monkeypatch.setattr(later_indexes, "OF_DERIVED", with_rows)
        monkeypatch.setattr(later_indexes, "DropIndex", drop)
        connection.execute("SELECT count(*) FROM derived.response_hashes")
        assert drop_indexes_of_empty_tables(database, with_rows) == []
        with indexes_made_later(database, fewest=0):
            pass


def test_they_are_made_also_when_the_block_fails(database: Database):
    before = definitions(database)
    with pytest.raises(ValueError, match="no build"), indexes_made_later(database, fewest=0):
        raise ValueError("no build")
    assert definitions(database) == before


def test_a_table_in_use_keeps_its_indexes(database: Database):
    with database.session() as connection:
        connection.execute("SELECT count(*) FROM derived.qa_pairs")
        assert "ix_qa_pairs_source_message_id" not in drop_indexes_of_empty_tables(database)
    make_missing_indexes(database)


def test_they_are_made_beside_a_transaction_that_writes(database: Database, monkeypatch: pytest.MonkeyPatch):
    drop_indexes_of_empty_tables(database)
    monkeypatch.setattr(later_indexes, "_TRIES", 1)
    with database.statements() as connection, connection.transaction():
        connection.execute("LOCK TABLE derived.qa_pairs IN ROW EXCLUSIVE MODE")
        with pytest.raises(psycopg.errors.LockNotAvailable):
            make_missing_indexes(database)
    monkeypatch.undo()
    assert "ix_qa_pairs_source_message_id" in make_missing_indexes(database)
    assert definitions(database).keys() > NAMES


def test_a_lock_is_waited_for_longer_than_the_server_leaves_it_to_an_autovacuum(
    database: Database, monkeypatch: pytest.MonkeyPatch
):
    """The server ends the autovacuum of a table that somebody has waited for during ``deadlock_timeout``, a second."""
    drop_indexes_of_empty_tables(database)
    monkeypatch.setattr(later_indexes, "_TRIES", 1)
    with database.statements() as connection, ThreadPoolExecutor(1) as threads:
        with connection.transaction():
            connection.execute("LOCK TABLE raw.messages IN SHARE UPDATE EXCLUSIVE MODE")
            made = threads.submit(make_missing_indexes, database)
            connection.execute("SELECT pg_sleep(1.1)")
        assert set(made.result()) > NAMES_OF_RAW


def test_what_cannot_be_made_is_left_to_later(database: Database, caplog: pytest.LogCaptureFixture):
    def fail(_database: Database, **_options: object) -> list[str]:
        raise psycopg.errors.DiskFull("no space left")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(later_indexes, "make_missing_indexes", fail)
        with indexes_made_later(database, fewest=0):
            pass
    assert "indexes are left to the next import, build or night: no space left" in caplog.text
    assert set(make_missing_indexes(database)) == NAMES


def test_partitions_have_them_again(database: Database):
    assert list(partition_tables(database, 2))
    parents = "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'derived' ORDER BY 1"
    of_partitions = "SELECT count(*) FROM pg_indexes WHERE schemaname = 'partitions'"
    before, [(count,)] = query(database, parents), query(database, of_partitions)
    with indexes_made_later(database, fewest=0):
        assert query(database, of_partitions) == [(count - 2 * len(NAMES),)]
    assert query(database, parents) == before
    assert query(database, of_partitions) == [(count,)]


def test_partitions_have_them_again_where_the_own_tablespace_is_the_default_by_its_name(database: Database):
    assert list(partition_tables(database, 2))
    before = definitions(database)
    named = Database(f"{database.url}&options=-cdefault_tablespace%3Dpg_default")
    drop_indexes_of_empty_tables(named)
    make_missing_indexes(named)
    assert definitions(named).keys() >= {index.name for _, index in LATER_INDEXES}
    assert len(definitions(named)) == len(before)
    named.engine.dispose()
