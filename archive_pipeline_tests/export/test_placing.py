"""An export that is killed: what it leaves is removed by the next one to the same path, and by none that runs."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from archive_pipeline.errors import ExportError
from archive_pipeline.export.choices import Choices
from archive_pipeline.export.output import Output
from archive_pipeline.export.placing import placed_folder, remove_remains
from archive_pipeline.export.run import export
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.cli.command_line import CommandLine
from archive_pipeline_tests.variants import some_of

# Exports, says so when the first batch is written, and waits.
EXPORTER = """
import sys, time
from pathlib import Path
from archive_pipeline.export.choices import Choices
from archive_pipeline.export.run import export
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database

def wait(_messages):
    print("written", flush=True)
    time.sleep(600)

settings = Settings(home=sys.argv[1])
export(Database.open(settings), settings, "openai", Path(sys.argv[2]), Choices(), progress=wait)
"""

KILLED = """
import os, signal
from pathlib import Path
from archive_pipeline.export.output import Output
from archive_pipeline.export.placing import placed_file, placed_folder

rename, renamed = Path.rename, 0

def counted(path, target):
    global renamed
    renamed += 1
    if renamed == {number}:
        os.kill(os.getpid(), signal.SIGKILL)
    return rename(path, target)

Path.rename = counted
{program}
"""


@contextmanager
def exporting(home: Path, target: Path) -> Iterator[subprocess.Popen[str]]:
    """An export in another process that has written a batch and goes on for ever."""
    with subprocess.Popen(
        [sys.executable, "-c", EXPORTER, str(home), str(target)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        try:
            assert process.stdout.readline() == "written\n"
            yield process
        finally:
            process.kill()


def hidden(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if path.name.startswith(".")]


@pytest.mark.postgres
@pytest.mark.parametrize("name", some_of(["chat.jsonl", "chat"]))
def test_what_a_killed_export_left_is_removed_by_the_next_one(
    filled: Database, settings: Settings, llm_archive_of: CommandLine, tmp_path: Path, name: str
):
    folder = tmp_path / "out"
    with exporting(settings.home, folder / name) as process:
        [left] = hidden(folder)
        # Another export to the place, while that one runs, leaves its folder alone.
        assert export(filled, settings, "openai", folder / name, Choices()).remains == 0
        assert hidden(folder) == [left]
        process.kill()
        process.wait()
    assert hidden(folder) == [left]
    other = llm_archive_of("export", "openai", "--out", folder / f"another-{name}")
    assert (other.code, hidden(folder)) == (0, [left]), "another path"
    for path in folder.glob("chat*"):
        path.unlink() if path.is_file() else [*map(Path.unlink, path.iterdir()), path.rmdir()]
    found = llm_archive_of("export", "sharegpt", "--out", folder / name)
    assert found.code == 0
    assert "removed what 1 killed export to this path had left" in found.err
    assert hidden(folder) == []
    assert (folder / name).exists()


def kill_at_rename(number: int, program: str) -> None:
    """Run a program that is killed just before a rename."""
    killed = subprocess.run([sys.executable, "-c", KILLED.format(number=number, program=program)], check=False)
    assert killed.returncode == -signal.SIGKILL


def test_an_export_that_had_given_way_is_put_back(tmp_path: Path):
    target = tmp_path / "chat"
    target.mkdir()
    (target / "old").touch()
    kill_at_rename(2, f"with placed_folder(Path({str(target)!r}), replace=True) as folder: (folder / 'new').touch()")
    assert not target.exists()
    assert remove_remains(target, {}) == 1
    assert [path.name for path in target.iterdir()] == ["old"]
    assert hidden(tmp_path) == []


@pytest.mark.parametrize("rename", [1, 2, 3])
def test_a_file_whose_manifest_was_there_before_it_is_taken_back(tmp_path: Path, rename: int):
    target, beside = tmp_path / "chat.jsonl", {"manifest.json": tmp_path / "chat.manifest.json"}
    program = f"""
beside = {{"manifest.json": Path({str(beside["manifest.json"])!r})}}
with placed_file(Path({str(target)!r}), "data.jsonl", beside) as made:
    (made / "data.jsonl").touch()
    (made / "manifest.json").touch()
"""
    kill_at_rename(rename, program)
    assert beside["manifest.json"].exists() == (rename == 3)
    assert remove_remains(target, beside) == 1
    assert list(tmp_path.iterdir()) == []


def test_what_stands_there_is_not_what_a_killed_export_left(tmp_path: Path):
    target = tmp_path / "chat.jsonl"
    (tmp_path / "chat.manifest.json").touch()
    (tmp_path / ".chat.jsonl.abc.partial" / "made").mkdir(parents=True)
    (tmp_path / ".chat.extra.partial").mkdir()
    (tmp_path / ".chat.jsonl.abc.def.partial").mkdir()
    assert remove_remains(target, {"manifest.json": tmp_path / "chat.manifest.json"}) == 1
    assert {path.name for path in tmp_path.iterdir()} == {
        "chat.manifest.json",
        ".chat.extra.partial",
        ".chat.jsonl.abc.def.partial",
    }


def test_a_place_that_cannot_be_written_is_said(tmp_path: Path):
    (tmp_path / "file").touch()
    with pytest.raises(ExportError, match="cannot be written"), placed_folder(tmp_path / "file" / "x", replace=False):
        pass
    with pytest.raises(ExportError, match="name too long"), placed_folder(tmp_path / ("x" * 300), replace=False):
        pass


def write_to(target: Path, name: str) -> None:
    with placed_folder(target, replace=False) as folder:
        output = Output(folder)
        try:
            output.file(name, b"text")
            output.close()
        finally:
            output.abort()


def test_what_the_writing_thread_meets_is_said_and_nothing_is_left(tmp_path: Path):
    with pytest.raises(ExportError, match="File name too long"):
        write_to(tmp_path / "chat", "n" * 300)
    assert list(tmp_path.iterdir()) == []
