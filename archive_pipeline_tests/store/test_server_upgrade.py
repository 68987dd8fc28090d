"""Homes of versions whose server let everybody in and whose role was its superuser are brought up to date, once."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from archive_pipeline.errors import DatabaseUnavailableError
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.migrate import migrate
from archive_pipeline.store.server.account import server_account
from archive_pipeline.store.server.embedded import embedded_url, release
from archive_pipeline.store.server.files import server_settings
from archive_pipeline.store.server.process import ServerProcess
from archive_pipeline.store.server.programs import run_program
from archive_pipeline_tests.conftest import administrator_url
from archive_pipeline_tests.store.homes import copy_home

pytestmark = [pytest.mark.postgres, pytest.mark.system]

# Holds a home's lock as a process that uses its server does.
USE = """
import fasteners, sys
lock = fasteners.InterProcessReaderWriterLock(sys.argv[1])
lock.acquire_read_lock()
print("held", flush=True)
sys.stdin.readline()
"""
OLD_SETTINGS = {"max_wal_size": "4GB", "wal_buffers": "64MB", "work_mem": "32MB"}


class OldServer:
    """A server as those versions started it: anybody is believed, the superuser owns everything."""

    def __init__(self, home: Path) -> None:
        self.folder = home / "postgres"
        self.sockets = home / "sockets"
        self.account = server_account()

    def make(self) -> None:
        self.folder.mkdir(parents=True)
        self.folder.parent.chmod(0o755)  # as those versions made it, whatever the umask is
        self.sockets.mkdir()
        for folder in (self.folder, self.sockets):
            os.chown(folder, self.account.uid, self.account.gid)
        options = ("-A", "trust", "-U", "postgres", "-N", "-E", "UTF8")
        done = run_program("initdb", *options, folder=self.folder, account=self.account)
        assert done.returncode == 0, done.stderr

    def url(self, database: str) -> str:
        return f"postgresql://postgres@/{database}?host={self.sockets}"

    def start(self) -> None:
        options = ("-w", "-l", "log", "-o", "-h '' -k ../sockets", "start")
        assert run_program("pg_ctl", *options, folder=self.folder, account=self.account).returncode == 0

    def fill(self) -> None:
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            for name, value in OLD_SETTINGS.items():
                connection.execute(f"ALTER SYSTEM SET {name} = '{value}'".encode())
            connection.execute("ALTER SYSTEM SET log_min_duration_statement = '7s'")  # the user's own
            connection.execute("CREATE DATABASE archive")
        archive = Database(self.url("archive"))
        migrate(archive)
        archive.engine.dispose()
        with psycopg.connect(self.url("archive"), autocommit=True) as connection:
            connection.execute("INSERT INTO raw.sources (id, description) VALUES ('mine', 'kept')")
            connection.execute(
                "CREATE SCHEMA notes; CREATE TYPE notes.mood AS ENUM ('good'); CREATE DOMAIN notes.word AS text;"
                "CREATE TABLE notes.mine (id serial PRIMARY KEY, m notes.mood, n integer GENERATED ALWAYS AS IDENTITY);"
                "CREATE SEQUENCE notes.numbers; CREATE MATERIALIZED VIEW notes.all_of_it AS SELECT * FROM notes.mine;"
                "CREATE FUNCTION notes.one(integer) RETURNS integer LANGUAGE sql AS 'SELECT 1';"
                'CREATE TABLE "Odd name" (a integer)'
            )


@pytest.fixture(scope="module")
def old_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of such a server, which has stopped, with an archive; tests start copies."""
    server = OldServer(tmp_path_factory.mktemp("old") / "home")
    server.make()
    server.start()
    server.fill()
    ServerProcess(server.folder).stop()
    return server.folder.parent


@pytest.fixture
def old(tmp_path: Path, old_home: Path) -> Iterator[OldServer]:
    copy_home(old_home, tmp_path / "home")
    server = OldServer(tmp_path / "home")
    server.start()
    yield server
    ServerProcess(server.folder).stop()
    release(server.folder)


