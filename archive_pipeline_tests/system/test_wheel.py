"""The wheel works outside the checkout: everything that the programs read is in it."""

from __future__ import annotations

import json
import shutil
import sys
import zipfile
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder

from archive_pipeline.settings import CHECKOUT
from archive_pipeline_tests.system.commands import Command, Ended

pytestmark = [pytest.mark.postgres, pytest.mark.system]

# Starts the unpacked package, which comes before the one that the environment has.
START = "import sys; sys.path[0] = {folder!r}; from archive_pipeline.cli import main; main()"
WHERE = "import sys; sys.path[0] = {folder!r}; import archive_pipeline.settings; print(archive_pipeline.__file__)"


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as pip would make it, without the metadata by which an environment knows its packages."""
    folder = tmp_path_factory.mktemp("wheel")
    (wheel,) = WheelBuilder(str(CHECKOUT)).build(directory=str(folder / "dist"), versions=["standard"])
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    return folder / "site"


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder outside the checkout that has an export."""
    shutil.copytree(CHECKOUT / "examples" / "sample_archive", tmp_path / "export")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(unpacked: Path, folder: Path, *arguments: str, code: str = START) -> Ended:
    program = (sys.executable, "-c", code.format(folder=str(unpacked)))
    return Command(folder / "home", *arguments, log=folder / "log", program=program).end()


def test_the_package_that_runs_is_the_wheel_s(unpacked: Path, elsewhere: Path):
    assert run(unpacked, elsewhere, code=WHERE).out.strip() == str(unpacked / "archive_pipeline" / "__init__.py")


def test_an_export_is_imported_searched_and_exported(unpacked: Path, elsewhere: Path):
    imported = run(unpacked, elsewhere, "import", "export")
    assert (imported.code, imported.err.count("Traceback")) == (0, 0)
    stats = json.loads(run(unpacked, elsewhere, "stats", "--json").out)
    assert stats["rows"]["raw.dialogues"] == stats["rows"]["derived.dialogue_trees"] == 15
    assert "Sourdough" in run(unpacked, elsewhere, "search", "sourdough").out
    assert run(unpacked, elsewhere, "verify").code == 0
    exported = run(unpacked, elsewhere, "export", "markdown", "--out", "notes")
    assert exported.code == 0
    assert len(list((elsewhere / "notes").rglob("*.md"))) >= 15


def test_a_new_home_is_a_folder_of_the_user(unpacked: Path, elsewhere: Path):
    code = (
        "import sys; sys.path[0] = {folder!r}; from archive_pipeline import settings; print(settings.Settings().home)"
    )
    ended = Command(
        elsewhere / "home",
        log=elsewhere / "log",
        program=("env", "-u", "ARCHIVE_HOME", sys.executable, "-c", code.format(folder=str(unpacked))),
        variables={"HOME": str(elsewhere)},
    ).end()
    assert ended.out.strip() == str(elsewhere / "llm-archive")
