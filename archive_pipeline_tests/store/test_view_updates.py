"""Views of an existing archive follow their files: changed, dropped and new ones, and nothing else is touched."""

from __future__ import annotations

from collections.abc import Callable

import psycopg
import pytest
import sqlalchemy.exc
from sqlalchemy import text

from archive_pipeline.errors import DatabaseVersionError
from archive_pipeline.store.database import Database
from archive_pipeline.store.migrate import migrate
from archive_pipeline.store.sql_files import view_names
from archive_pipeline.store.table_partitions import partition_tables
from archive_pipeline.store.tables.trees import message_paths
from archive_pipeline.store.views import readers_made_anew, sentence_of, update_views, view_name, view_texts
from archive_pipeline_tests.store.readers import execute as administer
from archive_pipeline_tests.store.readers import new_role, seen_by
from archive_pipeline_tests.store.schema import downgrade
from archive_pipeline_tests.tables import query

pytestmark = pytest.mark.postgres

NAMES = [view_name(file) for file in view_names()]


@pytest.fixture
def home(new_migrated_database: Callable[[], Database]) -> Database:
    return new_migrated_database()


def definitions(database: Database) -> dict[str, tuple[str, int]]:
    """The text of each view as PostgreSQL has it, and its oid: a view that was made anew has another one."""
    found = query(
        database,
        "SELECT relname, pg_get_viewdef(oid), oid FROM pg_class "
        "WHERE relkind = 'v' AND relnamespace = 'derived'::regnamespace",
    )
    return {name: (text, oid) for name, text, oid in found}


def texts(database: Database) -> dict[str, str]:
    return {name: text for name, (text, _) in definitions(database).items()}


def execute(database: Database, *statements: str) -> None:
    with database.session() as connection:
        for statement in statements:
            connection.execute(statement)


def comment_of(database: Database, name: str) -> str:
    ((comment,),) = query(database, "SELECT obj_description(%s::regclass, 'pg_class')", f"derived.{name}")
    return str(comment)


def made_from(file: str) -> str:
    return f"Made by llm-archive from sql/views/{file}.sql, SHA-256 {'0' * 64}"


def test_views_of_an_older_text_are_made_anew_with_those_that_use_them(home: Database):
    current = definitions(home)
    # What an archive of an older version has: other columns, and views without comments that build on them.
    execute(
        home,
        *(f"DROP VIEW derived.{name}" for name in reversed(NAMES)),
        "CREATE VIEW derived.all_documents AS SELECT id AS doc_id FROM raw.dialogues",
        "CREATE VIEW derived.all_pages AS SELECT doc_id, 1 AS page FROM derived.all_documents",
    )
    migrate(home)
    assert texts(home) == {name: text for name, (text, _) in current.items()}


def test_from_the_first_file_that_differs_on_views_are_made_anew_and_the_others_are_left_alone(home: Database):
    before = definitions(home)
    file = next(file for file in view_names() if view_name(file) == "all_documents")
    execute(home, f"COMMENT ON VIEW derived.all_documents IS '{made_from(file)}'")
    migrate(home)
    after = definitions(home)
    assert texts(home) == {name: text for name, (text, _) in before.items()}
    made = {name for name in NAMES if after[name][1] != before[name][1]}
    assert made == set(NAMES[NAMES.index("all_documents") :])


def test_a_view_that_somebody_dropped_comes_back(home: Database):
    before = texts(home)
    execute(home, "DROP VIEW derived.match_rates")
    migrate(home)
    assert texts(home) == before


def test_a_view_without_a_file_any_more_goes_with_what_builds_on_it(home: Database):
    execute(
        home,
        "CREATE VIEW derived.old_view AS SELECT 1 AS a",
        f"COMMENT ON VIEW derived.old_view IS '{made_from('05_old_view')}'",
        "CREATE VIEW derived.older_view AS SELECT a FROM derived.old_view",
        f"COMMENT ON VIEW derived.older_view IS '{made_from('99_older_view')}'",
    )
    migrate(home)
    assert set(texts(home)) == set(NAMES)


def test_a_view_of_the_user_s_own_is_left_alone(home: Database):
    execute(home, "CREATE VIEW derived.mine AS SELECT 1 AS a", "COMMENT ON VIEW derived.mine IS 'for my notes'")
    before = definitions(home)["mine"]
    execute(home, "DROP VIEW derived.match_rates")
    migrate(home)
    assert definitions(home)["mine"] == before


