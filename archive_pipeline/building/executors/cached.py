"""Doing tasks with batches that this process keeps: the assets of a run are made of the same ones."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from archive_pipeline.building.batch_cache import BatchCache
from archive_pipeline.building.tasks import Batch, Result, Task
from archive_pipeline.store.database import Database


def load_cached(database: Database, cache: BatchCache, task: Task) -> Batch:
    """Return the batch of a task, which is kept if other tasks are about it, too."""
    return cache.load(database, task.items) if task.is_of_shared_batch else task.load(database)


def computed_cached(
    database: Database, cache: BatchCache, task: Task, load: Callable[[], Batch]
) -> Callable[[], Result]:
    """Compute a task with the batch that ``load_cached`` returns; keep of that what later tasks need, too.

    Returns:
        The step that writes (`Task.computed`).
    """
    loaded: list[Batch] = []

    def loading() -> Batch:
        loaded.append(load())
        return loaded[-1]

    step = task.computed(database, loading)
    if task.is_of_shared_batch:
        for batch in loaded:
            cache.keep_results(task.items, batch)
    return step


def run_cached(database: Database, cache: BatchCache, task: Task) -> Result:
    """Do what ``run_task`` does, with the batch that is kept."""
    return computed_cached(database, cache, task, partial(load_cached, database, cache, task))()
