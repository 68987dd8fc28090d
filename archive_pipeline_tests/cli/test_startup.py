"""What the command line imports before it knows what to do, and Ctrl-C meanwhile."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from archive_pipeline.cli import main
from archive_pipeline.cli.commands import LazyGroup, llm_archive
from archive_pipeline.errors import ArchiveError
from archive_pipeline.settings import Settings
from archive_pipeline_tests.cli.command_line import Loaded
from archive_pipeline_tests.exports import chain, chatgpt, write

pytestmark = pytest.mark.slow

RUN = """
import sys
from archive_pipeline.cli import main
main()
"""
# Runs command lines one after another; after each, the modules from elsewhere that are loaded by then.
RUN_ALL = """
import contextlib, io, json, sys
started_with = set(sys.modules)
from archive_pipeline.cli import main
found = []
for arguments in json.load(sys.stdin):
    sys.argv = ["llm-archive", *arguments]
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        try:
            main()
        except SystemExit as end:
            code = end.code
    loaded = {name.partition(".")[0] for name in set(sys.modules) - started_with} - sys.stdlib_module_names
    found.append({"code": code, "said": said.getvalue(), "loaded": sorted(loaded)})
print(json.dumps(found))
"""
# What needs no command: the package itself, and the library that reads the command line.
LIGHT = {"archive_pipeline", "click"}
# By the command line.
Results = dict[tuple[str, ...], dict[str, Any]]
OF_NO_COMMAND = {
    "--help": (0, "Import exports"),
    "-h": (0, "Import exports"),
    "--version": (0, "llm-archive, version"),
    "serach": (2, "No such command 'serach'"),
    "--hlep": (2, "No such option"),
}
MISSING = "/nonexistent/exprot.zip"
WRONG_ARGUMENTS = {
    "acknowledge": ["--jsno"],
    "ask": ["cats", "--max-tokens", "none"],
    "browse": ["--port", "0"],
    "annotate": ["chatgpt-a", "--remove"],
    "build": ["--asset"],
    "build_prompt_responses": ["--dialogue_id"],
    "context": ["cats", "--max-sources", "none"],
    "db": ["ulr"],
    "delete": [],
    "doctor": ["--source"],
    "documents": ["add"],
    "duplicates": ["--method", "guess"],
    "export": ["openai"],
    "import": ["export.zip", "--mirror", "--partial"],
    "index": ["now"],
    "list": ["--sort", "color"],
    "match": ["missing.json"],
    "mcp": ["--http", "0"],
    "partitions": ["--register=1"],
    "report": ["--out"],
    "search": ["cats", "--since", "yesterday"],
    "show": ["chatgpt-a", "--tree", "--json"],
    "stats": ["all"],
    "up": ["--host", "nowhere"],
    "verify": ["--full"],
}


def run(*arguments: str, first: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(first)}
    return subprocess.run(
        [sys.executable, "-c", RUN, *arguments], capture_output=True, text=True, env=environment, check=False
    )


def results_of(*command_lines: list[str]) -> list[dict[str, Any]]:
    """Run the command lines in one new process, so that what one of them loads shows in all that follow."""
    process = subprocess.run(
        [sys.executable, "-c", RUN_ALL], input=json.dumps(command_lines), capture_output=True, text=True, check=True
    )
    found: list[dict[str, Any]] = json.loads(process.stdout)
    return found


def command_names(group: click.Group, *names: str) -> Iterator[list[str]]:
    for name, known in group.commands.items():
        command = group.load(name) if isinstance(group, LazyGroup) else known
        yield [*names, name]
        if isinstance(command, click.Group):
            yield from command_names(command, *names, name)


@pytest.fixture(scope="module")
def without_a_call() -> Results:
    """What command lines say that call no command, by one process, so that what one loads shows in all that follow."""
    names = list(command_names(llm_archive))
    assert len(names) > len(llm_archive.commands)
    command_lines = [
        *([argument] for argument in OF_NO_COMMAND),
        *([*name, "--help"] for name in names),
        *([*name, "--no-such-option"] for name in names),
        *([name, *arguments] for name, arguments in WRONG_ARGUMENTS.items()),
        ["import", MISSING],
    ]
    return dict(zip(map(tuple, command_lines), results_of(*command_lines), strict=True))


def test_nothing_is_loaded_before_a_command_is_called(without_a_call: Results):
    for argument, (code, said) in OF_NO_COMMAND.items():
        result = without_a_call[argument,]
        assert (result["code"], said in result["said"]) == (code, True)
        assert set(result["loaded"]) <= LIGHT


def test_the_help_of_a_command_loads_nothing_that_the_command_needs(without_a_call: Results):
    for name in command_names(llm_archive):
        result = without_a_call[*name, "--help"]
        assert result["code"] == 0
        assert result["said"].startswith(f"Usage: llm-archive {' '.join(name)} ")
        assert set(result["loaded"]) <= LIGHT, name


@pytest.mark.parametrize("wrong", ["an unknown option", "a wrong argument"])
def test_a_mistyped_argument_of_a_command_loads_nothing_that_the_command_needs(wrong: str, without_a_call: Results):
    if wrong == "an unknown option":
        command_lines = [(*name, "--no-such-option") for name in command_names(llm_archive)]
    else:
        command_lines = [(name, *arguments) for name, arguments in WRONG_ARGUMENTS.items()]
        assert set(WRONG_ARGUMENTS) == set(llm_archive.commands)
    for arguments in command_lines:
        result = without_a_call[arguments]
        assert (result["code"], "Error: " in result["said"]) == (2, True), arguments
        assert set(result["loaded"]) <= LIGHT, arguments


def test_a_path_that_does_not_exist_is_said_before_anything_is_opened(without_a_call: Results):
    result = without_a_call["import", MISSING]
    assert result["code"] == 2
    assert f"{MISSING} does not exist: check the path" in result["said"]
    assert "sqlalchemy" not in result["loaded"]


@pytest.mark.long  # commands that are called show it below
def test_a_command_that_is_called_is_loaded(tmp_path: Path):
    [result] = results_of(["match", str(Path(__file__))])
    assert (result["code"], "is not JSON" in result["said"]) == (2, True)
    assert "sqlalchemy" in result["loaded"]


@pytest.mark.parametrize("name", llm_archive.commands)
def test_the_line_about_a_command_is_that_of_its_own_help(name: str):
    assert isinstance(llm_archive, LazyGroup)
    command = llm_archive.load(name)
    assert command.name == name
    for limit in (45, 80, 200):
        assert llm_archive.commands[name].get_short_help_str(limit) == command.get_short_help_str(limit)


@pytest.mark.parametrize(
    ("module", "command", "said"),
    [
        ("click", ["documents", "add"], "interrupted; what was committed stays, run the command again to go on"),
        ("sqlalchemy", ["match"], "interrupted"),
    ],
    ids=["click", "sqlalchemy"],
)
def test_ctrl_c_during_imports_is_one_line(tmp_path: Path, module: str, command: list[str], said: str):
    interrupt = "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n"
    (tmp_path / f"{module}.py").write_text(interrupt)
    result = run(*command, __file__, first=tmp_path)
    assert result.returncode == 130
    assert [line for line in result.stderr.splitlines() if line] == [f"llm-archive: {said}"]


@pytest.mark.parametrize("error", [ArchiveError("the database failed"), RuntimeError("another command is in progress")])
def test_an_error_that_came_of_ctrl_c_is_an_interrupt(
    error: Exception, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    def interrupted(**_options: object) -> None:
        try:
            try:
                raise KeyboardInterrupt
            finally:
                raise OSError("cannot roll back")
        except OSError as cause:
            raise error from cause

    monkeypatch.setattr(llm_archive, "main", interrupted)
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 130
    assert capsys.readouterr().err.startswith("llm-archive: interrupted")


def test_output_that_is_full_is_one_line():
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-c", RUN, "list", "--help"], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 2
    assert done.stderr == "llm-archive: cannot write: No space left on device\n"


def test_input_that_is_closed_is_at_its_end():
    command = f'"{sys.executable}" -c "$0" match - <&-'
    done = subprocess.run(["sh", "-c", command, RUN], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert "empty document" in done.stderr


def test_output_that_is_closed_goes_nowhere():
    command = f'"{sys.executable}" -c "$0" list --help >&-'
    done = subprocess.run(["sh", "-c", command, RUN], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_commands_that_build_and_read_no_tables_do_without_pandas(
    loaded: Loaded, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    loaded(write(tmp_path / "a.json", chatgpt("talk", chain("Where is the canal?", "Behind the mill."))))
    monkeypatch.setenv("ARCHIVE_HOME", str(settings.home))
    monkeypatch.delenv("ARCHIVE_DATABASE_URL", raising=False)
    command_lines = [["stats"], ["list"], ["search", "canal"], ["context", "canal"], ["duplicates"]]
    for arguments, result in zip(command_lines, results_of(*command_lines), strict=True):
        assert result["code"] == 0, result
        assert "sqlalchemy" in result["loaded"]
        assert "pandas" not in result["loaded"], arguments
