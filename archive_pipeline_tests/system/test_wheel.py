"""The wheel works outside the checkout: the tutorial, command by command, with all that the programs read from it."""

from __future__ import annotations

import json
import re
import shlex
import sys
import zipfile
from pathlib import Path

import pytest

from archive_pipeline.settings.variables import CHECKOUT
from archive_pipeline_tests.system.commands import Command, Ended

pytestmark = [pytest.mark.postgres, pytest.mark.system]

TUTORIAL = CHECKOUT / "docs" / "tutorial.md"
# Those that serve until they are stopped have tests of their own; the last part is about files of the reader's.
SERVERS = ("up", "browse")
OWN_FILES = "## Your own conversations"
IMPORT = ["import", "examples/sample_archive"]
STATS = ["stats", "--json"]

# The unpacked package comes before the one that the environment has.
UNPACKED = "import sys; sys.path[0] = {folder!r}; "
# Runs commands, each as the installed script does, and tells their codes and output; most of a command is its imports.
COMMANDS = """
import contextlib, io, json
from archive_pipeline.cli import main
for arguments in json.loads(sys.argv[1]):
    sys.argv = ["llm-archive", *arguments]
    with contextlib.redirect_stdout(io.StringIO()) as out:
        try:
            main()
        except SystemExit as end:
            code = end.code
    print(json.dumps([code, out.getvalue()]), flush=True)
"""
WHERE = "import archive_pipeline.settings; print(archive_pipeline.__file__)"
HOME = "from archive_pipeline import settings; print(settings.Settings().home)"


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as pip would make it, without the metadata by which an environment knows its packages."""
    from hatchling.builders.wheel import WheelBuilder

    folder = tmp_path_factory.mktemp("wheel")
    (wheel,) = WheelBuilder(str(CHECKOUT)).build(directory=str(folder / "dist"), versions=["standard"])
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    return folder / "site"


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder outside the checkout that has the examples."""
    (tmp_path / "examples").symlink_to(CHECKOUT / "examples")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(unpacked: Path, folder: Path, code: str, *arguments: str) -> Ended:
    program = (sys.executable, "-c", UNPACKED.format(folder=str(unpacked)) + code)
    return Command(folder / "home", *arguments, log=folder / "log", program=program).end()


def test_the_package_that_runs_is_the_wheel_s(unpacked: Path, elsewhere: Path):
    assert run(unpacked, elsewhere, WHERE).out.strip() == str(unpacked / "archive_pipeline" / "__init__.py")


def test_a_new_home_is_a_folder_of_the_user(unpacked: Path, elsewhere: Path):
    ended = Command(
        elsewhere / "home",
        log=elsewhere / "log",
        program=("env", "-u", "ARCHIVE_HOME", sys.executable, "-c", UNPACKED.format(folder=str(unpacked)) + HOME),
        variables={"HOME": str(elsewhere)},
    ).end()
    assert ended.out.strip() == str(elsewhere / "llm-archive")


def blocks() -> list[list[str]]:
    """Return the lines of each block of shell commands of the tutorial, in order."""
    text = TUTORIAL.read_text(encoding="utf-8").partition(OWN_FILES)[0]
    return [block.splitlines() for block in re.findall(r"```sh\n(.*?)```", text, re.DOTALL)]


def tutorial() -> list[list[str]]:
    """Return the arguments of its commands."""
    words = [shlex.split(line) for block in blocks() for line in block]
    return [rest for program, *rest in words if program == "llm-archive" and rest[0] not in SERVERS]


@pytest.mark.long
def test_every_command_does_what_the_tutorial_says(unpacked: Path, elsewhere: Path):
    assert blocks()[0][0] == "make demo"  # which imports
    commands = [IMPORT, *tutorial(), STATS, ["verify"]]
    ended = run(unpacked, elsewhere, COMMANDS, json.dumps(commands))
    assert (ended.code, ended.err.count("Traceback")) == (0, 0), ended.err
    results = [json.loads(line) for line in ended.out.splitlines()]
    assert [code for code, _ in results] == [0] * len(commands), ended.err
    said = {" ".join(command[:2]): out for command, (_, out) in zip(commands, results, strict=True)}
    assert re.search(r"unchanged\s+15", said["import examples/sample_archive"])
    rows = json.loads(said["stats --json"])["rows"]
    assert rows["raw.dialogues"] == rows["derived.dialogue_trees"] == 15
    assert "(regeneration-1 from here)" in said["show canal"]
    assert "Sourdough" in said["search how do I keep sourdough alive in a cold kitchen"]
    assert said["context which budget did we plan for the canal"].startswith(
        "[Document 1: Cycling week along the canal, Page 1]"
    )
    assert len(list((elsewhere / "notes").rglob("*.md"))) >= 15
    assert (elsewhere / "training").exists()
