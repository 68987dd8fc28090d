"""Imports that are killed, and imports at once: nothing half-written, and the same tables in the end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import psutil
import psycopg
import pytest

from archive_pipeline.errors import DatabaseUnavailableError
from archive_pipeline.ingest.importer import import_archive
from archive_pipeline.readers.reading import read_paths
from archive_pipeline.readers.shares import GROUP_RECORDS
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.import_log import only_writer
from archive_pipeline.store.migrate import migrate
from archive_pipeline.store.server.embedded import release
from archive_pipeline_tests.exports import chain, chatgpt, write
from archive_pipeline_tests.tables import query, raw_rows

pytestmark = pytest.mark.postgres

IMPORT = """
import sys
from archive_pipeline.ingest.importer import import_archive
from archive_pipeline.readers.reading import read_paths
from archive_pipeline.store.database import Database
from archive_pipeline.store.import_log import only_writer
database = Database(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
with only_writer(database):
    import_archive(database, read_paths(sys.argv[2:]))
"""

# The process is killed after its first group, which has rejected records before it and after it.
KILLED = """
import os, signal, sys
from archive_pipeline.ingest.importer import import_archive
from archive_pipeline.readers.reading import read_paths
from archive_pipeline.store.database import Database
from archive_pipeline.store.import_log import only_writer


def kill(_stage, done, _total):
    if done:
        os.kill(os.getpid(), signal.SIGKILL)


database = Database(sys.argv[1])
with only_writer(database):
    import_archive(database, read_paths(sys.argv[2:]), progress=kill)
"""


@pytest.fixture
def mortal(tmp_path: Path) -> Iterator[Settings]:
    """Settings of an archive of its own, whose server a test may kill."""
    settings = Settings(home=tmp_path / "mortal")
    yield settings
    release(settings.postgres_folder)


def test_a_database_killed_in_the_middle_leaves_whole_dialogues_and_the_import_can_be_repeated(
    database: Database, mortal: Settings, tmp_path: Path
):
    count = 2 * GROUP_RECORDS + 50
    path = write(tmp_path / "conversations.json", *(chatgpt(f"c{n}", chain("a", "b", "c")) for n in range(count)))
    victim = Database.open(mortal)
    migrate(victim)
    number = int((mortal.postgres_folder / "postmaster.pid").read_text().splitlines()[0])
    killed: list[int] = []

    def kill(_stage: str, done: int, _total: int) -> None:
        if done and not killed:
            killed.append(number)
            children = psutil.Process(number).children()
            os.kill(number, signal.SIGKILL)
            psutil.wait_procs(children, timeout=30)  # one that has not seen it yet might commit the next group

    with pytest.raises(DatabaseUnavailableError, match=r"conversations\.json.*run the import again") as raised:
        import_archive(victim, read_paths([path]), progress=kill)
    assert "\n" not in str(raised.value)
    victim.engine.dispose()
    again = Database.open(mortal)
    assert query(again, "SELECT count(*) FROM raw.dialogues") == [(GROUP_RECORDS,)]
    assert query(again, "SELECT count(*) FROM raw.messages") == [(3 * GROUP_RECORDS,)]
    assert query(again, "SELECT count(*) FROM raw.content_parts") == [(3 * GROUP_RECORDS,)]
    assert query(again, "SELECT status, finished_at FROM raw.imports") == [("running", None)]
    summary = import_archive(again, read_paths([path]))
    assert summary.dialogues == {"unchanged": GROUP_RECORDS, "new": count - GROUP_RECORDS}
    import_archive(database, read_paths([path]))
    assert raw_rows(again) == raw_rows(database)
    again.engine.dispose()


def test_connections_that_are_cut_between_groups_are_opened_again(database: Database, tmp_path: Path):
    count = GROUP_RECORDS + 1
    path = write(tmp_path / "conversations.json", *(chatgpt(f"c{n}", chain("a")) for n in range(count)))
    cut = (
        "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE pid <> pg_backend_pid() "
        "AND datname = 'archive' AND backend_type = 'client backend'"
    )
    with psycopg.connect(database.url, autocommit=True) as watcher:
        summary = import_archive(database, read_paths([path]), progress=lambda *_: watcher.execute(cut) and None)
    assert summary.dialogues == {"new": count}


def test_a_connection_that_is_cut_while_it_writes_is_an_error_that_names_the_file(database: Database, tmp_path: Path):
    path = write(tmp_path / "conversations.json", *(chatgpt(f"c{n}", chain("a")) for n in range(3)))
    # The server ends the session that writes the first dialogue.
    with database.session() as connection:
        connection.execute(
            "CREATE FUNCTION raw.end_session() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NEW; END $$"
        )
        connection.execute("CREATE TRIGGER ends BEFORE INSERT ON raw.dialogues EXECUTE FUNCTION raw.end_session()")
    try:
        with pytest.raises(DatabaseUnavailableError, match=r"conversations\.json.*run the import again") as raised:
            import_archive(database, read_paths([path]))
    finally:
        with database.session() as connection:
            connection.execute("DROP FUNCTION raw.end_session CASCADE")
    assert "\n" not in str(raised.value)
    assert query(database, "SELECT count(*) FROM raw.dialogues") == [(0,)]
    assert import_archive(database, read_paths([path])).dialogues == {"new": 3}


def test_two_importers_at_once_end_as_one_after_the_other(database: Database, tmp_path: Path):
    older = [chatgpt(f"c{n}", chain("a", "b"), updated=1000.0) for n in range(60)]
    newer = [chatgpt(f"c{n}", chain("a", "B", "c"), updated=2000.0) for n in range(30, 90)]
    files = [write(tmp_path / "one.json", *older), write(tmp_path / "two.json", *newer)]
    command = [sys.executable, "-c", IMPORT, database.url]
    processes = [
        subprocess.Popen([*command, str(file)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for file in files
    ]
    for process in processes:
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        process.stdin.write("\n")
        process.stdin.flush()
    for process in processes:
        process.communicate(timeout=300)
        assert process.returncode == 0
    together = raw_rows(database)
    query(database, "DELETE FROM raw.dialogues RETURNING 1")
    import_archive(database, read_paths(files))
    assert raw_rows(database) == together
    # 60 + 30 dialogues; of c30 to c59 the newer state, with three messages.
    assert (len(together["dialogues"]), len(together["messages"])) == (90, 30 * 2 + 60 * 3)


def test_the_writer_lock_is_held_by_one_and_says_when_it_waits(database: Database):
    waited: list[str] = []
    entered = threading.Event()

    def second() -> None:
        with only_writer(database, on_wait=waited.append):
            entered.set()

    with only_writer(database, on_wait=waited.append):
        thread = threading.Thread(target=second)
        thread.start()
        assert not entered.wait(0.3)
    thread.join(10)
    assert entered.is_set()
    assert waited == ["another process is writing to this archive; waiting for it to finish"]


def test_the_writer_lock_goes_with_a_process_that_is_killed(database: Database):
    code = (
        "import sys; from archive_pipeline.store.database import Database; "
        "from archive_pipeline.store.import_log import only_writer\n"
        "with only_writer(Database(sys.argv[1])):\n    print('held', flush=True); sys.stdin.readline()"
    )
    command = [sys.executable, "-c", code, database.url]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "held\n"
    process.kill()
    process.communicate(timeout=300)
    with only_writer(database):
        pass


def test_an_import_killed_between_groups_keeps_what_it_rejected_so_far_and_counts_as_failed(
    database: Database, tmp_path: Path
):
    good = [chatgpt(f"c{n}", chain("a")) for n in range(GROUP_RECORDS + 1)]
    path = write(tmp_path / "conversations.json", *good[:10], 7, *good[10:], 8)  # type: ignore[arg-type]
    killed = subprocess.run([sys.executable, "-c", KILLED, database.url, path], check=False, timeout=300)
    assert killed.returncode == -signal.SIGKILL
    rejected = "SELECT right(locator, 5) FROM raw.rejected_records ORDER BY id"
    assert query(database, "SELECT count(*) FROM raw.dialogues") == [(GROUP_RECORDS,)]
    assert query(database, rejected) == [("n[10]",)]
    assert query(database, "SELECT status, finished_at FROM raw.imports") == [("running", None)]
    with only_writer(database):
        summary = import_archive(database, read_paths([path]))
    assert query(database, "SELECT status, finished_at >= started_at FROM raw.imports ORDER BY started_at") == [
        ("failed", True),
        ("done", True),
    ]
    assert summary.dialogues == {"unchanged": GROUP_RECORDS, "new": 1, "rejected": 2}
    assert query(database, rejected) == [("n[10]",), ("n[10]",), ("[202]",)]
