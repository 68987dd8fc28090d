"""Tasks of Ray: the rows of local builds, lost workers, and nothing that others can reach or that stays behind."""

from __future__ import annotations

import os
import signal
import stat
import threading
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import psutil
import psycopg
import pytest

from archive_pipeline.building import duplicates
from archive_pipeline.building.chunks import BuildTask
from archive_pipeline.building.dialogue_source import DIALOGUES
from archive_pipeline.building.dialogues import build_asset, build_stale
from archive_pipeline.building.duplicates import refresh_duplicates
from archive_pipeline.building.executors.ray_tasks import RayExecutor, _Place
from archive_pipeline.derive.registry import ASSETS, effective_version
from archive_pipeline.domain.progress import no_progress
from archive_pipeline.errors import ExecutorError
from archive_pipeline.retrieval.embedders.registry import open_embedder
from archive_pipeline.retrieval.index import embed
from archive_pipeline.retrieval.index.choice import store_to_fill
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.embeddings import VectorForm
from archive_pipeline.store.staleness import DialogueRef
from archive_pipeline_tests.building.driver import start_build
from archive_pipeline_tests.derive.batches import batch_of, linear, store
from archive_pipeline_tests.golden.cases import DIALOGUES as CASES
from archive_pipeline_tests.processes import has_ended
from archive_pipeline_tests.system.commands import gate, wait_until
from archive_pipeline_tests.tables import derived_rows, query

# Not imported here: Ray reads its environment when it is.
pytestmark = [pytest.mark.postgres, pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed")]

TALKS = [
    linear(f"p{number}", ("user", f"Why {number}?"), ("assistant", f"Because of {number} things."), ("user", "go on"))
    for number in range(8)
]

BATCH_TEXTS = 8
CLUSTERS = "SELECT cluster::text FROM derived.duplicate_clusters AS cluster ORDER BY 1"


@pytest.fixture
def executor(database: Database) -> Iterator[RayExecutor]:
    with closing(RayExecutor(database, 2)) as opened:
        yield opened


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(DIALOGUES, "max_items", 3)


def everything(database: Database) -> list[DialogueRef]:
    with database.session() as connection:
        return DIALOGUES.everything(connection)


def of_ray() -> list[psutil.Process]:
    """Return the processes of Ray that this one has started."""
    return psutil.Process().children(recursive=True)


def builders() -> list[psutil.Process]:
    """Return the workers that build a chunk now; Ray gives a process the name of its task."""
    found = []
    for process in of_ray():
        with suppress(psutil.NoSuchProcess):  # it ended meanwhile, reaped or not
            if "ray::_build" in " ".join(process.cmdline()):
                found.append(process)
    return found


def built_by(database: Database, settings: Settings, executor: RayExecutor | None) -> object:
    """Build every asset of everything; return what it came to, every row, and what is recorded."""
    query(database, "DELETE FROM derived.build_state RETURNING 1")
    refs = everything(database)
    results = {name: build_asset(database, settings, name, refs, executor=executor) for name in ASSETS}
    counted = {name: (result.rows, result.built, result.size) for name, result in results.items()}
    statement = "SELECT dialogue_id::text, asset, fingerprint, code_version FROM derived.build_state ORDER BY 1, 2"
    return counted, derived_rows(database), query(database, statement)


def embedded_by(database: Database, settings: Settings, executor: RayExecutor | None) -> list[tuple[str, str]]:
    """Embed every text, a few at a time, by an executor or by the process itself; return every vector."""
    query(database, "DELETE FROM derived.chunk_embeddings RETURNING 1")
    store_to_fill(database, settings)
    with pytest.MonkeyPatch.context() as patch:
        if executor is not None:
            patch.setattr(embed, "BATCH_TEXTS", BATCH_TEXTS)
            patch.setattr(embed, "FEW_TEXTS", 0)
        embedder = open_embedder(settings)
        embed.embed_chunks(database, settings, embedder, VectorForm.HALVES, executor=executor, progress=no_progress)
    return query(database, "SELECT content_hash, half_vector::text FROM derived.chunk_embeddings ORDER BY 1")


@pytest.mark.usefixtures("small_chunks")
def test_ray_gives_the_rows_of_a_local_build_and_lets_nobody_in(
    database: Database, settings: Settings, executor: RayExecutor
):
    for talks in CASES.values():
        store(database, batch_of(*talks))
    store(database, batch_of(*TALKS))
    local = built_by(database, settings, None)
    assert of_ray() == []  # Ray starts with the first chunk
    assert built_by(database, settings, executor) == local
    refresh_duplicates(database, settings)
    clusters = query(database, CLUSTERS)
    assert clusters
    query(database, "DELETE FROM derived.duplicate_clusters RETURNING 1")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(duplicates, "FEW_MESSAGES", 0)
        refresh_duplicates(database, settings, executor=executor)
    assert query(database, CLUSTERS) == clusters
    vectors = embedded_by(database, settings, None)
    assert len(vectors) > 2 * BATCH_TEXTS
    assert embedded_by(database, settings, executor) == vectors

    # Nothing but the loopback interface, and nothing in the list of processes or in a file that others can read.
    processes = of_ray()
    listening = [
        found.laddr.ip
        for process in (*processes, psutil.Process())
        for found in process.net_connections("tcp")
        if found.status == psutil.CONN_LISTEN
    ]
    assert listening
    assert {address.removeprefix("::ffff:") for address in listening} == {"127.0.0.1"}
    assert not any(database.url in " ".join(process.cmdline()) for process in processes)
    folder = executor_folder(processes)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / "token").stat().st_mode) == 0o600

    # A worker with other code is refused, and the database's errors come with their type.
    refs = everything(database)
    with pytest.raises(ExecutorError, match=r"in version .*, the driver in other"):
        list(executor.map_batches([BuildTask("dialogues", "exchanges", "other", settings, (refs[0],))]))
    with database.session() as connection:
        connection.execute("ALTER TABLE derived.exchanges RENAME TO away")
    try:
        with pytest.raises(psycopg.errors.UndefinedTable, match="exchanges") as caught:
            build_asset(database, settings, "exchanges", refs, executor=executor)
    finally:
        with database.session() as connection:
            connection.execute("ALTER TABLE derived.away RENAME TO exchanges")
    assert any("in the process" in note for note in caught.value.__notes__)

    # What one dialogue fails with is set aside, as in a local build.
    bad = TALKS[4].id
    with database.session() as connection:
        connection.execute(
            f"ALTER TABLE derived.exchanges ADD CONSTRAINT poison CHECK (dialogue_id <> '{bad}') NOT VALID"
        )
    try:
        result = build_asset(database, settings, "exchanges", refs, executor=executor)
    finally:
        with database.session() as connection:
            connection.execute("ALTER TABLE derived.exchanges DROP CONSTRAINT poison")
    assert (result.built, list(result.failures)) == (len(refs) - 1, [bad])

    # A worker that is killed in the middle of a chunk: another one builds it.
    victim = effective_victim(settings, refs)
    with gate(database, "derived.exchanges", f"NEW.dialogue_id = '{victim.items[0].id}'") as held:
        outcome: list[object] = []
        thread = threading.Thread(target=lambda: outcome.extend(executor.map_batches([victim])))
        thread.start()
        held.wait_for_visitor()
        killed = builders()
        assert killed
        for process in killed:
            process.kill()
        wait_until(lambda: any(process not in killed for process in builders()), "another worker has the chunk")
    thread.join(120)
    assert [task for task, _ in outcome] == [victim]  # type: ignore[misc]

    # Results that are given up after the executor was closed do not start another cluster.
    left = executor.map_batches([victim, *(replace(victim, items=(ref,)) for ref in refs[:2])])
    next(left)
    executor.close()
    left.close()
    _, alive = psutil.wait_procs([*processes, *of_ray()], timeout=300)
    assert alive == []
    assert "RAY_AUTH_TOKEN_PATH" not in os.environ