def test_a_view_of_the_user_s_own_that_is_in_the_way_is_named_and_nothing_changes(home: Database):
    execute(
        home,
        "CREATE VIEW public.mine AS SELECT doc_id FROM derived.all_documents",
        f"COMMENT ON VIEW derived.all_documents IS '{made_from('09_all_documents')}'",
    )
    before = definitions(home)
    with pytest.raises(DatabaseVersionError, match=r"derived\.all_documents.*view mine depends on"):
        migrate(home)
    assert definitions(home) == before
    execute(home, "DROP VIEW public.mine")
    migrate(home)
    assert comment_of(home, "all_documents") != made_from("09_all_documents")


def test_all_views_change_or_none(home: Database):
    before = definitions(home)
    broken = {
        "01_all_documents": "CREATE VIEW derived.all_documents AS SELECT 1 AS a",
        "02_broken": "CREATE VIEW derived.broken AS SELECT no_such_column FROM raw.dialogues",
    }
    with pytest.raises(sqlalchemy.exc.ProgrammingError), home.engine.begin() as connection:
        update_views(connection, broken)
    assert definitions(home) == before


def test_a_star_in_a_view_has_the_columns_of_a_table_that_changed(home: Database):
    execute(home, "ALTER TABLE derived.message_paths ADD COLUMN added int")
    with home.engine.begin() as connection:
        assert update_views(connection, view_texts(), all_anew=True) == NAMES
    assert "added" in texts(home)["message_paths_v"]


@pytest.mark.parametrize(
    ("table", "readers"),
    [
        ("raw.match_log", {"match_rates"}),
        ("raw.document_pages", {"all_pages", "text_entries", "page_entries", "searchable_chunks"}),
        ("raw.attached_files", set()),
    ],
)
def test_only_the_views_that_read_a_table_are_made_anew_where_it_is_exchanged(
    home: Database, table: str, readers: set[str]
):
    before, comments = definitions(home), {name: comment_of(home, name) for name in NAMES}
    with home.engine.begin() as connection, readers_made_anew(connection, view_texts(), table):
        left = text("SELECT relname FROM pg_class WHERE relkind = 'v' AND relnamespace = 'derived'::regnamespace")
        assert {*NAMES} - {*connection.execute(left).scalars()} == readers
    assert texts(home) == {name: text for name, (text, _) in before.items()}
    assert {name for name in NAMES if definitions(home)[name] != before[name]} == readers
    assert {name: comment_of(home, name) for name in NAMES} == comments


def test_a_view_of_the_users_own_on_a_view_of_no_exchanged_table_is_not_in_the_way(home: Database):
    execute(home, "CREATE VIEW public.mine AS SELECT asked FROM derived.match_rates")
    assert list(partition_tables(home, 2))
    assert query(home, "SELECT count(*) FROM public.mine") == [(0,)]


def test_current_views_are_not_touched(home: Database):
    before = definitions(home)
    with home.engine.begin() as connection:
        assert update_views(connection, view_texts()) == []
    assert definitions(home) == before


def test_rights_options_and_owner_of_views_stay_when_they_are_made_anew(home: Database):
    reader, owner = new_role(home), new_role(home)
    administer(
        home,
        "ALTER DEFAULT PRIVILEGES FOR ROLE archive IN SCHEMA derived GRANT SELECT ON TABLES TO PUBLIC",
        f"GRANT {owner} TO archive",
        f"GRANT CREATE, USAGE ON SCHEMA derived TO {owner}",
        f"GRANT USAGE ON SCHEMA derived TO {reader}",
        f"GRANT SELECT ON derived.all_documents TO {reader} WITH GRANT OPTION",
        f"GRANT SELECT (doc_id) ON derived.all_pages TO {reader}",
        "ALTER VIEW derived.match_rates SET (security_invoker = true)",
        f"ALTER VIEW derived.all_chunks OWNER TO {owner}",
    )
    before = rights(home)
    seen_by(home, reader, "SELECT filename FROM derived.all_documents")
    with home.engine.begin() as connection:
        assert update_views(connection, view_texts(), all_anew=True) == NAMES
    assert rights(home) == before
    list(partition_tables(home, 2))
    assert rights(home) == before
    # As an archive of before: going back drops views, and so their rights.
    administer(
        home,
        "CREATE SCHEMA elsewhere AUTHORIZATION archive",
        "ALTER TABLE derived.message_chunks SET SCHEMA elsewhere",
        "UPDATE raw.schema_version SET version_num = '0034'",
    )
    migrate(home)
    assert rights(home) == before
    seen_by(home, reader, "SELECT doc_id FROM derived.all_pages")
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        seen_by(home, reader, "SELECT page FROM derived.all_pages")


