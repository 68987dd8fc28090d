"""Which databases are refused, and how."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest
import sqlalchemy

from archive_pipeline.errors import ConfigurationError
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.migrate import migrate
from archive_pipeline_tests.exports import chain, chatgpt, load
from archive_pipeline_tests.tables import query

pytestmark = pytest.mark.postgres


def test_a_database_without_utf_8_is_refused(own_server: str):
    with psycopg.connect(own_server, autocommit=True) as connection:
        connection.execute("CREATE DATABASE bytes ENCODING 'SQL_ASCII' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'")
    url = own_server.replace("@/postgres?", "@/bytes?")
    with pytest.raises(ConfigurationError, match="has the encoding SQL_ASCII; UTF8 is needed"):
        Database.open(Settings(home=Path("/nonexistent"), database_url=url))


def test_what_is_set_for_a_role_changes_nothing(own_server: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PGCLIENTENCODING", "latin1")
    monkeypatch.setenv("PGDATESTYLE", "SQL, DMY")
    monkeypatch.setenv("PGTZ", "America/St_Johns")
    said = (
        "-cclient_encoding=SQL_ASCII -cdatestyle=German -carray_nulls=off -cquote_all_identifiers=on -cwork_mem=5MB "
        "-cidle_session_timeout=1 -clock_timeout=1 -cstatement_timeout=100 -cextra_float_digits=0 "
        "-cstandard_conforming_strings=off -cdefault_transaction_isolation=serializable "
        "-ctimezone=Asia/Tokyo"
    )
    database = Database.open(Settings(home=Path("/nonexistent"), database_url=f"{own_server}&options={quote(said)}"))
    names = ["client_encoding", "datestyle", "array_nulls", "quote_all_identifiers", "work_mem"]
    names += ["idle_session_timeout", "lock_timeout", "statement_timeout", "extra_float_digits"]
    names += ["standard_conforming_strings", "transaction_isolation", "timezone"]
    expected = ["UTF8", "ISO, DMY", "on", "off", "5MB", "0", "0", "0", "1", "on", "read committed", "UTC"]
    statement = "SELECT " + ", ".join(f"current_setting('{name}')" for name in names)
    with database.session() as connection:
        assert list(connection.execute(statement).fetchone() or ()) == expected
    with database.statements() as connection:
        assert list(connection.execute(statement).fetchone() or ()) == expected
    with database.arrow() as connection, connection.cursor() as cursor:
        cursor.execute(statement)
        assert list(cursor.fetchone()) == expected
    engine = sqlalchemy.create_engine(database.dagster_url)
    with engine.connect() as connection:
        assert list(connection.exec_driver_sql(statement).one()) == expected
    engine.dispose()


def test_dates_in_another_style_behind_a_pooler_are_refused(own_server: str):
    url = f"{own_server}&options=-cdatestyle%3DGerman"
    settings = Settings(home=Path("/nonexistent"), database_url=url, direct_database_url=own_server)
    with pytest.raises(ConfigurationError, match="writes dates as German, DMY; ISO is needed"):
        Database.open(settings)


def test_strings_with_escapes_behind_a_pooler_are_refused(own_server: str):
    url = f"{own_server}&options=-cstandard_conforming_strings%3Doff"
    settings = Settings(home=Path("/nonexistent"), database_url=url, direct_database_url=own_server)
    with pytest.raises(ConfigurationError, match="reads a backslash in a string as an escape"):
        Database.open(settings)


def test_views_are_made_with_the_strings_of_the_standard_whatever_is_set_for_the_role(own_server: str, tmp_path: Path):
    with psycopg.connect(own_server, autocommit=True) as connection:
        connection.execute("CREATE ROLE escaping LOGIN")
        connection.execute("ALTER ROLE escaping SET standard_conforming_strings = off")
        connection.execute("CREATE DATABASE escaping OWNER escaping")
    url = own_server.replace("postgres@/postgres?", "escaping@/escaping?")
    database = Database.open(Settings(home=Path("/nonexistent"), database_url=url))
    migrate(database)
    load(database, tmp_path / "c.json", chatgpt("c", chain("Mississippi \n river"), title=None))
    assert query(database, "SELECT first_prompt FROM derived.first_prompts") == [("Mississippi river",)]
    database.engine.dispose()


def test_the_times_of_dagster_are_in_utc_whatever_the_server_says(own_server: str):
    url = f"{own_server}&options=-ctimezone%3DAmerica/St_Johns"
    database = Database.open(Settings(home=Path("/nonexistent"), database_url=url))
    engine = sqlalchemy.create_engine(database.dagster_url)
    with engine.connect() as connection:
        # As the columns of its tables have it.
        ahead = connection.exec_driver_sql(
            "SELECT LOCALTIMESTAMP - (CURRENT_TIMESTAMP AT TIME ZONE 'UTC')"
        ).scalar_one()
        assert (ahead.total_seconds(), connection.exec_driver_sql("SHOW search_path").scalar_one()) == (0, "dagster")
    engine.dispose()
