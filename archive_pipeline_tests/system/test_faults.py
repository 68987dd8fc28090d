"""Whatever is killed while an import and a backfill are under way, the tables are as if nothing had happened."""

from __future__ import annotations

import json
import os
import random
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import psycopg
import pytest

from archive_pipeline.derive.registry import ASSETS
from archive_pipeline.orchestration.automation.import_job import IMPORT_JOB
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline_tests.conftest import empty
from archive_pipeline_tests.system.commands import GATE, Gate, contents, gate
from archive_pipeline_tests.system.conftest import Start
from archive_pipeline_tests.system.live import Live
from archive_pipeline_tests.tables import query

pytestmark = [pytest.mark.system, pytest.mark.postgres, pytest.mark.dagster, pytest.mark.faults]


@pytest.fixture
def chance() -> random.Random:
    """Chooses the moments; a failed run is repeated with the seed that it printed."""
    seed = int(os.environ.get("ARCHIVE_FAULT_SEED") or time.time_ns() % 1_000_000)
    print(f"ARCHIVE_FAULT_SEED={seed}")  # noqa: T201 (shown if the test fails)
    return random.Random(seed)  # noqa: S311


@pytest.fixture
def expected(
    undisturbed: dict[str, list[str]],
    archive: Database,
    corpus: Path,
    small_corpus: Path,
    start: Start,
    settings: Settings,
) -> Iterator[dict[str, list[str]]]:
    """The tables after one command imported everything."""
    empty(archive)
    ended = start(settings.home, "import", corpus, small_corpus).end()
    assert ended.code == 0, ended.err
    yield contents(archive)
    empty(archive)


def last_dialogue(export: Path) -> str:
    """The condition that a row of `raw.dialogues` is the export's last dialogue."""
    return f"NEW.source_id = '{json.loads(export.read_bytes())[-1]['id']}'"


def drop(export: Path, home: Path, name: str) -> None:
    """Put a file into the drop folder at once, complete."""
    (home / "imports").mkdir(exist_ok=True)
    shutil.copyfile(export, home / "imports" / f"{name}.part")
    (home / "imports" / f"{name}.part").rename(home / "imports" / name)


@contextmanager
def suspended(process: psutil.Process | None) -> Iterator[None]:
    """Stop a process, as a disk that does not answer does."""
    assert process is not None
    process.suspend()
    try:
        yield
    finally:
        process.resume()


def imports_of(up: Live, name: str) -> list[str]:
    """How the runs that imported a file of this name ended, in order."""
    return [run["status"] for run in up.runs(IMPORT_JOB) if run["tags"]["archive/import"] == name]


def server(home: Path) -> psutil.Process | None:
    """The postmaster, if there is one."""
    try:
        return psutil.Process(int((home / "postgres" / "postmaster.pid").read_text().splitlines()[0]))
    except (OSError, ValueError, IndexError, psutil.NoSuchProcess):
        return None


def answers(database: Database) -> bool:
    """Tell whether the server takes connections."""
    try:
        psycopg.connect(database.url).close()
    except psycopg.OperationalError:
        return False
    return True


