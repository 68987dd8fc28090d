"""Who gets into the embedded server and its files: the user of the home, and nobody else on the machine."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest

from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.server.embedded import release
from archive_pipeline.store.server.programs import wheel_folder
from archive_pipeline_tests.store.accounts import User, command_line_for_all, needs_every_user_in, new_user
from archive_pipeline_tests.store.homes import copy_home
from archive_pipeline_tests.variants import some_of

pytestmark = [pytest.mark.postgres, pytest.mark.system]

PSQL = wheel_folder() / "pginstall18" / "bin" / "psql"


@pytest.fixture(scope="module")
def stranger() -> Iterator[User]:
    needs_every_user_in(PSQL)
    with new_user(f"archive-stranger-{os.getpid()}") as user:
        yield user


@contextmanager
def new_home(length: str) -> Iterator[Path]:
    """A home below a folder that everybody may enter, with a path that fits a socket's address, or does not."""
    above = Path(tempfile.mkdtemp(prefix="archive-", dir="/tmp"))
    above.chmod(0o755)
    folder = above / ("home" if length == "short" else "home" * 30)
    yield folder
    release(folder / "postgres")
    shutil.rmtree(above)


@pytest.fixture(params=some_of(["long", "short"]))
def home(request: pytest.FixtureRequest) -> Iterator[Path]:
    with new_home(request.param) as home:
        yield home


@pytest.fixture(scope="module", params=some_of(["long", "short"]))
def opened_home(request: pytest.FixtureRequest) -> Iterator[Path]:
    """A home whose server runs, for tests that leave it as it is."""
    with new_home(request.param) as home:
        yield home


@pytest.fixture(scope="module")
def opened(opened_home: Path) -> Iterator[Database]:
    database = Database.open(Settings(home=opened_home))
    with database.session() as connection:
        connection.execute("CREATE TABLE own (id text)")
    yield database
    database.engine.dispose()


