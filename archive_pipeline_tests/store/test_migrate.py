"""The schema: declared once, migrated to, and the same on every server."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest
from alembic import command
from sqlalchemy.engine import make_url
from sqlalchemy.exc import OperationalError

from archive_pipeline.errors import DatabaseUnavailableError, DatabaseVersionError
from archive_pipeline.readers.registry import readers
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import DAGSTER_SCHEMA, Database
from archive_pipeline.store.migrate import VERSION_TABLE, current_revision, head_revision, migrate
from archive_pipeline.store.sql_files import view_names
from archive_pipeline.store.tables import metadata
from archive_pipeline.store.views import view_name
from archive_pipeline_tests.store.schema import differences
from archive_pipeline_tests.tables import query

pytestmark = [
    pytest.mark.postgres,
    # Alembic cannot compare generated expressions; a test below looks at the one there is.
    pytest.mark.filterwarnings("ignore:Computed default on exchange_content.full_text:UserWarning"),
]

VIEWS = {
    "message_paths_v",
    "sequence_messages",
    "exchange_messages",
    "sequence_exchanges",
    "prompt_response_content_v",
    "prompt_exchanges",
    "copied_messages",
    "messages_with_content",
    "first_prompts",
    "match_rates",
    "duplicate_clusters_v",
    "text_entries",
    "page_entries",
    "all_documents",
    "all_pages",
    "all_chunks",
    "searchable_chunks",
}


def views(database: Database) -> set[str]:
    return {name for (name,) in query(database, "SELECT viewname FROM pg_views WHERE schemaname = 'derived'")}


def state(database: Database) -> list[tuple[object, ...]]:
    """Names, kinds and storage of everything in the project's schemas; a new object has a new oid."""
    return query(
        database,
        "SELECT relnamespace::regnamespace::text, relname, relkind, oid FROM pg_class "
        "WHERE relnamespace::regnamespace::text IN ('raw', 'derived') ORDER BY oid",
    )


def test_the_migrated_schema_is_the_declared_one(archive: Database):
    assert differences(archive) == []


def test_the_migrated_schema_is_the_declared_one_on_the_users_own_server(own_database: Database):
    # It has no pgvector: the one column of its type comes with the extension.
    missing = [(what, table, column.name) for what, _schema, table, column in differences(own_database)]
    assert missing == [("add_column", "chunk_embeddings", "half_vector")]
    assert views(own_database) == VIEWS


def test_checks_of_the_declaration_are_in_the_database(archive: Database):
    # Alembic compares neither checks nor generated expressions.
    declared = {
        constraint.name
        for table in metadata.tables.values()
        for constraint in table.constraints
        if type(constraint).__name__ == "CheckConstraint"
    }
    statement = "SELECT conname FROM pg_constraint WHERE contype = 'c' AND connamespace::regnamespace::text = ANY(%s)"
    found = {name for (name,) in query(archive, statement, ["raw", "derived", "annotations"])}
    assert {str(name).rsplit(".", 1)[-1] for name in declared} <= found
    assert query(
        archive,
        "SELECT is_generated FROM information_schema.columns WHERE table_schema = 'derived' "
        "AND table_name = 'exchange_content' AND column_name = 'full_text'",
    ) == [("ALWAYS",)]


def test_every_table_and_column_says_in_the_database_what_it_is(archive: Database):
    silent = query(
        archive,
        "SELECT c.relname, a.attname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum >= 0 "
        "LEFT JOIN pg_description d ON d.objoid = c.oid AND d.objsubid = a.attnum "
        "WHERE c.relkind = 'r' AND c.relnamespace::regnamespace::text IN ('raw', 'derived') AND NOT a.attisdropped "
        "AND d.description IS NULL AND c.relname <> %s",
        VERSION_TABLE,
    )
    assert silent == []
    for table in metadata.tables.values():
        assert query(archive, "SELECT obj_description(%s::regclass)", table.fullname) == [(table.comment,)]


def test_every_file_of_views_makes_the_view_it_is_named_after(archive: Database):
    assert views(archive) == VIEWS
    assert {view_name(file) for file in view_names()} == VIEWS


