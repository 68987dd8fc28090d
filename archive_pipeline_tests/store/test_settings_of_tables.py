"""What a user has set on the tables stays when they are exchanged, or stops the exchange by its name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest

from archive_pipeline.errors import DatabaseVersionError
from archive_pipeline.store.database import Database
from archive_pipeline.store.table_partitions import partition_tables
from archive_pipeline_tests.exports import chain, chatgpt, load
from archive_pipeline_tests.store.readers import execute, new_role, seen_by
from archive_pipeline_tests.tables import query
from archive_pipeline_tests.variants import every_second_of

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.long,
    pytest.mark.filterwarnings("ignore:Computed default on exchange_content.full_text:UserWarning"),
]

TITLES = "SELECT title FROM raw.dialogues ORDER BY title"


@pytest.fixture
def home(new_migrated_database: Callable[[], Database], tmp_path: Path) -> Database:
    database = new_migrated_database()
    load(database, tmp_path / "c.json", *(chatgpt(name, chain("q", "a", prefix=name), title=name) for name in "abc"))
    return database


@pytest.fixture
def reader(home: Database) -> str:
    """A role that may use the schema ``raw``, and nothing in it."""
    role = new_role(home)
    execute(home, f"GRANT USAGE ON SCHEMA raw, derived TO {role}")
    return role


def partition(database: Database, *counts: int) -> None:
    for count in counts:
        assert list(partition_tables(database, count))


def test_row_level_security_and_policies_stay_and_all_rows_are_copied(home: Database, reader: str):
    execute(
        home,
        f"GRANT SELECT ON raw.dialogues, raw.messages TO {reader}",
        "ALTER TABLE raw.dialogues ENABLE ROW LEVEL SECURITY",
        "ALTER TABLE raw.dialogues FORCE ROW LEVEL SECURITY",
        f"CREATE POLICY \"only a\" ON raw.dialogues AS PERMISSIVE FOR SELECT TO {reader} USING (title LIKE '%a%')",
        "COMMENT ON POLICY \"only a\" ON raw.dialogues IS 'of the reader'",
        "CREATE POLICY writing ON raw.dialogues FOR INSERT TO PUBLIC WITH CHECK (title <> 'x')",
        "CREATE POLICY narrow ON raw.dialogues AS RESTRICTIVE TO PUBLIC USING (source = 'chatgpt')",
        "ALTER TABLE raw.messages ENABLE ROW LEVEL SECURITY",
        "CREATE POLICY by_dialogue ON raw.messages USING (dialogue_id IN (SELECT id FROM raw.dialogues))",
    )
    before = policies(home)
    assert len(before) == 4
    for count in (2, 3, 0):
        partition(home, count)
        assert seen_by(home, reader, TITLES) == [("a",)]
        assert seen_by(home, reader, "SELECT count(*) FROM raw.messages") == [(2,)]
        assert seen_by(home, "postgres", TITLES) == [("a",), ("b",), ("c",)]
        assert policies(home) == before
        assert query(
            home,
            "SELECT relname, relforcerowsecurity FROM pg_class WHERE relrowsecurity"
            " AND relnamespace = 'raw'::regnamespace ORDER BY relname",
        ) == [("dialogues", True), ("messages", False)]


def policies(database: Database) -> list[tuple[object, ...]]:
    return query(
        database,
        "SELECT schemaname, tablename, policyname, permissive, roles, cmd, qual, with_check, obj_description(oid)"
        " FROM pg_policies JOIN pg_policy ON polname = policyname ORDER BY tablename, policyname",
    )


def test_grants_of_columns_stay_and_what_was_taken_away_does_not_come_back(home: Database, reader: str):
    execute(
        home,
        "ALTER DEFAULT PRIVILEGES FOR ROLE archive IN SCHEMA raw GRANT SELECT, INSERT ON TABLES TO PUBLIC",
        f"GRANT SELECT (title, source) ON raw.dialogues TO {reader} WITH GRANT OPTION",
        f"GRANT SELECT (id), UPDATE (role) ON raw.messages TO {reader}",
    )
    before = granted(home)
    partition(home, 2, 0)
    assert seen_by(home, reader, TITLES) == [("a",), ("b",), ("c",)]
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        seen_by(home, reader, "SELECT id FROM raw.dialogues")
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        seen_by(home, reader, "SELECT id FROM raw.attachments")
    assert granted(home) == before


def granted(database: Database) -> list[tuple[object, ...]]:
    """Return the privileges of others than the owner on tables and columns of ``raw``."""
    return query(
        database,
        "SELECT r.relname, NULL, g.grantee, g.privilege_type, g.is_grantable"
        " FROM pg_class AS r CROSS JOIN aclexplode(r.relacl) AS g"
        " WHERE r.relnamespace = 'raw'::regnamespace AND g.grantee <> r.relowner"
        " UNION ALL SELECT r.relname, c.attname, g.grantee, g.privilege_type, g.is_grantable"
        " FROM pg_class AS r JOIN pg_attribute AS c ON c.attrelid = r.oid CROSS JOIN aclexplode(c.attacl) AS g"
        " WHERE r.relnamespace = 'raw'::regnamespace ORDER BY 1, 2, 3, 4",
    )


def test_owner_statistics_comments_and_columns_of_ones_own_stay(home: Database):
    owner = new_role(home)
    execute(
        home,
        f"GRANT {owner} TO archive",
        "CREATE SCHEMA partitions AUTHORIZATION archive",
        f"GRANT CREATE, USAGE ON SCHEMA raw, partitions TO {owner}",
        "ALTER TABLE raw.messages ADD COLUMN \"my note\" text DEFAULT 'none'",
        'UPDATE raw.messages SET "my note" = role',
        "COMMENT ON COLUMN raw.messages.\"my note\" IS 'a column'",
        "CREATE STATISTICS raw.of_roles (mcv) ON role, model FROM raw.messages",
        "COMMENT ON STATISTICS raw.of_roles IS 'a statistics object'",
        "ALTER TABLE raw.messages ALTER COLUMN model SET STATISTICS 500",
        "ALTER TABLE raw.messages ALTER COLUMN role SET (n_distinct = 4)",
        "COMMENT ON TABLE raw.messages IS 'a table'",
        "COMMENT ON CONSTRAINT pk_messages ON raw.messages IS 'a key'",
        "COMMENT ON INDEX raw.ix_messages_id IS 'an index'",
        f"ALTER TABLE raw.messages OWNER TO {owner}",
    )
    before = kept(home)
    for count in (2, 0):
        partition(home, count)
        assert kept(home) == before
    assert query(home, 'SELECT count(*) FROM raw.messages WHERE "my note" = role') == [(6,)]


def kept(database: Database) -> list[tuple[object, ...]]:
    return query(
        database,
        "SELECT 'owner', pg_get_userbyid(relowner) FROM pg_class WHERE oid = 'raw.messages'::regclass"
        " UNION ALL SELECT stxname, concat_ws(': ', pg_get_statisticsobjdef(oid),"
        " obj_description(oid, 'pg_statistic_ext')) FROM pg_statistic_ext"
        " UNION ALL SELECT attname, concat_ws(' ', attstattarget, attoptions, col_description(attrelid, attnum))"
        " FROM pg_attribute WHERE attrelid = 'raw.messages'::regclass AND attnum > 0"
        " UNION ALL SELECT 'table', obj_description('raw.messages'::regclass, 'pg_class')"
        " UNION ALL SELECT 'index', obj_description('raw.ix_messages_id'::regclass, 'pg_class')"
        " UNION ALL SELECT 'key', obj_description(oid, 'pg_constraint') FROM pg_constraint"
        " WHERE conname = 'pk_messages' ORDER BY 1, 2",
    )


# What is made, how it goes again, and how it is named.
UNKEPT = [
    (
        "CREATE TRIGGER mine BEFORE UPDATE ON raw.messages EXECUTE FUNCTION suppress_redundant_updates_trigger()",
        "DROP TRIGGER mine ON raw.messages",
        "trigger mine",
    ),
    (
        "CREATE RULE mine AS ON DELETE TO raw.messages DO ALSO NOTHING",
        "DROP RULE mine ON raw.messages",
        "rule mine",
    ),
    ("CREATE PUBLICATION mine FOR TABLE raw.messages", "DROP PUBLICATION mine", "publication mine"),
    (
        "ALTER TABLE raw.messages SET (fillfactor = 70)",
        "ALTER TABLE raw.messages RESET (fillfactor)",
        "storage parameters fillfactor=70",
    ),
    (
        "ALTER TABLE raw.messages REPLICA IDENTITY FULL",
        "ALTER TABLE raw.messages REPLICA IDENTITY DEFAULT",
        "replica identity",
    ),
    (
        "ALTER TABLE raw.messages ADD CONSTRAINT mine EXCLUDE (id WITH =)",
        "ALTER TABLE raw.messages DROP CONSTRAINT mine",
        "exclusion constraint mine",
    ),
]


@pytest.mark.parametrize(("made", "undone", "named"), every_second_of(UNKEPT))
def test_what_cannot_be_kept_stops_the_exchange_and_is_named(made: str, undone: str, named: str, home: Database):
    execute(home, made)
    with pytest.raises(
        DatabaseVersionError, match=rf"^raw\.messages cannot be exchanged.*{named}.*run the command again"
    ):
        partition(home, 2)
    assert query(home, "SELECT relkind FROM pg_class WHERE oid = 'raw.messages'::regclass") == [("r",)]
    execute(home, undone)
    partition(home, 2)


def test_parameters_of_partitions_stop_the_next_exchange(home: Database):
    partition(home, 2)
    execute(home, "ALTER TABLE partitions.raw_messages_2_1 SET (autovacuum_vacuum_scale_factor = 0.01)")
    with pytest.raises(DatabaseVersionError, match=r"vacuum_scale_factor=0\.01 of partitions\.raw_messages_2_1"):
        partition(home, 3)
