"""A PostgreSQL of the user's own for the suite, where one is installed."""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest
from psycopg import sql

from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.migrate import migrate

_numbers = itertools.count()


def _installed_server() -> Path | None:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    return found[0].parent if found else None


@pytest.fixture(scope="session")
def own_server() -> Iterator[str]:
    """The libpq URL of a superuser on a PostgreSQL of the user's own (the oldest that is installed)."""
    binaries = _installed_server()
    if binaries is None:
        pytest.skip("no PostgreSQL below /usr/lib/postgresql (on Debian: apt-get install postgresql)")
    as_user = []
    if os.geteuid() == 0:  # PostgreSQL refuses to run as root
        if shutil.which("runuser") is None:
            pytest.skip("PostgreSQL does not run as root, and there is no runuser")
        as_user = ["runuser", "-u", "postgres", "--"]
    folder = Path(tempfile.mkdtemp(prefix="own-server-", dir="/tmp"))
    folder.chmod(0o777)
    data = folder / "data"
    subprocess.run(
        [*as_user, binaries / "initdb", "-D", data, "-U", "postgres", "-A", "trust", "-N", "-E", "UTF8"],
        check=True,
        capture_output=True,
        cwd=folder,
    )
    options = f"-c listen_addresses='' -c unix_socket_directories='{folder}' -c fsync=off"
    control = [*as_user, binaries / "pg_ctl", "-D", data, "-w"]
    start = [*control, "-l", folder / "log", "-o", options, "start"]
    subprocess.run(start, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder)
    yield f"postgresql://postgres@/postgres?host={quote(str(folder), safe='')}"
    subprocess.run([*control, "-m", "immediate", "stop"], check=True, capture_output=True, cwd=folder)
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def own_database(own_server: str) -> Iterator[Database]:
    """A migrated archive in the user's own PostgreSQL, whose role may create schemas and is no superuser."""
    number = next(_numbers)
    role, name = f"archivist_{number}", f"archive_{number}"
    with psycopg.connect(own_server, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE ROLE {} LOGIN NOSUPERUSER").format(sql.Identifier(role)))
        connection.execute(sql.SQL("CREATE DATABASE {} OWNER {}").format(sql.Identifier(name), sql.Identifier(role)))
    url = own_server.replace("postgres@/postgres?", f"{role}@/{name}?")
    database = Database.open(Settings(home=Path("/nonexistent"), database_url=url))
    migrate(database)
    yield database
    database.engine.dispose()
