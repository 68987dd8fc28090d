"""What assets and checks of one run share: the database, the settings, and the batches that were read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

import dagster as dg

from archive_pipeline.building.batch_cache import BatchCache
from archive_pipeline.building.executors.executor import Executor
from archive_pipeline.building.executors.opening import open_executor
from archive_pipeline.domain.progress import Progress, ProgressLines
from archive_pipeline.orchestration.instance.orphans import tag_process
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.failures import is_transient

RETRIES: Final = 2
SECONDS_BETWEEN_RETRIES: Final = 5.0


@dataclass(frozen=True)
class Archive:
    """The resource ``archive``.

    Attributes:
        database, settings: where and how.
        cache: batches that were read; the assets of a run in one process read each dialogue once.
        executor: where chunks are computed and written, for all assets of a run in one process.
        progress: told of what is built.
    """

    database: Database
    settings: Settings
    cache: BatchCache
    executor: Executor
    progress: Progress


def archive_resource(settings: Settings, progress: Progress | None = None) -> dg.ResourceDefinition:
    """Return the definition of the resource; the database is opened when a run starts and closed when it ends.

    A run is tagged with its process then. Without ``progress``, the run's log has it.
    """

    def open_archive(context: dg.InitResourceContext) -> Iterator[Archive]:
        if context.instance is not None and context.run is not None:
            tag_process(context.instance, context.run)
        database = Database.open(settings)
        cache = BatchCache()
        try:
            with open_executor(database, settings, cache) as executor:
                yield Archive(database, settings, cache, executor, progress or ProgressLines(_log(context)))
        finally:
            cache.clear()
            database.engine.dispose()

    return dg.ResourceDefinition(open_archive, description="The archive's database, and the batches a run has read.")


@contextmanager
def transient_errors_retried() -> Iterator[None]:
    """Have Dagster try the step again after a transient error (`is_transient`).

    Any other error would happen again, so it fails the step at once. Chunks that were committed are not built again.
    """
    try:
        yield
    except Exception as error:
        if not is_transient(error):
            raise
        raise dg.RetryRequested(max_retries=RETRIES, seconds_to_wait=SECONDS_BETWEEN_RETRIES) from error


def _log(context: dg.InitResourceContext) -> Callable[[str], object]:
    return context.log.info if context.log is not None else lambda _line: None
