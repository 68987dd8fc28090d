"""Worker processes: the rows of local builds, errors with their types, and nothing left of whoever is killed."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import psutil
import psycopg
import pytest

from archive_pipeline.building.batch_cache import BatchCache
from archive_pipeline.building.chunks import BuildTask
from archive_pipeline.building.dialogue_source import DIALOGUES
from archive_pipeline.building.dialogues import build_asset, build_stale
from archive_pipeline.building.documents import build_document_chunks
from archive_pipeline.building.executors.processes import ProcessExecutor
from archive_pipeline.derive.registry import effective_version
from archive_pipeline.errors import WorkerLostError
from archive_pipeline.ingest.importer import import_archive
from archive_pipeline.readers.reading import read_paths
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.staleness import DialogueRef
from archive_pipeline_tests.building.driver import start_build
from archive_pipeline_tests.derive.batches import batch_of, linear, store
from archive_pipeline_tests.documents.stored import PAGE, store_document
from archive_pipeline_tests.golden.cases import DIALOGUES as CASES
from archive_pipeline_tests.processes import command_line, fork_servers, workers
from archive_pipeline_tests.system.commands import gate, wait_until
from archive_pipeline_tests.tables import derived_rows, query
from archive_pipeline_tests.variants import some_of

pytestmark = [pytest.mark.postgres, pytest.mark.usefixtures("one_fork_server")]

TALKS = [
    linear(f"p{number}", ("user", f"Why {number}?"), ("assistant", f"Because of {number} things."), ("user", "go on"))
    for number in range(12)
]


@pytest.fixture
def by_processes(settings: Settings) -> Settings:
    return settings.with_values(executor="processes", workers=2)


@pytest.fixture
def executor(database: Database) -> Iterator[ProcessExecutor]:
    with closing(ProcessExecutor(database, 2, BatchCache())) as opened:
        yield opened


@contextmanager
def small_chunks(patch: pytest.MonkeyPatch, items: int = 3) -> Iterator[None]:
    """Build few items at a time, so that there are several chunks."""
    with patch.context() as within:
        within.setattr(DIALOGUES, "max_items", items)
        yield


def everything(database: Database) -> list[DialogueRef]:
    with database.session() as connection:
        return DIALOGUES.everything(connection)


def both_ways(database: Database, settings: Settings, by_processes: Settings) -> None:
    """Build all that is stored here and in processes, and compare every row and what is recorded."""
    found = []
    statement = "SELECT dialogue_id::text, asset, fingerprint, code_version FROM derived.build_state ORDER BY 1, 2"
    documents = "SELECT document_id::text, code_version, error FROM derived.document_builds ORDER BY 1"
    for chosen in (settings, by_processes):
        query(database, "DELETE FROM derived.build_state RETURNING 1")
        results = build_stale(database, chosen)
        cut = build_document_chunks(database, chosen, full=True)
        counted = {name: (result.rows, result.built, result.size) for name, result in results.items()}
        recorded = query(database, statement), query(database, documents)
        found.append((counted, (cut.rows, cut.built, cut.size), derived_rows(database), recorded))
    assert found[0] == found[1]
    assert workers() == []


def test_processes_give_the_rows_of_a_local_build(
    database: Database, settings: Settings, by_processes: Settings, monkeypatch: pytest.MonkeyPatch
):
    for talks in CASES.values():
        store(database, batch_of(*talks))
    store(database, batch_of(*TALKS))
    for number in range(5):
        store_document(database, f"paper {number}", [PAGE, f"{PAGE} {number}"])
    with small_chunks(monkeypatch):
        both_ways(database, settings, by_processes)


@pytest.mark.skipif("ARCHIVE_REAL_DATA" not in os.environ, reason="no real files")
@pytest.mark.long
def test_processes_give_the_rows_of_real_conversations(
    database: Database, settings: Settings, by_processes: Settings, monkeypatch: pytest.MonkeyPatch
):
    folder = Path(os.environ["ARCHIVE_REAL_DATA"])
    import_archive(database, read_paths([folder / "claude_code", folder / "codex", folder / "chatgpt"]))
    assert len(everything(database)) > 10
    with small_chunks(monkeypatch, 5):
        both_ways(database, settings, by_processes)


def test_one_that_cannot_be_built_is_set_aside_with_the_place_where_it_failed(
    database: Database, by_processes: Settings, monkeypatch: pytest.MonkeyPatch
):
    store(database, batch_of(*TALKS))
    with database.session() as connection:
        bad = f"CHECK (dialogue_id <> '{TALKS[4].id}') NOT VALID"
        connection.execute(f"ALTER TABLE derived.exchanges ADD CONSTRAINT poison {bad}")
    try:
        with small_chunks(monkeypatch):
            result = build_asset(database, by_processes, "exchanges", everything(database))
    finally:
        with database.session() as connection:
            connection.execute("ALTER TABLE derived.exchanges DROP CONSTRAINT poison")
    assert (result.built, list(result.failures)) == (11, [TALKS[4].id])
    assert result.failures[TALKS[4].id].startswith("CheckViolation: ")
    assert query(database, "SELECT dialogue_id::text FROM derived.build_errors") == [(TALKS[4].id,)]


def test_a_single_chunk_starts_no_process(database: Database, settings: Settings, executor: ProcessExecutor):
    store(database, batch_of(*TALKS))
    result = build_asset(database, settings, "exchanges", everything(database), executor=executor)
    assert (result.built, workers()) == (12, [])


def test_workers_stay_for_the_next_asset_with_the_batches_that_they_read(
    database: Database, settings: Settings, monkeypatch: pytest.MonkeyPatch
):
    store(database, batch_of(*TALKS))
    refs = everything(database)
    with closing(ProcessExecutor(database, 1, BatchCache())) as executor, small_chunks(monkeypatch):
        build_asset(database, settings, "message_paths", refs, executor=executor)
        before = [worker.pid for worker in workers()]
        query(database, "UPDATE raw.content_parts SET text_content = 'other words' RETURNING 1")
        build_asset(database, settings, "exchanges", refs, executor=executor)
        assert [worker.pid for worker in workers()] == before
        assert len(before) == 1
    assert query(database, "SELECT 1 FROM derived.exchange_content WHERE user_text = 'other words'") == []


def test_the_password_is_in_no_argument(database: Database, settings: Settings, executor: ProcessExecutor):
    store(database, batch_of(*TALKS))
    with pytest.MonkeyPatch.context() as patch, small_chunks(patch):
        build_asset(database, settings, "exchanges", everything(database), executor=executor)
    shown = [" ".join(command_line(process)) for process in (*fork_servers(), *workers())]
    assert len(shown) == 3
    assert not any("postgresql://" in arguments or database.url in arguments for arguments in shown)


def tasks_of(database: Database, settings: Settings, asset: str, refs: Sequence[DialogueRef]) -> list[BuildTask]:
    return [BuildTask("dialogues", asset, effective_version(asset, settings), settings, (ref,)) for ref in refs]


def test_an_error_of_the_database_comes_with_its_type_and_the_worker_s_place(
    database: Database, settings: Settings, executor: ProcessExecutor
):
    store(database, batch_of(*TALKS))
    with database.session() as connection:
        connection.execute("ALTER TABLE derived.exchanges RENAME TO away")
    try:
        with pytest.raises(psycopg.errors.UndefinedTable, match="exchanges") as caught:
            list(executor.map_batches(tasks_of(database, settings, "exchanges", everything(database))))
    finally:
        with database.session() as connection:
            connection.execute("ALTER TABLE derived.away RENAME TO exchanges")
    assert any("in the process" in note and "replace.py" in note for note in caught.value.__notes__)
    assert executor._workers == [] or not any(worker.tasks for worker in executor._workers)
    assert build_asset(database, settings, "exchanges", everything(database), executor=executor).built == 12


def in_thread(work: Callable[[], object]) -> tuple[threading.Thread, list[object]]:
    """Do something in a thread; what it returns or raises is in the list when it has ended."""
    outcome: list[object] = []

    def run() -> None:
        try:
            outcome.append(work())
        except BaseException as error:  # noqa: BLE001 (shown by assertions)
            outcome.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    return thread, outcome


def who_builds(executor: ProcessExecutor, task: BuildTask) -> list[int]:
    return [worker.pid for worker in executor._workers if worker.tasks and worker.tasks[0] == task]


@pytest.mark.parametrize("deaths", [1, 2])
def test_a_chunk_whose_process_is_killed_is_repeated_once(
    database: Database, settings: Settings, executor: ProcessExecutor, deaths: int
):
    store(database, batch_of(*TALKS))
    tasks = tasks_of(database, settings, "exchanges", everything(database))
    victim = tasks[5]
    with gate(database, "derived.exchanges", f"new.dialogue_id = '{victim.items[0].id}'") as held:
        thread, outcome = in_thread(lambda: list(executor.map_batches(tasks)))
        for _ in range(deaths):
            wait_until(lambda: who_builds(executor, victim) != [], "a worker has it")
            held.wait_for_visitor()
            [pid] = who_builds(executor, victim)
            os.kill(pid, signal.SIGKILL)
            wait_until(lambda pid=pid: pid not in who_builds(executor, victim), "it is missed")
    thread.join(60)
    if deaths == 1:
        [results] = outcome
        assert isinstance(results, list)
        assert sorted((task.items[0].id, result.built) for task, result in results) == sorted(
            (talk.id, 1) for talk in TALKS
        )
    else:
        [error] = outcome
        assert isinstance(error, WorkerLostError)
        assert f"exchanges of 1 dialogues ({victim.items[0].partition_key})" in str(error)
        assert "\n" not in str(error)
    assert build_asset(database, settings, "exchanges", everything(database), executor=executor).built == 12


@pytest.mark.parametrize("how", some_of([signal.SIGKILL, signal.SIGINT]))
def test_no_worker_outlives_the_process_that_started_it(database: Database, settings: Settings, how: signal.Signals):
    store(database, batch_of(*TALKS))
    with gate(database, "derived.exchanges", "true") as held:
        driver = start_build(database, settings, "processes")
        held.wait_for_visitor()
        started = workers(driver.pid)
        assert len(started) == 2
        driver.send_signal(how)
        driver.wait(300)
        _, alive = psutil.wait_procs(started, timeout=300)
        assert alive == []
    build_stale(database, settings)
    found = query(database, "SELECT count(DISTINCT dialogue_id) FROM derived.exchanges")
    assert found == [(len(TALKS),)]
