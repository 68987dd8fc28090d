"""The executor that ``ARCHIVE_EXECUTOR`` names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from typing import Final

from archive_pipeline.building.batch_cache import BatchCache
from archive_pipeline.building.executors.executor import Executor
from archive_pipeline.building.executors.local import LocalExecutor
from archive_pipeline.building.executors.models import load_models
from archive_pipeline.building.executors.processes import ProcessExecutor
from archive_pipeline.building.executors.ray_tasks import RayExecutor
from archive_pipeline.building.executors.shared_fork_server import SHARED
from archive_pipeline.domain.choices import ExecutorKind
from archive_pipeline.ingest.heap import keep_arrow_in_heap
from archive_pipeline.ingest.processors import available_processors
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database

Opening = Callable[[Database, Settings, BatchCache], AbstractContextManager[Executor]]


def open_executor(
    database: Database, settings: Settings, cache: BatchCache | None = None
) -> AbstractContextManager[Executor]:
    """Open the executor of the settings; what it has started is gone at the end of the block.

    Args:
        database: the archive.
        settings: the archive's.
        cache: batches that this process has read, of which a local executor makes use.
    """
    return _OPENINGS[settings.executor](database, settings, BatchCache() if cache is None else cache)


def executor_for(
    database: Database, settings: Settings, given: Executor | None, cache: BatchCache | None = None
) -> AbstractContextManager[Executor]:
    """Return the given executor, which stays open, or open one for the block."""
    return open_executor(database, settings, cache) if given is None else nullcontext(given)


@contextmanager
def executors_ahead(settings: Settings, *, is_much: bool) -> Iterator[None]:
    """Keep for each executor of the block what the one before it started workers with.

    Args:
        settings: the archive's.
        is_much: workers are going to be wanted: what starts them is started now. So does a thread load what this
            process needs in their place.
    """
    if settings.executor is ExecutorKind.PROCESSES:
        with SHARED.held():
            if is_much:
                SHARED.start_ahead()
            yield
    elif settings.executor is ExecutorKind.LOCAL and is_much:
        with ThreadPoolExecutor(max_workers=1, thread_name_prefix="load") as loader:
            loader.submit(load_models)
            yield
    else:
        yield


@contextmanager
def _local(database: Database, settings: Settings, cache: BatchCache) -> Iterator[Executor]:
    del settings
    keep_arrow_in_heap()
    yield LocalExecutor(database, cache)


@contextmanager
def _processes(database: Database, settings: Settings, cache: BatchCache) -> Iterator[Executor]:
    with closing(ProcessExecutor(database, settings.workers or available_processors(), cache)) as executor:
        yield executor


@contextmanager
def _ray(database: Database, settings: Settings, cache: BatchCache) -> Iterator[Executor]:
    del cache
    with closing(RayExecutor(database, settings.workers or available_processors())) as executor:
        yield executor


_OPENINGS: Final[Mapping[ExecutorKind, Opening]] = {
    ExecutorKind.LOCAL: _local,
    ExecutorKind.PROCESSES: _processes,
    ExecutorKind.RAY: _ray,
}
