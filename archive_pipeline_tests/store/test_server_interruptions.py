"""A first start that is killed anywhere is made good by the next one."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.server.embedded import release
from archive_pipeline.store.server.process import ServerProcess
from archive_pipeline_tests.conftest import administrator_url
from archive_pipeline_tests.store.test_server_upgrade import different_settings

pytestmark = [pytest.mark.postgres, pytest.mark.system, pytest.mark.usefixtures("buffers_as_for_users")]

# For each number and home that it is told, forks a process that kills itself before the n-th time that something is
# started, created, renamed or removed, and tells how that ended. What a start imports is imported once, and what initdb
# makes is copied from the folder it is told: the process waits for either, and initdb takes a second of a processor.
KILLED = """
import os, signal, subprocess, sys
from pathlib import Path
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.server import process as server_process

run_program, made = server_process.run_program, sys.argv[1]

def run_or_copy(name, *arguments, folder, account):
    if name != "initdb":
        return run_program(name, *arguments, folder=folder, account=account)
    return subprocess.run(["cp", "-Rp", f"{made}/.", folder], capture_output=True, text=True)

server_process.run_program = run_or_copy

def count(event, arguments):
    global left
    if event in {"subprocess.Popen", "os.rename", "os.mkdir", "os.remove"}:
        left -= 1
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)

for line in sys.stdin:
    step, home = line.rstrip("\\n").split(" ", 1)
    left = int(step)
    process = os.fork()
    if not process:
        sys.addaudithook(count)
        Database.open(Settings(home=Path(home)))
        sys.exit()
    print(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), flush=True)
"""
MOST_STEPS = 40


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path / "home"
    release(tmp_path / "home" / "postgres")
    ServerProcess(tmp_path / "home" / "postgres").stop()


@pytest.fixture
def starts(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that starts servers and is killed meanwhile, as ``KILLED`` says."""
    made = ServerProcess(tmp_path / "made" / "postgres")
    made.folder.parent.mkdir()
    made._initialise()
    command = [sys.executable, "-c", KILLED, made.folder]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as starts:
        yield starts
        starts.kill()


def killed_before(starts: subprocess.Popen[str], step: int, home: Path) -> bool:
    assert starts.stdin is not None
    assert starts.stdout is not None
    starts.stdin.write(f"{step} {home}\n")
    starts.stdin.flush()
    code = int(starts.stdout.readline())
    assert code in {0, -signal.SIGKILL}
    return code != 0


def check(home: Path) -> None:
    """The server is there, configured, with the archive's database and role."""
    database = Database.open(Settings(home=home))
    with psycopg.connect(administrator_url(database)) as connection:
        assert different_settings(connection) == {}
        assert connection.execute("SELECT rolsuper FROM pg_roles WHERE rolname = 'archive'").fetchone() == (False,)
        rules = connection.execute("SELECT type, auth_method, options FROM pg_hba_file_rules").fetchall()
        assert rules == [("local", "peer", ["map=archive"])]
    with database.session() as session:
        session.execute("SET session_replication_role = replica")
        session.execute("CREATE SCHEMA made")
    database.engine.dispose()
    release(home / "postgres")


@pytest.mark.faults
def test_a_first_start_killed_before_any_of_its_steps_is_made_good(home: Path, starts: subprocess.Popen[str]):
    step = 1
    while killed_before(starts, step, home.with_name(f"home-{step}")):
        check(home.with_name(f"home-{step}"))
        step += 1
        assert step < MOST_STEPS
    assert step > 8  # it did get to be killed
    release(home.with_name(f"home-{step}") / "postgres")


def test_a_server_without_settings_role_or_database_gets_them(home: Path):
    """As one that was killed between its creation and its configuration by a version that did these apart."""
    server = ServerProcess(home / "postgres")
    home.mkdir()
    server._initialise()
    check(home)


def test_an_incomplete_data_folder_is_put_aside(home: Path):
    """As an interrupted first start of a version that made it in its place left it."""
    (home / "postgres" / "base").mkdir(parents=True)
    (home / "postgres" / "PG_VERSION").write_text("18\n")
    home.chmod(0o700)
    check(home)
    aside = [path for path in home.iterdir() if path.name.startswith("postgres-incomplete-")]
    assert [sorted(left.name for left in path.iterdir()) for path in aside] == [["PG_VERSION", "base"]]


def test_a_settings_file_that_somebody_replaced_by_a_link_is_not_followed(home: Path, tmp_path: Path):
    check(home)
    target = tmp_path / "target"
    target.write_text("precious")
    for name in ("llm-archive.conf", "pg_hba.conf"):
        (home / "postgres" / name).unlink()
        (home / "postgres" / name).symlink_to(target)
    with pytest.raises(psycopg.errors.DuplicateSchema):  # the rest was checked
        check(home)
    assert target.read_text() == "precious"
