"""Doing tasks with batches that this process keeps: the assets of a run are made of the same ones."""

from __future__ import annotations

from functools import partial

from archive_pipeline.building.batch_cache import BatchCache
from archive_pipeline.building.tasks import Batch, Result, Task, run_task
from archive_pipeline.store.database import Database


def load_cached(database: Database, cache: BatchCache, task: Task) -> Batch:
    """Return the batch of a task, which is kept if other tasks are about it, too."""
    return cache.load(database, task.items) if task.is_of_shared_batch else task.load(database)


def run_cached(database: Database, cache: BatchCache, task: Task) -> Result:
    """Do what ``run_task`` does, with the batch that is kept."""
    return run_task(database, task, partial(load_cached, database, cache, task))
