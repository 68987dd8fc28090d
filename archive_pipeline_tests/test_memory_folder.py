"""Where files of tests are."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

from archive_pipeline_tests.memory_folder import has_room

GIBIBYTE = 1024**3

# Makes the folder, has a forked process end as Python ends, and says whether the folder is there still.
USE = """
import os, sys
from pathlib import Path
from archive_pipeline_tests.memory_folder import new_folder
folder = new_folder(Path(sys.argv[1]))
(folder / "file").touch()
if not (process := os.fork()):
    sys.exit()
os.waitpid(process, 0)
print(folder, (folder / "file").exists())
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with room, on a machine with memory."""
    _file_system_of(monkeypatch, 24)
    monkeypatch.setattr(psutil, "virtual_memory", lambda: SimpleNamespace(available=20 * GIBIBYTE))
    return tmp_path


def test_there_is_room_where_file_system_and_memory_are_large(folder: Path):
    assert has_room(folder, folder)
    assert not has_room(folder / "missing", folder)


@pytest.mark.parametrize(("gibibytes", "flags"), [(1, 0), (24, os.ST_NOEXEC)])
def test_there_is_none_in_a_small_file_system_or_where_no_program_may_run(
    folder: Path, monkeypatch: pytest.MonkeyPatch, gibibytes: int, flags: int
):
    _file_system_of(monkeypatch, gibibytes, flags)
    assert not has_room(folder, folder)


@pytest.mark.parametrize("gibibytes", [2, 15])
def test_there_is_none_where_memory_is_little(folder: Path, monkeypatch: pytest.MonkeyPatch, gibibytes: int):
    monkeypatch.setattr(psutil, "virtual_memory", lambda: SimpleNamespace(available=gibibytes * GIBIBYTE))
    assert not has_room(folder, folder)


def test_there_is_none_in_a_control_group_that_is_limited(folder: Path):
    for name, content in {"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": f"{4 * GIBIBYTE}\n"}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)
    assert not has_room(folder, folder)


def test_the_folder_goes_with_its_process_and_not_with_one_that_was_forked(tmp_path: Path):
    ended = subprocess.run([sys.executable, "-c", USE, tmp_path], capture_output=True, text=True, check=True)
    folder, is_there = ended.stdout.split()
    assert is_there == "True"
    assert Path(folder).parent == tmp_path
    assert not Path(folder).exists()


def _file_system_of(monkeypatch: pytest.MonkeyPatch, gibibytes: int, flags: int = 0) -> None:
    system = SimpleNamespace(f_bavail=gibibytes * GIBIBYTE // 4096, f_frsize=4096, f_flag=flags)
    monkeypatch.setattr(os, "statvfs", lambda _: system)
