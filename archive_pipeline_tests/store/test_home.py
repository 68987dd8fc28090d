"""A home is its user's alone, also one that was not; what is above it stays as it is."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

import pytest

from archive_pipeline.errors import ConfigurationError
from archive_pipeline.store.home import mend_home, prepare_home, private_folder


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


@pytest.fixture(autouse=True)
def usual_umask():
    before = os.umask(0o022)
    yield
    os.umask(before)


def test_a_new_home_and_the_folders_made_for_it_are_private_and_those_above_stay(tmp_path: Path):
    above = tmp_path / "above"
    above.mkdir(mode=0o700)
    assert not prepare_home(above / "between" / "home")
    assert [mode(path) for path in (above, above / "between", above / "between" / "home")] == [0o700] * 3
    above.chmod(0o751)
    prepare_home(above / "between" / "home")
    assert mode(above) == 0o751
    assert mode(private_folder(above / "between" / "home" / "documents" / "ab")) == 0o700
    assert mode(above / "between" / "home" / "documents") == 0o700


def test_a_home_that_was_open_is_closed_with_all_below(tmp_path: Path):
    home, elsewhere = tmp_path / "home", tmp_path / "elsewhere"
    for folder in ("storage/run", "chroma", "imports", "postgres"):
        (home / folder).mkdir(parents=True)
    elsewhere.mkdir()
    files = [home / name for name in ("dagster.yaml", "storage/run/out", "chroma/chroma.sqlite3", "storage/program")]
    theirs = [home / "imports" / "export.zip", home / "postgres" / "PG_VERSION", elsewhere / "file"]
    for file in (*files, *theirs):
        file.touch(0o644)
    (home / "storage" / "program").chmod(0o755)
    (home / "storage" / "link").symlink_to(elsewhere)
    assert prepare_home(home)
    assert [mode(file) for file in files] == [0o600, 0o600, 0o600, 0o700]
    assert {mode(home / name) for name in ("", "storage", "storage/run", "chroma", "imports", "postgres")} == {0o700}
    # What the user put there, what the server looks after and what a link leads to are left alone.
    assert {mode(file) for file in theirs} == {0o644}
    assert mode(elsewhere) == 0o755
    assert not prepare_home(home)


def test_nothing_is_created_to_be_mended(tmp_path: Path):
    assert not mend_home(tmp_path / "home")
    assert not (tmp_path / "home").exists()


def test_a_file_in_the_place_of_the_home_is_an_error_that_names_the_variable(tmp_path: Path):
    (tmp_path / "home").touch()
    with pytest.raises(ConfigurationError, match="ARCHIVE_HOME"):
        prepare_home(tmp_path / "home")


def test_a_home_of_another_user_is_refused():
    if os.geteuid() != 0:
        pytest.skip("only root can become another user")
    home = Path(tempfile.mkdtemp(dir="/tmp"))
    home.chmod(0o755)
    child = os.fork()
    if child == 0:
        os.setuid(65_534)
        try:
            prepare_home(home)
        except ConfigurationError as error:
            os._exit(0 if "belongs to another user" in str(error) else 2)
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert mode(home) == 0o755
    home.rmdir()


def test_a_home_that_nobody_can_look_at_is_named(tmp_path: Path):
    home = tmp_path / ("x" * 300)  # as one below a folder that this user may not enter, which root may
    with pytest.raises(ConfigurationError, match=r"cannot create or protect the folder .*; set ARCHIVE_HOME"):
        mend_home(home)
