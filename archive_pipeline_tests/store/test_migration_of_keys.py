"""An archive whose keys did not have the dialogue gets it: the same rows, and nothing to build."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest

from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.errors import DatabaseVersionError
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.migrate import migrate
from archive_pipeline.store.table_partitions import partition_tables
from archive_pipeline_tests.exports import chain, chatgpt, load
from archive_pipeline_tests.store.schema import differences, downgrade
from archive_pipeline_tests.tables import derived_rows, query, raw_rows
from archive_pipeline_tests.variants import some_of

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.filterwarnings("ignore:Computed default on exchange_content.full_text:UserWarning"),
]

FILLED = ("derived.prompt_response_content", "derived.exchange_content", "raw.document_attachments")


def test_keys_and_columns_come_and_rows_stay(
    new_migrated_database: Callable[[], Database], tmp_path: Path, settings: Settings
):
    database = new_migrated_database()
    load(database, tmp_path / "c.json", *(chatgpt(name, chain("q", name, "and?", "so", prefix=name)) for name in "abc"))
    build_stale(database, settings)
    with database.session() as connection:
        connection.execute(
            "INSERT INTO raw.documents (id, sha256, file_name, extension, size_bytes, source_path, origin, status, "
            "page_count, reader_version) SELECT gen_random_uuid(), 'x', 'x', 'txt', 1, 'x', 'path', 'done', 0, 1"
        )
        connection.execute(
            "INSERT INTO raw.document_attachments SELECT document.id, message.id, message.dialogue_id "
            "FROM raw.documents AS document CROSS JOIN raw.messages AS message"
        )
    before = raw_rows(database), derived_rows(database), links(database)
    assert len(before[2]) == 12
    downgrade(database, "0020")
    columns = "SELECT count(*) FROM pg_attribute WHERE attrelid = %s::regclass AND attname = 'dialogue_id'"
    assert [query(database, columns, table) for table in FILLED] == [[(0,)]] * 3
    with pytest.raises(psycopg.errors.UniqueViolation), database.session() as connection:  # as it was
        connection.execute("UPDATE raw.dialogues SET partition_key = 'same'")
    migrate(database)
    assert differences(database) == []
    assert (raw_rows(database), derived_rows(database), links(database)) == before
    assert {result.built for result in build_stale(database, settings).values()} == {0}


def links(database: Database) -> list[tuple[object, ...]]:
    return query(database, "SELECT message_id, dialogue_id FROM raw.document_attachments ORDER BY message_id")


def test_a_key_of_the_user_s_own_is_named_and_nothing_is_changed(new_migrated_database: Callable[[], Database]):
    database = new_migrated_database()
    downgrade(database, "0022")
    with database.session() as connection:
        connection.execute(
            "CREATE TABLE public.notes (message uuid CONSTRAINT of_message REFERENCES raw.messages (id))"
        )
    with pytest.raises(DatabaseVersionError, match=r"constraint of_message on table notes .*; drop it"):
        migrate(database)
    assert query(database, "SELECT version_num FROM raw.schema_version") == [("0022",)]
    with database.session() as connection:
        connection.execute("DROP TABLE public.notes")
    migrate(database)
    assert differences(database) == []


@pytest.mark.parametrize("partitions", some_of([2, 0]))
def test_keys_begin_with_the_dialogue_in_whole_tables_and_in_split_ones(
    partitions: int, new_migrated_database: Callable[[], Database], tmp_path: Path, settings: Settings
):
    database = new_migrated_database()
    load(database, tmp_path / "c.json", *(chatgpt(name, chain("q", name, "and?", "so", prefix=name)) for name in "abc"))
    build_stale(database, settings)
    list(partition_tables(database, partitions))
    with database.session() as connection:
        connection.execute(
            "CREATE TABLE public.notes (message uuid, dialogue uuid, CONSTRAINT of_message"
            " FOREIGN KEY (message, dialogue) REFERENCES raw.messages (id, dialogue_id) ON DELETE CASCADE)"
        )
        connection.execute("INSERT INTO public.notes SELECT id, dialogue_id FROM raw.messages")
    before, keys = (raw_rows(database), derived_rows(database)), definitions(database)
    downgrade(database, "0027")
    assert ("raw.messages", "PRIMARY KEY (id, dialogue_id)") in definitions(database)
    assert ("raw.content_parts", "UNIQUE (message_id, sequence, dialogue_id)") in definitions(database)
    # As a role has it that was given the database's own tablespace as its default.
    named = Database(f"{database.url}&options=-cdefault_tablespace%3Dpg_default")
    migrate(named)
    named.engine.dispose()
    assert ("raw.messages", "PRIMARY KEY (dialogue_id, id)") in keys
    assert definitions(database) == keys
    assert differences(database) == []
    assert (raw_rows(database), derived_rows(database)) == before
    with database.session() as connection:
        connection.execute("DELETE FROM raw.dialogues WHERE source_id = 'a'")
    assert query(database, "SELECT count(*) FROM public.notes") == [(8,)]


def definitions(database: Database) -> list[tuple[str, str]]:
    """Return the keys of all tables, each with its table."""
    return query(
        database,
        "SELECT conrelid::regclass::text, pg_get_constraintdef(oid) FROM pg_constraint"
        " WHERE contype IN ('p', 'u', 'f') AND conparentid = 0 AND connamespace <> 'dagster'::regnamespace"
        " ORDER BY 1, 2",
    )
