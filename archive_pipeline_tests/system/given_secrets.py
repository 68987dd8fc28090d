"""Passwords and keys in the environment that are found wherever a program lets them out."""

from __future__ import annotations

from pathlib import Path

from psycopg import sql

from archive_pipeline.store.database import Database

MARK = "tigerburning"
SECRETS = {
    "ARCHIVE_EMBEDDING_API_KEY": f"sk-{MARK}",
    "ARCHIVE_CHROMA_URL": f"http://me:{MARK}@127.0.0.1:1",
}


def url_with_secrets(database: Database) -> str:
    """The URL with a password in both of the places that libpq knows, and one more secret.

    A server that trusts its clients, or asks the kernel who they are, takes any password.
    """
    role, rest = database.url.removeprefix("postgresql://").split("@", 1)
    return f"postgresql://{role}:{MARK}%2F@{rest}&password={MARK}%2F&sslpassword={MARK}"


def assert_in_no_file(home: Path) -> None:
    """Check the files of a home; what an embedded server has in it is asked by ``assert_in_no_table``."""
    files = [path for path in home.rglob("*") if path.is_file() and path.relative_to(home).parts[0] != "postgres"]
    assert files
    assert not [path for path in files if MARK.encode() in path.read_bytes()]


def assert_in_no_table(database: Database) -> None:
    """Check all rows of the archive and of Dagster."""
    with database.session() as connection:
        tables = connection.execute(
            "SELECT schemaname || '.' || tablename FROM pg_tables WHERE schemaname IN ('raw', 'derived', 'dagster')"
        ).fetchall()
        for (table,) in tables:
            query = sql.SQL("SELECT count(*) FROM {} AS entry WHERE entry::text LIKE {}")
            found = connection.execute(query.format(sql.Identifier(*table.split(".")), sql.Literal(f"%{MARK}%")))
            assert found.fetchone() == (0,), table
