"""An import that was interrupted, however rudely, is repeated and ends where an undisturbed one does."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import psutil
import pytest

from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.system.commands import contents, gate
from archive_pipeline_tests.system.conftest import Start
from archive_pipeline_tests.tables import counts, query

pytestmark = [pytest.mark.system, pytest.mark.postgres, pytest.mark.dagster]

# The import is held in its second transaction, and in the middle of the derived tables.
PLACES = {
    "reading": ("raw.dialogues", "NEW.source_created_at > to_timestamp(1680000000 + 220 * 20000)"),
    "building": ("derived.exchanges", "true"),
}


@pytest.fixture(params=PLACES)
def place(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def assert_interrupted(database: Database, place: str) -> None:
    """Check that the interruption was where it was meant to be, and left whole transactions."""
    stored = counts(database)
    if place == "reading":
        assert stored["dialogues"] == 200
        assert stored["message_paths"] == 0
    else:
        assert stored["dialogues"] == 240
        assert stored["message_paths"] == query(database, "SELECT sum(message_count) FROM raw.dialogues")[0][0]
        assert stored["exchanges"] == 0


def test_a_killed_import_is_repeated(
    place: str, faulty: Database, faulty_home: Path, corpus: Path, start: Start, undisturbed: dict[str, list[str]]
):
    with gate(faulty, *PLACES[place]) as held:
        command = start(faulty_home, "import", corpus)
        held.wait_for_visitor()
        command.send(signal.SIGKILL)
        assert command.end().code == -signal.SIGKILL
    assert_interrupted(faulty, place)
    again = start(faulty_home, "import", corpus, "--json").end()
    assert again.code == 0, again.err
    assert json.loads(again.out)["dialogues"]["new"] == (40 if place == "reading" else 0)
    assert contents(faulty) == undisturbed


def test_ctrl_c_is_one_line_and_exit_code_130(
    place: str, faulty: Database, faulty_home: Path, corpus: Path, start: Start, undisturbed: dict[str, list[str]]
):
    with gate(faulty, *PLACES[place]) as held:
        command = start(faulty_home, "import", corpus)
        held.wait_for_visitor()
        command.send(signal.SIGINT)
        if place == "reading":
            ended = command.end()
        else:  # what is being written is written to its end
            held.open()
            ended = command.end()
    assert ended.code == 130
    assert ended.error == "interrupted; what was committed stays, run the command again to go on"
    again = start(faulty_home, "import", corpus).end()
    assert again.code == 0, again.err
    assert contents(faulty) == undisturbed


def test_an_import_whose_server_is_killed_says_so_and_is_repeated(
    place: str, faulty: Database, faulty_home: Path, corpus: Path, start: Start, undisturbed: dict[str, list[str]]
):
    with gate(faulty, *PLACES[place]) as held:
        command = start(faulty_home, "import", corpus)
        held.wait_for_visitor()
        kill_server(faulty_home)
        ended = command.end()
        assert ended.code == 2, ended.err
        assert ended.error.endswith("again")
        Database.open(Settings(home=faulty_home))  # starts the server again, so that the gate can be taken away
    assert_interrupted(faulty, place)
    again = start(faulty_home, "import", corpus).end()
    assert again.code == 0, again.err
    assert contents(faulty) == undisturbed


def kill_server(home: Path) -> None:
    """Kill the postmaster; its other processes notice and end."""
    number = int((home / "postgres" / "postmaster.pid").read_text().splitlines()[0])
    postmaster = psutil.Process(number)
    children = postmaster.children()
    postmaster.kill()
    _ended, left = psutil.wait_procs(children, timeout=2)
    for child in left:  # one that waits for a lock does not look whether the postmaster is there
        child.kill()