def test_data_stay_and_belong_to_a_role_without_rights_elsewhere(old: OldServer):
    ServerProcess(old.folder).stop()
    home = old.folder.parent
    for _ in range(2):  # the second time nothing is left to do
        database = Database.open(Settings(home=home))
        with psycopg.connect(database.url, autocommit=True) as connection:
            assert connection.execute("SELECT current_user, current_setting('is_superuser')").fetchone() == (
                "archive",
                "off",
            )
            assert connection.execute("SELECT description FROM raw.sources WHERE id = 'mine'").fetchone() == ("kept",)
            left = connection.execute(
                "SELECT relname FROM pg_class WHERE relowner <> 'archive'::regrole AND relnamespace::regnamespace::text"
                " IN ('raw', 'derived', 'dagster', 'notes', 'public') AND relkind <> 'c'"
            ).fetchall()
            assert left == []
            connection.execute(
                "ALTER TABLE raw.sources ADD COLUMN more integer; ALTER TABLE raw.sources DROP COLUMN more"
            )
            connection.execute("DELETE FROM raw.sources WHERE id = 'gone'; CREATE TABLE new_one (a integer)")
            connection.execute("DROP TABLE new_one; ALTER TYPE notes.mood ADD VALUE IF NOT EXISTS 'bad'")
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute("COPY (SELECT 1) TO PROGRAM 'true'")
        migrate(database)
        database.engine.dispose()
        release(old.folder)


@pytest.mark.parametrize(("statement", "left"), [("SELECT", []), ("CREATE TABLE mine (a integer)", ["postgres"])])
def test_databases_that_nothing_needs_go_unless_they_hold_something(old: OldServer, statement: str, left: list[str]):
    with psycopg.connect(old.url("postgres"), autocommit=True) as connection:
        connection.execute(statement.encode())
    ServerProcess(old.folder).stop()
    for _ in range(2):
        with psycopg.connect(embedded_url(old.folder)) as connection:
            found = connection.execute("SELECT datname FROM pg_database ORDER BY datname").fetchall()
        assert [name for (name,) in found] == ["archive", *left, "template1"]
        release(old.folder)


def test_settings_are_those_of_this_version_and_the_users_own_stay(old: OldServer):
    ServerProcess(old.folder).stop()
    database = Database.open(Settings(home=old.folder.parent))
    with psycopg.connect(administrator_url(database), autocommit=True) as connection:
        assert different_settings(connection) == {}
        assert connection.execute("SHOW log_min_duration_statement").fetchone() == ("7s",)
        # From now on a setting of the user's own wins, whatever its value.
        connection.execute("ALTER SYSTEM SET work_mem = '48MB'")
    database.engine.dispose()
    release(old.folder)
    with psycopg.connect(embedded_url(old.folder)) as connection:
        assert different_settings(connection) == {"work_mem": "48MB"}


def test_a_running_server_of_another_version_is_replaced_unless_it_is_in_use(old: OldServer):
    command = [sys.executable, "-c", USE, str(old.folder.parent / "postgres-users.lock")]
    user = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)  # locks are a process's
    assert user.stdout.readline() == "held\n"
    with pytest.raises(DatabaseUnavailableError, match="another version of llm-archive is using"):
        embedded_url(old.folder)
    psycopg.connect(old.url("archive")).close()  # it still runs
    user.communicate("\n", timeout=300)
    with psycopg.connect(embedded_url(old.folder)) as connection:
        assert connection.execute("SELECT current_user").fetchone() == ("archive",)
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(old.url("archive"))


def different_settings(connection: psycopg.Connection) -> dict[str, str]:
    """What differs from the settings of this version; how much of the disk is free may have changed meanwhile."""
    wanted = server_settings(Path("/"))
    del wanted["max_wal_size"]
    shown = {name: connection.execute(f"SHOW {name}".encode()).fetchone()[0] for name in wanted}
    return {name: shown[name] for name in wanted if shown[name] != wanted[name]}
