"""Vectors that other processes make: the same rows, whoever is killed in the middle."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import closing

import psutil
import pytest

from archive_pipeline.building.batch_cache import BatchCache
from archive_pipeline.building.executors.processes import ProcessExecutor
from archive_pipeline.building.executors.worker_processes import Worker
from archive_pipeline.errors import WorkerLostError
from archive_pipeline.retrieval.embedders.interface import Embedder
from archive_pipeline.retrieval.embedders.registry import open_embedder
from archive_pipeline.retrieval.index import embed
from archive_pipeline.retrieval.index.embed import embed_chunks
from archive_pipeline.retrieval.index.embedding_tasks import EmbeddingTask
from archive_pipeline.retrieval.index.run import IndexResult, index_archive
from archive_pipeline.settings import Settings
from archive_pipeline.store import embeddings
from archive_pipeline.store.database import Database
from archive_pipeline.store.embeddings import VectorForm
from archive_pipeline_tests.building.test_processes import in_thread
from archive_pipeline_tests.processes import workers
from archive_pipeline_tests.retrieval.index.conftest import IN_POSTGRES
from archive_pipeline_tests.retrieval.index.letters import Letters
from archive_pipeline_tests.system.commands import gate
from archive_pipeline_tests.tables import query
from archive_pipeline_tests.variants import some_of

pytestmark = [pytest.mark.postgres, IN_POSTGRES, pytest.mark.usefixtures("one_fork_server")]

Rows = list[tuple[str, str, bytes | None]]

_VECTORS = "SELECT content_hash, half_vector::text, vector FROM derived.chunk_embeddings ORDER BY 1"
_TABLE = "derived.chunk_embeddings"
_TEXTS = 8
_PROGRAM = """
import sys
from archive_pipeline.retrieval.index import embed, run
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
embed.BATCH_TEXTS, embed.FEW_TEXTS = 2, 0
settings = Settings(home=sys.argv[1], vector_index="postgres", executor="processes", workers=2)
run.index_archive(Database(sys.stdin.readline()), settings)
"""


@pytest.fixture
def expected(built: Database, home: Settings, monkeypatch: pytest.MonkeyPatch) -> Rows:
    """The rows that this process makes by itself; after it, two texts are a task and the archive is no small one."""
    for package in ("wordllama", "tokenizers", "safetensors"):
        pytest.importorskip(package)
    assert index_archive(built, home).embedding.embedded == _TEXTS
    found = query(built, _VECTORS)
    forget(built)
    monkeypatch.setattr(embed, "BATCH_TEXTS", 2)
    monkeypatch.setattr(embed, "FEW_TEXTS", 0)
    return found


def forget(database: Database) -> None:
    query(database, "DELETE FROM derived.chunk_embeddings RETURNING 1")


def by_processes(settings: Settings, number: int = 2) -> Settings:
    return settings.with_values(executor="processes", workers=number)


def embedded(database: Database, settings: Settings, embedder: Embedder, executor: ProcessExecutor) -> int:
    """Embed by a given executor; return how many texts."""
    return embed_chunks(
        database, settings, embedder, VectorForm.HALVES, executor=executor, progress=lambda *_: None
    ).embedded


@pytest.mark.parametrize(
    ("executor", "number"), some_of([("local", 1), ("processes", 2), ("processes", 1), ("processes", 3)], 2)
)
def test_any_executor_gives_the_rows_of_one_process(
    built: Database, home: Settings, expected: Rows, executor: str, number: int
):
    told: list[tuple[str, int, int]] = []
    settings = home.with_values(executor=executor, workers=number)
    result = index_archive(built, settings, progress=lambda *step: told.append(step)).embedding
    assert (result.embedded, result.cut_texts) == (_TEXTS, 0)
    assert query(built, _VECTORS) == expected
    assert told == [("embedding", done, _TEXTS) for done in (0, 2, 4, 6, 8)]
    assert workers() == []
    assert index_archive(built, settings).embedding.embedded == 0


@pytest.mark.usefixtures("expected")
def test_few_texts_start_no_process(built: Database, home: Settings, monkeypatch: pytest.MonkeyPatch):
    with closing(ProcessExecutor(built, 2, BatchCache())) as executor:
        monkeypatch.setattr(embed, "FEW_TEXTS", _TEXTS + 1)
        assert embedded(built, home, open_embedder(home), executor) == _TEXTS
        assert workers() == []
        forget(built)
        monkeypatch.setattr(embed, "FEW_TEXTS", _TEXTS)
        assert embedded(built, home, open_embedder(home), executor) == _TEXTS
        assert len(workers()) == 2


@pytest.mark.usefixtures("expected")
def test_a_model_that_one_process_asks_stays_in_it(built: Database, home: Settings):
    letters = Letters()
    with closing(ProcessExecutor(built, 2, BatchCache())) as executor:
        assert embedded(built, home, letters, executor) == len(letters.embedded) == _TEXTS
        assert workers() == []


def test_what_comes_after_the_ranges_were_chosen_is_embedded_as_well(
    built: Database, home: Settings, expected: Rows, monkeypatch: pytest.MonkeyPatch
):
    chosen = embeddings.ranges_to_embed
    monkeypatch.setattr(embeddings, "ranges_to_embed", lambda *given, **named: chosen(*given, **named)[1:3])
    assert index_archive(built, by_processes(home)).embedding.embedded == _TEXTS
    assert query(built, _VECTORS) == expected


def test_ranges_follow_each_other_and_have_every_text(built: Database, expected: Rows):
    with built.session() as connection:
        generation = embeddings.find_generation(connection, "static")
        assert generation is not None
        ranges = embeddings.ranges_to_embed(connection, generation, number=3)
        texts = [embeddings.texts_of_range(connection, generation, each) for each in ranges]
    assert [each.texts for each in ranges] == [len(found) for found in texts] == [3, 3, 2]
    assert [each.after for each in ranges] == ["", *(each.until for each in ranges[:-1])]
    assert [text.content_hash for found in texts for text in found] == [row[0] for row in expected]


def test_what_killed_workers_had_is_made_by_others(
    built: Database, home: Settings, expected: Rows, monkeypatch: pytest.MonkeyPatch
):
    replaced: list[str] = []
    replace = ProcessExecutor._replace

    def counted(executor: ProcessExecutor, lost: Worker, task: EmbeddingTask) -> WorkerLostError | None:
        replaced.append(task.label)
        return replace(executor, lost, task)

    monkeypatch.setattr(ProcessExecutor, "_replace", counted)
    with gate(built, _TABLE, "true") as held:
        thread, outcome = in_thread(lambda: index_archive(built, by_processes(home)))
        held.wait_for_visitor()
        # The driver stores what came first. Of four tasks each worker has one, and one is not begun.
        killed = workers()
        assert len(killed) == 2
        for worker in killed:
            os.kill(worker.pid, signal.SIGKILL)
    thread.join(120)
    assert [type(each) for each in outcome] == [IndexResult]
    assert replaced
    assert all(label.startswith("chunk_embeddings of 2 texts (to the hash ") for label in replaced)
    assert query(built, _VECTORS) == expected
    assert workers() == []


@pytest.mark.faults
def test_a_killed_driver_leaves_what_the_next_run_completes(built: Database, home: Settings, expected: Rows):
    with gate(built, _TABLE, f"NEW.content_hash = '{expected[5][0]}'") as held:
        driver = subprocess.Popen(
            [sys.executable, "-c", _PROGRAM, home.home], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        assert driver.stdin is not None
        driver.stdin.write(built.url)
        driver.stdin.close()
        held.wait_for_visitor()
        started = workers(driver.pid)
        assert len(started) == 2
        driver.kill()
        driver.wait(60)
        _, alive = psutil.wait_procs(started, timeout=300)
        assert alive == []
    result = index_archive(built, by_processes(home)).embedding
    assert 2 <= result.embedded <= _TEXTS
    assert query(built, _VECTORS) == expected
