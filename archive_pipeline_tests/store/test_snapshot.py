"""A snapshot: both connections see one state, and a statement that takes too long ends."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pyarrow as pa
import pytest

from archive_pipeline.errors import QueryTimeoutError
from archive_pipeline.store import snapshot as module
from archive_pipeline.store.database import Database
from archive_pipeline.store.snapshot import read_snapshot
from archive_pipeline_tests.exports import chain, chatgpt, load
from archive_pipeline_tests.tables import query

pytestmark = pytest.mark.postgres


def test_both_connections_see_the_state_at_the_beginning(database: Database, tmp_path: Path):
    load(database, tmp_path / "one.json", chatgpt("one", chain("a", "b")))
    [(one,)] = query(database, "SELECT id::text FROM raw.dialogues")
    with read_snapshot(database) as snapshot:
        load(database, tmp_path / "more.json", chatgpt("one", chain("a", "b", "c")), chatgpt("two", chain("d")))
        assert snapshot.connection.execute("SELECT count(*) FROM raw.dialogues").fetchall() == [(1,)]
        assert snapshot.of_dialogues("batch/batch_messages", [one]).num_rows == 2
        with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
            snapshot.connection.execute("DELETE FROM raw.dialogues")
    with read_snapshot(database) as snapshot:
        assert snapshot.of_dialogues("batch/batch_messages", [one]).num_rows == 3


def test_reading_as_arrow_does_not_ask_for_the_types_of_the_database(database: Database):
    with read_snapshot(database) as snapshot:
        found = snapshot.arrow("SELECT 1 AS number, NULL::raw.dialogues AS of_no_known_type").schema
    assert found.field("number").type == pa.int32()
    assert not pa.types.is_struct(found.field("of_no_known_type").type)


def test_ids_that_are_none_are_refused(database: Database):
    with read_snapshot(database) as snapshot, pytest.raises(ValueError, match="not an id"):
        snapshot.of_dialogues("batch/batch_messages", ["'} DROP"])


def test_what_takes_too_long_ends_on_either_connection(database: Database, monkeypatch: pytest.MonkeyPatch):
    with (
        pytest.raises(QueryTimeoutError, match=r"more than 0\.05 seconds"),
        read_snapshot(database, seconds=0.05) as snapshot,
    ):
        snapshot.connection.execute("SELECT pg_sleep(60)")
    monkeypatch.setattr(module, "load_query", lambda _: "SELECT pg_sleep(60)::text AS slept")
    with pytest.raises(QueryTimeoutError), read_snapshot(database, seconds=0.05) as snapshot:
        snapshot.of_dialogues("any", [])


def test_times_are_in_utc_whatever_the_zone_of_the_server(database: Database, tmp_path: Path):
    load(database, tmp_path / "one.json", chatgpt("one", chain("a"), create_time=1.0))
    with database.session() as connection:
        [(name,)] = connection.execute("SELECT current_database()").fetchall()
        connection.execute(f"ALTER DATABASE {name} SET timezone = 'America/New_York'")
    database.engine.dispose()
    try:
        with read_snapshot(database) as snapshot:
            [(began,)] = snapshot.connection.execute("SELECT source_created_at FROM raw.dialogues").fetchall()
            zone = snapshot.arrow("SELECT created_at FROM raw.messages").schema.field("created_at").type.tz
        assert (began.isoformat(), zone) == ("1970-01-01T00:00:01+00:00", "UTC")
    finally:
        with database.session() as connection:
            connection.execute(f"ALTER DATABASE {name} RESET timezone")
        database.engine.dispose()