def test_migrating_again_touches_nothing(new_migrated_database: Callable[[], Database]):
    database = new_migrated_database()
    before = state(database)
    migrate(database)
    assert state(database) == before


def test_a_server_without_room_for_the_locks_on_all_partitions_is_named(
    new_database: Callable[[], Database], monkeypatch: pytest.MonkeyPatch
):
    """As PostgreSQL says it of 128 partitions with ``max_locks_per_transaction`` as it comes."""

    def fail(_config: object, _revision: str) -> None:
        raise OperationalError("ALTER TABLE", None, psycopg.errors.OutOfMemory("out of shared memory"))

    database = new_database()
    monkeypatch.setattr(command, "upgrade", fail)
    with pytest.raises(DatabaseUnavailableError, match="all its partitions at once; raise its max_locks_per_transact"):
        migrate(database)
    with database.engine.connect() as connection:
        assert current_revision(connection) is None


def test_an_empty_database_has_no_revision_and_a_migrated_one_has_the_newest(new_database: Callable[[], Database]):
    database = new_database()
    with database.engine.connect() as connection:
        assert current_revision(connection) is None
    migrate(database)
    with database.engine.connect() as connection:
        assert current_revision(connection) == head_revision()
    schemas = query(database, "SELECT nspname FROM pg_namespace WHERE nspname = ANY(%s)", ["raw", "derived", "dagster"])
    assert {name for (name,) in schemas} == {"raw", "derived", DAGSTER_SCHEMA}


def test_two_processes_may_migrate_at_once(new_database: Callable[[], Database]):
    database = new_database()
    code = (
        "import sys; from archive_pipeline.store.database import Database; "
        "from archive_pipeline.store.migrate import migrate; migrate(Database(sys.argv[1]))"
    )
    processes = [subprocess.Popen([sys.executable, "-c", code, database.url], stderr=subprocess.PIPE) for _ in "ab"]
    for process in processes:
        _, errors = process.communicate(timeout=300)
        assert process.returncode == 0, errors.decode()
    assert differences(database) == []
    assert query(database, "SELECT count(*) FROM raw.schema_version") == [(1,)]


def test_a_schema_newer_than_the_code_is_an_error_and_is_left_alone(new_migrated_database: Callable[[], Database]):
    database = new_migrated_database()
    with database.session() as connection:
        connection.execute("UPDATE raw.schema_version SET version_num = '9999'")
    before = state(database)
    with pytest.raises(DatabaseVersionError, match=r"9999.*upgrade"):
        migrate(database)
    assert state(database) == before


def test_a_schema_that_is_not_what_its_version_made_is_named_and_left_alone(new_database: Callable[[], Database]):
    database = new_database()
    with database.session() as connection:
        connection.execute("CREATE SCHEMA raw")
        connection.execute("CREATE TABLE raw.dialogues (mine text)")
    with pytest.raises(DatabaseVersionError, match=r'"dialogues" already exists; nothing was changed'):
        migrate(database)
    assert query(database, "SELECT count(*) FROM pg_class WHERE relnamespace = 'raw'::regnamespace") == [(1,)]


def test_a_role_that_may_not_create_schemas_is_told_what_to_grant(own_database: Database):
    # Of another database on the same server the role is not the owner.
    other = Database(make_url(own_database.url).set(database="template1").render_as_string(hide_password=False))
    with pytest.raises(DatabaseUnavailableError, match="grant it CREATE"):
        migrate(other)
    other.engine.dispose()


def test_a_server_that_is_not_there_is_an_error_without_the_password(tmp_path: Path):
    url = "postgresql://me:secret@127.0.0.1:9/archive"
    with pytest.raises(DatabaseUnavailableError, match="cannot reach PostgreSQL") as raised:
        Database.open(Settings(home=tmp_path, database_url=url))
    assert "secret" not in str(raised.value)
    assert "\n" not in str(raised.value)


def test_the_source_of_a_reader_that_came_later_is_added_without_a_migration(
    new_migrated_database: Callable[[], Database],
):
    database = new_migrated_database()
    with database.session() as connection:
        connection.execute("DELETE FROM raw.sources WHERE id = 'grok'")
    migrate(database)
    assert {name for (name,) in query(database, "SELECT id FROM raw.sources")} == {"api", *readers()}