def rights(database: Database) -> list[tuple[object, ...]]:
    """Return the owner, options and privileges of each view of ``derived``, and of its columns."""
    return query(
        database,
        "SELECT r.relname, NULL, r.relowner::regrole::text, r.reloptions,"
        " coalesce(r.relacl, acldefault('r', r.relowner))::text"
        " FROM pg_class AS r WHERE r.relkind = 'v' AND r.relnamespace = 'derived'::regnamespace"
        " UNION ALL SELECT r.relname, c.attname, NULL, NULL, c.attacl::text"
        " FROM pg_class AS r JOIN pg_attribute AS c ON c.attrelid = r.oid"
        " WHERE r.relkind = 'v' AND r.relnamespace = 'derived'::regnamespace AND c.attacl IS NOT NULL ORDER BY 1, 2",
    )


def test_rights_on_a_view_that_a_migration_drops_stay(home: Database):
    reader = new_role(home)
    downgrade(home, "0022")
    file = next(file for file in view_names() if view_name(file) == "match_rates")
    administer(
        home,
        "CREATE VIEW derived.match_rates AS SELECT 1 AS asked",
        f"COMMENT ON VIEW derived.match_rates IS '{made_from(file)}'",
        "ALTER VIEW derived.match_rates OWNER TO archive",
        f"GRANT USAGE ON SCHEMA derived TO {reader}",
        f"GRANT SELECT ON derived.match_rates TO {reader}",
    )
    migrate(home)
    assert seen_by(home, reader, "SELECT day FROM derived.match_rates") == []


def test_rights_on_columns_stay_where_a_view_has_other_columns_than_before(home: Database):
    reader = new_role(home)
    administer(
        home,
        f"GRANT USAGE ON SCHEMA derived TO {reader}",
        f"GRANT SELECT (day, asked) ON derived.match_rates TO {reader}",
    )
    file = next(file for file in view_names() if view_name(file) == "match_rates")
    changed = "-- Of another version.\nCREATE VIEW derived.match_rates AS SELECT 1 AS added, current_date AS day;"
    with home.engine.begin() as connection:
        update_views(connection, {**view_texts(), file: changed})
    assert len(seen_by(home, reader, "SELECT day FROM derived.match_rates")) == 1
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        seen_by(home, reader, "SELECT added FROM derived.match_rates")


def test_a_trigger_on_a_view_is_named_and_nothing_changes(home: Database):
    administer(
        home,
        "CREATE FUNCTION public.nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'",
        "CREATE TRIGGER mine INSTEAD OF INSERT ON derived.match_rates FOR EACH ROW EXECUTE FUNCTION public.nothing()",
    )
    before = definitions(home)
    with pytest.raises(DatabaseVersionError, match=r"derived\.match_rates .*trigger mine"), home.engine.begin() as each:
        update_views(each, view_texts(), all_anew=True)
    assert definitions(home) == before


def test_comments_say_what_views_and_their_columns_show(home: Database):
    ((comment,),) = query(home, "SELECT obj_description('derived.message_paths_v'::regclass, 'pg_class')")
    sentence, made = comment.split("\n")
    assert sentence == sentence_of(view_texts()["01_message_paths_v"])
    assert made.startswith("Made by llm-archive from sql/views/01_message_paths_v.sql, SHA-256 ")
    said = query(
        home,
        "SELECT relname, attname, col_description(attrelid, attnum) FROM pg_attribute JOIN pg_class AS r"
        " ON r.oid = attrelid WHERE relkind = 'v' AND relnamespace = 'derived'::regnamespace AND attnum > 0",
    )
    assert [(view, column) for view, column, text in said if not text] == []
    of = {(view, column): text for view, column, text in said}
    assert of["message_paths_v", "ancestor_path"] == "Ids of all ancestors, root first; `{}` for a root"
    assert of["message_paths_v", "is_leaf"] == message_paths.c.is_leaf.comment
    assert of["all_chunks", "chunk_index"] == "Place among the chunks of the side, message or page, from 0"


def test_views_of_a_version_without_descriptions_get_them_and_stay(home: Database):
    described = comment_of(home, "all_documents")
    execute(
        home,
        f"COMMENT ON VIEW derived.all_documents IS '{described.splitlines()[-1]}'",
        "COMMENT ON COLUMN derived.all_documents.heading IS NULL",
    )
    before = definitions(home)
    migrate(home)
    assert definitions(home) == before
    assert comment_of(home, "all_documents") == described
    heading = "SELECT col_description(attrelid, attnum) FROM pg_attribute WHERE attname = 'heading'"
    assert query(home, f"{heading} AND attrelid = 'derived.all_documents'::regclass") == [
        ("Heading that all its pages stand below: the title; NULL for documents",)
    ]
