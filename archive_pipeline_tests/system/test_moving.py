"""The documented way from the embedded server to one's own takes everything along, Dagster's history too."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from archive_pipeline.settings.variables import CHECKOUT
from archive_pipeline.store.database import Database
from archive_pipeline_tests.system.commands import Command
from archive_pipeline_tests.system.conftest import Start
from archive_pipeline_tests.tables import derived_rows, query, raw_rows

pytestmark = [pytest.mark.system, pytest.mark.postgres, pytest.mark.dagster, pytest.mark.long]

HISTORY = ("event_logs", "asset_event_tags", "asset_keys", "dynamic_partitions", "runs", "run_tags", "alembic_version")


def documented() -> str:
    operations = (CHECKOUT / "docs" / "operations.md").read_text(encoding="utf-8")
    [commands] = re.findall(r"## Moving to a server of your own.*?```sh\n(.*?)```", operations, re.DOTALL)
    return str(commands)


@pytest.fixture
def new_url(own_server: str) -> str:
    """An empty database on the user's own server, made as documented."""
    with psycopg.connect(own_server, autocommit=True) as connection:
        connection.execute("CREATE ROLE mover LOGIN NOSUPERUSER")
        connection.execute("CREATE DATABASE moved")
        connection.execute(sql.SQL("GRANT CREATE ON DATABASE moved TO mover"))
    return own_server.replace("postgres@/postgres?", "mover@/moved?")


def history(database: Database) -> dict[str, list[str]]:
    return {
        table: [row for (row,) in query(database, f"SELECT row(t.*)::text FROM dagster.{table} AS t ORDER BY 1")]  # noqa: S608 (own names)
        for table in HISTORY
    }


def test_an_archive_moves_to_ones_own_server(
    tmp_path: Path, small_corpus: Path, new_url: str, fork: Start, monkeypatch: pytest.MonkeyPatch
):
    home = tmp_path / "home"

    def run(*arguments: object, **variables: str) -> str:
        ended = fork(home, *arguments, variables=variables).end()
        assert ended.code == 0, ended.err
        return ended.out

    run("import", small_corpus)
    old = Database(run("db", "url").strip())
    before = raw_rows(old), derived_rows(old, with_generated=False), history(old)
    old.engine.dispose()
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    monkeypatch.chdir(tmp_path)  # it writes a dump
    script = ("bash", "-eu", "-o", "pipefail", "-c", documented())
    variables = {"NEW": new_url, "PATH": path}
    moved = Command(home, log=tmp_path / "moved", program=script, variables=variables).end()
    assert moved.code == 0, moved.err
    new = Database(new_url)
    assert (raw_rows(new), derived_rows(new, with_generated=False), history(new)) == before
    assert before[2]["event_logs"]
    new.engine.dispose()
    assert "up to date" in run("build", ARCHIVE_DATABASE_URL=new_url)
    assert '"unchanged": 6' in run("import", small_corpus, "--json", ARCHIVE_DATABASE_URL=new_url)
