"""The link by which clients find a socket whose path is no address: nobody else can foresee, replace or follow it."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from archive_pipeline.store.server.socket import LONGEST_ADDRESS, SOCKET, remove_link, socket_folder


@pytest.fixture
def short() -> Iterator[Path]:
    """A folder whose path leaves room for a link: that of pytest is too long under some of its workers."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        yield Path(folder)


@pytest.fixture
def places(short: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for temporary files."""
    folder = short / "t"
    folder.mkdir()
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


@pytest.fixture
def long(tmp_path: Path) -> Path:
    folder = tmp_path / ("long" * 30) / "postgres"
    folder.mkdir(parents=True)
    return folder


def test_a_short_path_needs_no_link(short: Path, places: Path):
    assert socket_folder(short) == short
    assert not list(places.iterdir())


def test_a_long_path_has_a_link_in_a_folder_of_this_user_alone(long: Path, places: Path):
    link = socket_folder(long)
    assert link.resolve() == long
    assert len(os.fsencode(link / SOCKET)) <= LONGEST_ADDRESS
    assert link.parent.parent == places
    assert stat.S_IMODE(link.parent.stat().st_mode) == 0o700
    assert socket_folder(long) == link  # for every process
    other = long.with_name("another")
    other.mkdir()
    assert "long" not in link.parent.name


def test_a_path_with_a_comma_has_a_link_which_has_none(short: Path, places: Path, monkeypatch: pytest.MonkeyPatch):
    folder = short / "notes, old" / "postgres"
    folder.mkdir(parents=True)
    assert socket_folder(folder).resolve() == folder
    remove_link(folder)
    (folder.parent / "postgres-socket").unlink()
    runtime = short / "r,1"
    runtime.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))
    assert socket_folder(folder).parent.parent == places


def test_after_a_clean_up_of_temporary_files_it_is_made_again_in_its_place(long: Path, places: Path):
    link = socket_folder(long)
    remove_link(long)
    assert not list(places.iterdir())
    assert socket_folder(long) == link
    assert link.resolve() == long


def test_a_folder_that_somebody_put_in_its_place_is_not_used(long: Path, places: Path, tmp_path: Path):
    link = socket_folder(long)
    trap = tmp_path / "trap"
    trap.mkdir()
    remove_link(long)
    link.parent.symlink_to(trap)
    second = socket_folder(long)
    assert second.parent != link.parent
    assert not list(trap.iterdir())
    remove_link(long)
    second.parent.mkdir()
    second.parent.chmod(0o755)  # others can look into it
    third = socket_folder(long)
    assert third.parent not in {link.parent, second.parent}
    assert not list(second.parent.iterdir())


def test_a_folder_of_another_user_is_not_used(long: Path, places: Path):
    if os.geteuid() != 0:
        pytest.skip("only root can give folders away")
    link = socket_folder(long)
    remove_link(long)
    link.parent.mkdir(mode=0o700)
    os.chown(link.parent, 65_534, 65_534)
    assert socket_folder(long).parent != link.parent


def test_a_moved_home_is_followed(long: Path, places: Path):
    link = socket_folder(long)
    moved = long.parent.rename(long.parent.with_name("moved" * 24)) / "postgres"
    assert socket_folder(moved) == link
    assert link.resolve() == moved


def test_the_users_own_runtime_folder_comes_first(
    long: Path, places: Path, short: Path, monkeypatch: pytest.MonkeyPatch
):
    runtime = short / "r"
    runtime.mkdir()
    runtime.chmod(0o755)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))
    assert socket_folder(long).parent.parent == places  # it is open to others
    runtime.chmod(0o700)
    remove_link(long)
    (long.parent / "postgres-socket").unlink()
    assert socket_folder(long).parent.parent == runtime
