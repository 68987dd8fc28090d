"""An import that was interrupted, however rudely, is repeated and ends where an undisturbed one does."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.attached import export, file_id, referenced_hashes, stored_names, talk
from archive_pipeline_tests.system.commands import Gate, contents, gate
from archive_pipeline_tests.system.conftest import Start
from archive_pipeline_tests.tables import counts, query
from archive_pipeline_tests.variants import some_of

pytestmark = [pytest.mark.system, pytest.mark.postgres, pytest.mark.dagster]


@pytest.fixture(params=some_of(["building", "reading"]))
def place(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def held(place: str, faulty: Database, corpus: Path) -> Iterator[Gate]:
    """Holds the import in the transaction of its second file, or in the middle of the derived tables."""
    last = json.loads((corpus / "second.json").read_bytes())[-1]["id"]
    where = {"reading": ("raw.dialogues", f"NEW.source_id = '{last}'"), "building": ("derived.exchanges", "true")}
    with gate(faulty, *where[place]) as held:
        yield held


def assert_interrupted(database: Database, place: str) -> None:
    """Check that the interruption was where it was meant to be, and left whole transactions."""
    stored = counts(database)
    if place == "reading":
        assert stored["dialogues"] == 12
        assert stored["message_paths"] == 0
    else:
        assert stored["dialogues"] == 24
        assert stored["message_paths"] == query(database, "SELECT sum(message_count) FROM raw.dialogues")[0][0]
        assert stored["exchanges"] == 0


def test_a_killed_import_is_repeated(
    place: str,
    held: Gate,
    faulty: Database,
    faulty_home: Path,
    corpus: Path,
    fork: Start,
    undisturbed: dict[str, list[str]],
):
    command = fork(faulty_home, "import", corpus)
    held.wait_for_visitor()
    command.send(signal.SIGKILL)
    assert command.end().code == -signal.SIGKILL
    held.open()
    assert_interrupted(faulty, place)
    again = fork(faulty_home, "import", corpus, "--json").end()
    assert again.code == 0, again.err
    assert json.loads(again.out)["dialogues"]["new"] == (12 if place == "reading" else 0)
    assert contents(faulty) == undisturbed


def test_ctrl_c_is_one_line_and_exit_code_130(
    place: str,
    held: Gate,
    faulty: Database,
    faulty_home: Path,
    corpus: Path,
    start: Start,
    fork: Start,
    undisturbed: dict[str, list[str]],
):
    # One from nothing, where Python itself makes of the signal what it does; the other one has imported all it needs.
    command = {"reading": start, "building": fork}[place](faulty_home, "import", corpus)
    held.wait_for_visitor()
    command.send(signal.SIGINT)
    if place == "building":
        held.open()  # what is being written is written to its end
    ended = command.end()
    held.open()
    assert ended.code == 130
    assert ended.error == "interrupted; what was committed stays, run the command again to go on"
    again = fork(faulty_home, "import", corpus).end()
    assert again.code == 0, again.err
    assert contents(faulty) == undisturbed


@pytest.mark.faults
def test_an_import_whose_server_is_killed_says_so_or_goes_on(
    place: str,
    held: Gate,
    faulty: Database,
    faulty_home: Path,
    corpus: Path,
    fork: Start,
    undisturbed: dict[str, list[str]],
):
    command = fork(faulty_home, "import", corpus)
    held.wait_for_visitor()
    kill_server(faulty_home)
    ended = command.end()
    Database.open(Settings(home=faulty_home))  # starts the server again, if nobody did
    faulty.engine.dispose()
    held.remove()
    # A step of a Dagster run is tried again, and Dagster's storage starts the server if it is the first to miss it.
    assert ended.code in ({2} if place == "reading" else {0, 2}), ended.err
    if ended.code == 2:
        assert ended.error.endswith("again")
        assert_interrupted(faulty, place)
        again = fork(faulty_home, "import", corpus).end()
        assert again.code == 0, again.err
    assert contents(faulty) == undisturbed


def kill_server(home: Path) -> None:
    """Kill every process of the server at once.

    One after the other would let the import through: who holds the gate may be gone before who waits at it, and a
    process whose postmaster is dead serves its client on.
    """
    number = int((home / "postgres" / "postmaster.pid").read_text().splitlines()[0])
    postmaster = psutil.Process(number)
    postmaster.suspend()  # or it would answer the death of the first of its children
    processes = [*postmaster.children(), postmaster]
    for process in processes:
        process.suspend()
    for process in processes:
        process.kill()
    psutil.wait_procs(processes, timeout=300)


def test_an_import_that_is_killed_between_a_file_and_its_row_is_repeated(
    faulty: Database, faulty_home: Path, fork: Start, tmp_path: Path
):
    home = Settings(home=faulty_home)
    files = {f"{file_id(number)}.dat": f"text {number}" for number in (1, 2, 3)}
    path = export(tmp_path / "export.zip", {"conversations.json": [talk("attached", 1, 2, 3)], **files})
    with gate(faulty, "raw.attachment_contents", "true") as held:
        command = fork(faulty_home, "import", path)
        held.wait_for_visitor()
        command.send(signal.SIGKILL)
        assert command.end().code == -signal.SIGKILL
    assert len(stored_names(home)) == 3
    assert referenced_hashes(faulty) == set()
    # An export without the files first: what the killed process left is of no row, and goes.
    without = export(tmp_path / "without.zip", {"conversations.json": [talk("attached", 1, 2, 3)]})
    assert fork(faulty_home, "import", without).end().code == 0
    assert stored_names(home) == set()
    again = fork(faulty_home, "import", path).end()
    assert again.code == 0, again.err
    assert len(stored_names(home)) == 3
    assert stored_names(home) == referenced_hashes(faulty)
