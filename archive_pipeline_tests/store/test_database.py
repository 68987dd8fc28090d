"""Which databases are refused, and how."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest
import sqlalchemy

from archive_pipeline.errors import ConfigurationError
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database

pytestmark = pytest.mark.postgres


def test_a_database_without_utf_8_is_refused(own_server: str):
    with psycopg.connect(own_server, autocommit=True) as connection:
        connection.execute("CREATE DATABASE bytes ENCODING 'SQL_ASCII' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'")
    url = own_server.replace("@/postgres?", "@/bytes?")
    with pytest.raises(ConfigurationError, match="has the encoding SQL_ASCII; UTF8 is needed"):
        Database.open(Settings(home=Path("/nonexistent"), database_url=url))


def test_a_role_that_writes_dates_in_another_style_is_refused(own_server: str):
    url = f"{own_server}&options=-cdatestyle%3DGerman"
    with pytest.raises(ConfigurationError, match="writes dates as German, DMY; ISO is needed"):
        Database.open(Settings(home=Path("/nonexistent"), database_url=url))


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
