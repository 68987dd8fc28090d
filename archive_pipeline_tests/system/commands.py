"""Starting `llm-archive` as a user does, and holding it at a known place inside PostgreSQL."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg

from archive_pipeline.store.database import Database
from archive_pipeline_tests.system.forked import ForkedProcess, Forks
from archive_pipeline_tests.tables import derived_rows, raw_rows

ENTRY = "archive_pipeline.cli:main"
SCRIPT = Path(sys.executable).parent / "llm-archive"
SECONDS = 900.0  # to wait in vain; a busy machine takes its time
GATE = 77_001


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def error(self) -> str:
        """The only error line."""
        lines = [line for line in self.err.splitlines() if line.startswith("llm-archive: ")]
        assert len(lines) == 1, self.err
        assert "Traceback" not in self.err, self.err
        return lines[0].removeprefix("llm-archive: ")


class Command:
    """A command under way, whose output goes to files, so that it never waits for a reader."""

    def __init__(
        self,
        home: Path,
        *arguments: object,
        log: Path,
        program: Sequence[object] = (SCRIPT,),
        variables: Mapping[str, str] | None = None,
        forks: Forks | None = None,
        entry: str = ENTRY,
    ) -> None:
        """Start it: ``program`` by itself, or ``entry`` in a process of ``forks``."""
        self._out, self._err = log.with_suffix(".out"), log.with_suffix(".err")
        environment = {**os.environ, "ARCHIVE_HOME": str(home), "COLUMNS": "200"}
        for variable in ("ARCHIVE_DATABASE_URL", "ARCHIVE_PARTITIONING", "DAGSTER_HOME"):
            environment.pop(variable, None)
        environment.update(variables or {})
        line = [*map(str, (*program, *arguments))]
        self.process: subprocess.Popen[bytes] | ForkedProcess
        if forks is not None:
            self._err.touch()  # the process makes it, too, some time after its start
            self.process = forks.start(entry, line, out=self._out, err=self._err, environment=environment)
            return
        with self._out.open("wb") as out, self._err.open("wb") as err:
            self.process = subprocess.Popen(line, stdout=out, stderr=err, env=environment, start_new_session=True)

    def send(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def said(self) -> str:
        """What it wrote to standard error so far."""
        return self._err.read_text()

    def end(self) -> Ended:
        """Wait for the end."""
        try:
            code = self.process.wait(SECONDS)
        finally:
            if self.process.poll() is None:
                self.process.kill()
                self.process.wait()
        return Ended(code, self._out.read_text(), self._err.read_text())


def wait_until(condition: Callable[[], bool], what: str, *, seconds: float = SECONDS, pause: float = 0.05) -> None:
    """Return as soon as the condition holds, which is looked at again after each pause."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"waited {seconds:.0f} seconds in vain until {what}"
        time.sleep(pause)


class Gate:
    """A place in the database where whoever gets there waits until it is opened."""

    def __init__(self, url: str, table: str, number: int) -> None:
        self._url, self._table, self._number = url, table, number
        self._connection = psycopg.connect(url, autocommit=True)
        self._connection.execute("SELECT pg_advisory_lock(%s)", [number])

    def wait_for_visitor(self, *, seconds: float = SECONDS) -> None:
        """Return as soon as somebody waits here."""
        wait_until(lambda: bool(self.visitors()), f"somebody gets to the gate at {self._table}", seconds=seconds)

    def open(self) -> None:
        """Let everybody through."""
        self._connection.close()

    def remove(self) -> None:
        """Take the gate away."""
        self.open()
        with psycopg.connect(self._url, autocommit=True) as connection:
            connection.execute("SET lock_timeout = '20s'")
            connection.execute(f"DROP TRIGGER IF EXISTS gate ON {self._table}".encode())

    def visitors(self) -> set[int]:
        """The server's processes that wait here."""
        query = "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = %s AND NOT granted"
        return {pid for (pid,) in self._connection.execute(query, [self._number])}


@contextmanager
def gate(database: Database, table: str, condition: str, *, number: int = GATE) -> Iterator[Gate]:
    """Hold whoever inserts a row for which the condition is true into the table; gates at once have other numbers."""
    with psycopg.connect(database.url, autocommit=True) as connection:
        connection.execute(
            f"CREATE OR REPLACE FUNCTION wait_at_gate_{number}() RETURNS trigger LANGUAGE plpgsql AS "
            f"'BEGIN PERFORM pg_advisory_lock_shared({number}); PERFORM pg_advisory_unlock_shared({number}); "
            "RETURN NEW; END'".encode()
        )
        connection.execute(
            f"CREATE TRIGGER gate BEFORE INSERT ON {table} FOR EACH ROW WHEN ({condition}) "
            f"EXECUTE FUNCTION wait_at_gate_{number}()".encode()
        )
        # Bulk loads run with ordinary triggers off.
        connection.execute(f"ALTER TABLE {table} ENABLE ALWAYS TRIGGER gate".encode())
    held = Gate(database.url, table, number)
    try:
        yield held
    finally:
        held.remove()


def contents(database: Database) -> dict[str, list[str]]:
    """Every row of every table, without when and by which import it came."""
    return {**raw_rows(database), **derived_rows(database)}
