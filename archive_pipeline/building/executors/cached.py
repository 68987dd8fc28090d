"""Building chunks from batches that this process keeps: the assets of a run are made of the same ones."""

from __future__ import annotations

from functools import partial
from typing import Any

from archive_pipeline.building.batch_cache import BatchCache
from archive_pipeline.building.chunks import BuildTask, ChunkBuild, ChunkResult, build_chunk
from archive_pipeline.building.dialogue_source import DIALOGUES
from archive_pipeline.store.database import Database


def load_cached(database: Database, cache: BatchCache, task: BuildTask) -> Any:
    """Return the batch of a task; one of documents, of which one asset is made, is not kept."""
    if task.source == DIALOGUES.noun:
        return cache.load(database, task.items)
    return ChunkBuild(database, task).load()


def build_cached(database: Database, cache: BatchCache, task: BuildTask) -> ChunkResult:
    """Do what ``build_chunk`` does, with the batch that is kept."""
    return build_chunk(database, task, partial(load_cached, database, cache, task))