def test_the_archives_role_can_do_nothing_outside_its_database(opened: Database, tmp_path: Path):
    with psycopg.connect(opened.url, autocommit=True) as connection:
        assert connection.execute("SELECT current_user, current_setting('is_superuser')").fetchone() == (
            "archive",
            "off",
        )
        for statement in (
            f"COPY (SELECT 1) TO PROGRAM 'touch {tmp_path}/made'",
            f"COPY (SELECT 1) TO '{tmp_path}/made'",
            "COPY own (id) FROM '/etc/passwd'",
            "SELECT pg_read_file('/etc/passwd')",
            "SELECT lo_import('/etc/passwd')",
            "ALTER SYSTEM SET archive_command = 'true'",
            "CREATE ROLE another SUPERUSER",
            "ALTER ROLE archive SUPERUSER",
            "SET SESSION AUTHORIZATION postgres",
            "CREATE DATABASE another",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(statement.encode())
        connection.execute("SET session_replication_role = replica")  # fast loads need it
    assert not list(tmp_path.iterdir())


def test_another_user_cannot_connect_by_any_name_or_look_into_the_folders(opened: Database, stranger: User):
    host = psycopg.conninfo.conninfo_to_dict(opened.url)["host"]
    for role in ("archive", "postgres", stranger.entry.pw_name):
        tried = stranger.run(PSQL, "-h", host, "-U", role, "-d", "archive", "-c", "SELECT 1")
        assert tried.returncode == 2
        assert "Permission denied" in tried.stderr
    folders = {Path(host), Path(host).parent if Path(host).is_symlink() else Path(host), Path(host).resolve()}
    for folder in {*folders, Path(host).resolve().parent}:
        assert stranger.run("ls", folder).returncode != 0
        assert stranger.run("cat", folder / "log", folder / "PG_VERSION").stdout == ""


def test_a_user_who_gets_at_the_socket_is_refused_by_the_server(opened: Database, stranger: User, opened_home: Path):
    """The second line: folders and socket opened by a mistake, as `chmod -R o+rwX` does."""
    folder = opened_home / "postgres"
    paths = [opened_home, folder, folder / ".s.PGSQL.5432"]
    modes = [path.stat().st_mode for path in paths]
    try:
        for path in paths:
            path.chmod(0o777)
        link = stranger.folder / "s"
        link.symlink_to(folder)
        for role in ("archive", "postgres", stranger.entry.pw_name):
            tried = stranger.run(PSQL, "-h", link, "-U", role, "-d", "archive", "-c", "SELECT 1")
            assert "Peer authentication failed" in tried.stderr
        link.unlink()
    finally:
        for path, mode in zip(paths, modes, strict=True):
            path.chmod(stat.S_IMODE(mode))


def test_no_folder_above_the_home_is_changed_and_the_home_is_private(home: Path, stranger: User):
    private = home.parent / "private"
    private.mkdir(mode=0o700)
    below = private / home.name
    Database.open(Settings(home=below)).engine.dispose()
    try:
        assert stat.S_IMODE(private.stat().st_mode) == 0o700
        assert stat.S_IMODE(below.stat().st_mode) == 0o700
        assert stat.S_IMODE((below / "postgres").stat().st_mode) == 0o700
        assert stat.S_IMODE((below / "postgres" / ".s.PGSQL.5432").stat().st_mode) == 0o700
    finally:
        release(below / "postgres")


@dataclass(frozen=True)
class OwnArchive:
    """An archive of an ordinary user, who runs all commands with a umask that gives everything to everybody."""

    user: User
    home: Path
    program: Sequence[object]
    variables: dict[str, str]

    def run(self, *arguments: object) -> subprocess.CompletedProcess[str]:
        shell = ("sh", "-c", 'umask 000; exec "$@"', "sh")
        return self.user.run(*shell, *self.program, *arguments, **self.variables)


@pytest.fixture(scope="module")
def theirs(stranger: User) -> OwnArchive:
    """The stranger's archive, from the first command on."""
    program, variables = command_line_for_all(stranger)
    home = stranger.folder / ('the "$home", old' + "er" * 60)
    archive = OwnArchive(stranger, home, program, variables | {"ARCHIVE_HOME": str(home)})
    imported = archive.run("import", Path(__file__).parents[2] / "examples" / "sample_archive")
    assert imported.returncode == 0, imported.stderr
    return archive


def test_what_commands_write_is_private_whatever_the_users_umask(theirs: OwnArchive):
    found = [theirs.home, *theirs.home.rglob("*")]
    assert len(found) > 500
    open_to_others = [path for path in found if not path.is_symlink() and path.stat().st_mode & 0o077]
    assert not open_to_others
    assert {path.stat().st_uid for path in found} == {theirs.user.entry.pw_uid}


def test_an_open_home_is_mended_with_a_message(theirs: OwnArchive):
    theirs.home.chmod(0o755)
    (theirs.home / "postgres-users.lock").chmod(0o644)
    mended = theirs.run("stats", "--json")
    assert '"dialogues"' in mended.stdout
    assert f"{theirs.home} could be entered by other users; it and what is in it are private now" in mended.stderr
    assert {stat.S_IMODE(path.stat().st_mode) & 0o077 for path in (theirs.home, *theirs.home.iterdir())} == {0}


def test_a_home_of_an_ordinary_user_is_not_taken_by_root(theirs: OwnArchive):
    with pytest.raises(Exception, match=f"belongs to {theirs.user.entry.pw_name}; run the command as that user"):
        Database.open(Settings(home=theirs.home))
    assert {path.stat().st_uid for path in (theirs.home / "postgres").rglob("*")} == {theirs.user.entry.pw_uid}
    again = theirs.run("stats")
    assert again.returncode == 0
    assert "private" not in again.stderr  # nothing is mended in a home that is as it should be


def test_a_data_folder_with_root_as_its_owner_is_given_to_the_server(home: Path, started_home: Path):
    """As a copy that root made has it, or a disk from a machine on which the server's user has another number."""
    if os.geteuid() != 0:
        pytest.skip("only root has another user for the server")
    copy_home(started_home, home)
    for path in (home / "postgres", *(home / "postgres").rglob("*")):
        os.lchown(path, 0, 0)
    Database.open(Settings(home=home)).engine.dispose()