class Faults:
    """An import and a backfill, both held in the middle, and what is done to them."""

    def __init__(self, up: Live, gates: list[Gate], chance: random.Random) -> None:
        self._up, self._gates, self._chance = up, gates, chance
        self._started = time.monotonic()

    def wait(self, before: list[set[int]]) -> list[set[int]]:
        """Return when both are held, by other processes of the server than before."""
        self._up.wait(
            lambda: all(gate.visitors() - pids for gate, pids in zip(self._gates, before, strict=True)),
            "import and backfill are under way again",
        )
        self._log("import and backfill are held")
        return [gate.visitors() for gate in self._gates]

    def kill(self, part: str) -> None:
        """Kill a part of Dagster and wait for another one in its place."""
        self._come_to_a_moment()
        victim = self._up.part(part)
        self._up.kill(victim)
        self._log(f"killed the {part}")
        self._up.wait(lambda: self._up.part(part) not in {None, victim}, f"there is another {part}")
        self._log(f"there is another {part}")

    def kill_workers(self) -> None:
        """Kill the processes of all runs."""
        self._come_to_a_moment()
        self._up.kill(*self._up.workers())
        self._log("killed the workers")

    def kill_workers_and_code(self) -> None:
        """Kill the processes of all runs, and at once the one that would start them anew."""
        self._come_to_a_moment()
        victim = self._up.part("code")
        self._up.kill(*self._up.workers(), victim)
        self._log("killed the workers and the code")
        self._up.wait(lambda: self._up.part("code") not in {None, victim}, "there is another process with the code")

    def kill_server(self, database: Database) -> None:
        """Kill PostgreSQL, whose other processes are left to themselves, and wait for it to be back."""
        self._come_to_a_moment()
        victim = server(self._up.home)
        self._up.kill(victim)
        self._log("killed PostgreSQL")
        # Nobody here starts it: that is for the processes of Dagster to do.
        self._up.wait(lambda: server(self._up.home) not in {None, victim}, "PostgreSQL is started")
        self._up.wait(lambda: answers(database), "PostgreSQL is back")
        self._log("PostgreSQL is back")

    def _come_to_a_moment(self) -> None:
        time.sleep(self._chance.random())
        # A run that is lost while its process is being started is found lost after two minutes: too long for a test.
        self._up.wait(lambda: self._up.count(["STARTING"]) == 0, "no run is being started")

    def _log(self, what: str) -> None:
        print(f"{time.monotonic() - self._started:6.1f} s  {what}")  # noqa: T201 (how long what takes; shown with -s)


def test_two_imports_and_a_slow_disk_and_then_everything_is_killed_in_turn(
    up: Live,
    new_archive: tuple[Path, Database],
    corpus: Path,
    small_corpus: Path,
    tmp_path: Path,
    start: Start,
    expected: dict[str, list[str]],
    chance: random.Random,
):
    home, database = new_archive
    bad = tmp_path / "bad.json"
    bad.write_text("[{]")
    with gate(database, "raw.dialogues", last_dialogue(corpus / "second.json")) as held:
        drop(corpus / "second.json", home, "second.json")
        up.wait(lambda: bool(held.visitors()), "the daemon imports")
        command = start(home, "import", corpus / "first.json")
        up.wait(lambda: "waiting for it to finish" in command.said(), "the command waits for the daemon")
        drop(bad, home, "bad.json")
        with suspended(up.part("code")):
            up.wait(lambda: "FAILURE" in {tick["status"] for tick in up.ticks("new_imports")}, "a tick times out")
    assert command.end().code == 0
    up.wait(lambda: imports_of(up, "bad.json") == ["FAILURE"], "the bad file is refused")
    up.wait(up.is_idle, "all is built")

    keys = [key for (key,) in query(database, "SELECT partition_key FROM raw.dialogues ORDER BY partition_key")]
    with (
        gate(database, "raw.dialogues", last_dialogue(small_corpus)) as importing,
        gate(database, "derived.exchanges", "true", number=GATE + 1) as building,
    ):
        backfill = up.launch_backfill(list(ASSETS), keys)
        query(database, "DELETE FROM derived.build_state RETURNING 1")
        drop(small_corpus, home, "small.json")
        up.wait(lambda: bool(importing.visitors()), "the import is under way")
        faults = Faults(up, [importing, building], chance)
        importer = [importing.visitors(), set()]
        faults.kill("daemon")
        held_by = faults.wait(importer)
        faults.kill_workers()
        held_by = faults.wait(held_by)
        faults.kill_workers_and_code()
        held_by = faults.wait(held_by)
        faults.kill("code")
        faults.kill("web server")
        faults.wait(held_by)
        faults.kill_server(database)
    up.wait(lambda: up.backfill_status(backfill) == "COMPLETED_SUCCESS", "the backfill completes")
    up.wait(lambda: imports_of(up, "small.json")[-1] == "SUCCESS", "the import ends")
    up.wait(up.is_idle, "what is left is built")
    assert contents(database) == expected
    assert imports_of(up, "second.json") == ["SUCCESS"]
    *lost, last = imports_of(up, "small.json")
    assert (last, set(lost)) == ("SUCCESS", {"FAILURE"})
    assert imports_of(up, "bad.json") == ["FAILURE"]
    up.stop()
