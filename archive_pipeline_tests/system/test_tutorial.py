"""The tutorial, command by command, against a new home."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from archive_pipeline.settings import CHECKOUT
from archive_pipeline_tests.system.commands import Command

pytestmark = [pytest.mark.postgres, pytest.mark.system]

TUTORIAL = CHECKOUT / "docs" / "tutorial.md"
# Those that serve until they are stopped have tests of their own; the last part is about files of the reader's.
SERVERS = ("up", "browse")
OWN_FILES = "## Your own conversations"


def blocks() -> list[list[str]]:
    """Return the lines of each block of shell commands, in order."""
    text = TUTORIAL.read_text(encoding="utf-8").partition(OWN_FILES)[0]
    return [block.splitlines() for block in re.findall(r"```sh\n(.*?)```", text, re.DOTALL)]


def arguments() -> list[list[str]]:
    words = [shlex.split(line) for block in blocks() for line in block]
    return [rest for program, *rest in words if program == "llm-archive" and rest[0] not in SERVERS]


def test_every_command_does_what_the_tutorial_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    assert blocks()[0][0] == "make demo"
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(CHECKOUT / "examples")
    said = {}
    for command in [["import", "examples/sample_archive"], *arguments()]:
        ended = Command(tmp_path / "home", *command, log=tmp_path / "log").end()
        assert (ended.code, ended.err.count("Traceback")) == (0, 0), (command, ended.err)
        said[" ".join(command[:2])] = ended.out
    assert re.search(r"unchanged\s+15", said["import examples/sample_archive"])
    assert "(regeneration-1 from here)" in said["show canal"]
    assert said["context which budget did we plan for the canal"].startswith(
        "[Document 1: Cycling week along the canal, Page 1]"
    )
    assert {"notes", "training"} <= {path.name for path in tmp_path.iterdir()}