def executor_folder(processes: list[psutil.Process]) -> Path:
    """Return the folder of Ray's files, which its processes name in their arguments."""
    for process in processes:
        for argument in process.cmdline():
            if "/archive-ray-" in argument:
                path = Path(argument.partition("=")[2] or argument)
                return next(parent for parent in path.parents if parent.name.startswith("archive-ray-"))
    raise AssertionError("no process of Ray names its folder")


def effective_victim(settings: Settings, refs: list[DialogueRef]) -> BuildTask:
    return BuildTask("dialogues", "exchanges", effective_version("exchanges", settings), settings, (refs[5],))


def test_nothing_outlives_a_driver_that_is_killed(database: Database, settings: Settings):
    store(database, batch_of(*TALKS))
    with gate(database, "derived.exchanges", "true") as held:
        driver = start_build(database, settings, "ray")
        held.wait_for_visitor()
        started = psutil.Process(driver.pid).children(recursive=True)
        assert len(started) > 2
        driver.send_signal(signal.SIGKILL)
        driver.wait(300)
        # Ray's agents look for their parent once in a while.
        _, alive = psutil.wait_procs(started, timeout=300)
        assert all(map(has_ended, alive))
    build_stale(database, settings)
    assert query(database, "SELECT count(DISTINCT dialogue_id) FROM derived.exchanges") == [(len(TALKS),)]


def test_a_worker_of_a_given_cluster_reaches_the_database_as_its_own_machine_does(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    driver = Database("postgresql://driver/archive", "postgresql://driver:5433/archive")
    for name in ("ARCHIVE_DATABASE_URL", "ARCHIVE_DATABASE_URL_FILE", "ARCHIVE_DIRECT_DATABASE_URL"):
        monkeypatch.delenv(name, raising=False)
    assert _Place(driver, own_url_wins=True).open() == driver
    (tmp_path / "url").write_text("postgresql://pooler/archive\n")
    monkeypatch.setenv("ARCHIVE_DATABASE_URL_FILE", str(tmp_path / "url"))
    monkeypatch.setenv("ARCHIVE_DIRECT_DATABASE_URL", "postgresql://server/archive")
    own = _Place(driver, own_url_wins=True).open()
    assert own == Database("postgresql://pooler/archive", "postgresql://server/archive")
    assert _Place(driver, own_url_wins=True).open() is own  # its connections stay
    assert _Place(driver, own_url_wins=False).open() == driver
