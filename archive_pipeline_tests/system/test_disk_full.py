"""A full disk stops an import with one line that says so; with room again the import goes on."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import pytest

from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.server.embedded import release
from archive_pipeline_tests.system.commands import contents
from archive_pipeline_tests.system.conftest import Start

pytestmark = [pytest.mark.system, pytest.mark.postgres, pytest.mark.dagster, pytest.mark.long]

LEFT_BYTES = 300_000


@pytest.fixture
def small_disk() -> Iterator[Path]:
    with mounted_disk("size=500m") as folder:
        yield folder


@contextmanager
def mounted_disk(options: str) -> Iterator[Path]:
    if os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("only root can mount a disk of a known size")
    folder = Path(tempfile.mkdtemp(prefix="small-disk-", dir="/tmp"))
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder], capture_output=True, check=False)
    if mounted.returncode:
        folder.rmdir()
        pytest.skip("this machine does not let root mount a tmpfs")
    try:
        yield folder
    finally:
        release(Settings(home=folder / "home").postgres_folder)
        subprocess.run(["umount", "--lazy", folder], check=True)
        folder.rmdir()


def test_an_import_on_a_full_disk_says_so_and_goes_on_with_room(
    small_disk: Path, corpus: Path, fork: Start, undisturbed: dict[str, list[str]]
):
    home = small_disk / "home"
    assert fork(home, "stats").end().code == 0
    database = Database.open(Settings(home=home))  # keeps the server: its start needs room of its own
    filler = small_disk / "filler"
    filler.write_bytes(bytes(shutil.disk_usage(small_disk).free - LEFT_BYTES))
    ended = fork(home, "import", corpus).end()
    assert ended.code == 2
    assert f"make room on the disk of {home}" in ended.error
    filler.unlink()
    again = fork(home, "import", corpus).end()
    assert again.code == 0, again.err
    assert contents(database) == undisturbed
    database.engine.dispose()


# Too few for initdb; for the tables of an import.
@pytest.mark.parametrize(("inodes", "codes"), [(400, [2, 2]), (1060, [0, 2])])
def test_a_disk_without_inodes_is_told_and_no_server_stays(inodes: int, codes: list[int], fork: Start):
    with mounted_disk(f"size=500m,nr_inodes={inodes}") as disk:
        home = disk / "home"
        for command, code in zip((("stats",), ("import", "examples/sample_archive")), codes, strict=True):
            ended = fork(home, *command, variables={"TMPDIR": str(disk)}).end()
            assert ended.code == code
            assert code == 0 or "make room on" in ended.error
            assert not servers_below(disk)


def servers_below(folder: Path) -> list[psutil.Process]:
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if process.name() == "postgres" and Path(process.cwd()).is_relative_to(folder):
                found.append(process)
    return found
