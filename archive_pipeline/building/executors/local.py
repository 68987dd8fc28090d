"""Doing tasks in this process: one is computed while the next one is read and the ones before it are written."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Final

from archive_pipeline.building.batch_cache import BatchCache
from archive_pipeline.building.executors.cached import computed_cached, load_cached
from archive_pipeline.building.executors.executor import Results
from archive_pipeline.building.read_ahead import read_ahead
from archive_pipeline.building.tasks import AnyTask, Result, Task
from archive_pipeline.ingest.collection import seldom_collected
from archive_pipeline.ingest.heap import release_free_memory
from archive_pipeline.store.database import Database

Pending = tuple[AnyTask, Future[Result]]

# Rows of small assets take PostgreSQL longer than this process: while it writes one chunk, it can begin another one.
_WRITERS: Final = 2


class LocalExecutor:
    """Does tasks with threads besides the caller's, which computes: one that reads, and two that write.

    Args:
        database: the archive.
        cache: batches of dialogues that were read, for the assets of a run.
    """

    seconds_ahead = 0.0

    def __init__(self, database: Database, cache: BatchCache | None = None) -> None:
        self._database = database
        self._cache = BatchCache() if cache is None else cache

    def map_batches(self, tasks: Iterable[AnyTask], /) -> Results[AnyTask]:
        """Do the tasks in their order, each of which is asked for when the batch of the one before it is read."""
        with (
            seldom_collected(),
            self._database.arrow_kept(),
            ThreadPoolExecutor(max_workers=1, thread_name_prefix="read") as reader,
            ThreadPoolExecutor(max_workers=_WRITERS, thread_name_prefix="copy") as writer,
        ):
            pending: deque[Pending[AnyTask]] = deque()
            load = partial(load_cached, self._database, self._cache)
            for task, batch in read_ahead(reader, load, tasks):
                # Computed and encoded here: the writer then only waits for PostgreSQL.
                step = computed_cached(self._database, self._cache, task, batch.result)
                del batch  # what is encoded does not need it, and a writer may take long
                written = [_result_of(pending)] if len(pending) == _WRITERS else []
                pending.append((task, writer.submit(step)))
                yield from written
            while pending:
                yield _result_of(pending)
        release_free_memory()  # an asset holds least between its end and the next one's first batch

    def expect(self, tasks: Sequence[Task], /) -> None:
        """Begin nothing: between two assets this process does something else."""


def _result_of(pending: deque[Pending[AnyTask]]) -> tuple[AnyTask, Result]:
    task, written = pending.popleft()
    return task, written.result()
