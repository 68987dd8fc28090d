"""The statements of docs/operations.md for a role that only reads make one."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest

import archive_pipeline
from archive_pipeline.store.database import Database
from archive_pipeline.store.table_partitions import partition_tables
from archive_pipeline.store.views import update_views, view_texts
from archive_pipeline_tests.store.readers import execute, new_role
from archive_pipeline_tests.tables import query

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.filterwarnings("ignore:Computed default on exchange_content.full_text:UserWarning"),
]

OPERATIONS = Path(archive_pipeline.__file__).parents[1] / "docs" / "operations.md"
RELATIONS = (
    "SELECT oid::regclass::text FROM pg_class WHERE relkind IN ('r', 'p', 'v')"
    " AND relnamespace::regnamespace::text = ANY(%s) ORDER BY 1"
)


def documented(database: Database) -> str:
    """Return the statements, by other names: the role's, the database's and its owner's."""
    section = OPERATIONS.read_text(encoding="utf-8").split("\n## A role that only reads\n")[1]
    found = re.search(r"```sql\n(.*?)```", section, re.DOTALL)
    assert found is not None
    name = re.search(r"/(\w+)\?", database.url)
    assert name is not None
    text = found[1].replace("archivist", "archive").replace("DATABASE archive", f"DATABASE {name[1]}")
    return text.replace("CREATE ROLE", "ALTER ROLE")


def test_the_role_reads_all_of_raw_and_derived_and_nothing_else(new_migrated_database: Callable[[], Database]):
    database = new_migrated_database()
    reader = new_role(database)
    execute(database, documented(database).replace("analyst", reader))
    with database.session() as connection:
        connection.execute("CREATE TABLE raw.of_a_later_version (a int)")
    list(partition_tables(database, 2))
    with database.engine.begin() as connection:
        update_views(connection, view_texts(), all_anew=True)
    readable = [name for (name,) in query(database, RELATIONS, ["raw", "derived"])]
    assert {"raw.messages", "raw.of_a_later_version", "derived.all_pages"} < {*readable}
    with psycopg.connect(database.url.replace("//archive@", f"//{reader}@"), autocommit=True) as connection:
        for name in readable:
            connection.execute(f"SELECT FROM {name} LIMIT 1".encode())
        for name in ("annotations.annotations", "partitions.raw_messages_2_0"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(f"SELECT FROM {name}".encode())
        assert connection.execute("SELECT has_schema_privilege('dagster', 'USAGE')").fetchone() == (False,)
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("DELETE FROM raw.messages")
