"""Views of an existing archive follow their files: changed, dropped and new ones, and nothing else is touched."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import sqlalchemy.exc

from archive_pipeline.errors import DatabaseVersionError
from archive_pipeline.store.database import Database
from archive_pipeline.store.migrate import migrate
from archive_pipeline.store.sql_files import view_names
from archive_pipeline.store.views import update_views, view_name, view_texts
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


def test_current_views_are_not_touched(home: Database):
    before = definitions(home)
    with home.engine.begin() as connection:
        assert update_views(connection, view_texts()) == []
    assert definitions(home) == before
