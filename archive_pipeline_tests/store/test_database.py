"""Which databases are refused, and how."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest

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
