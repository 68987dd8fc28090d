"""What assets and checks of one run share: the database, the settings, and the batches that were read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

import dagster as dg

from archive_pipeline.building.batch_cache import BatchCache
from archive_pipeline.building.executors.executor import Executor
from archive_pipeline.building.executors.opening import open_executor
from archive_pipeline.domain.progress import Progress, ProgressLines
from archive_pipeline.errors import DatabaseUnavailableError
from archive_pipeline.orchestration.instance.orphans import tag_process
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database
from archive_pipeline.store.failures import is_transient, reason_of
from archive_pipeline.store.staleness import DialogueRef

RETRIES: Final = 2
SECONDS_BETWEEN_RETRIES: Final = 5.0


class Planned:
    """What one asset of a run has looked up for another one, whose build begins while its own ends."""

    def __init__(self) -> None:
        self._begun: set[str] = set()
        self._dialogues: dict[str, list[DialogueRef]] = {}

    def take(self, name: str) -> list[DialogueRef] | None:
        """Return what an asset that is built now is to be built for, None if nothing was looked up."""
        self._begun.add(name)
        return self._dialogues.pop(name, None)

    def next_of(self, names: Iterable[str]) -> str | None:
        """Return the first of the assets of a run that may be planned now: one at a time."""
        return None if self._dialogues else next((name for name in names if name not in self._begun), None)

    def plan(self, name: str, dialogues: list[DialogueRef]) -> None:
        """Note what an asset is to be built for."""
        self._dialogues[name] = dialogues


@dataclass(frozen=True)
class Archive:
    """The resource ``archive``.

    Attributes:
        database, settings: where and how.
        cache: batches that were read; the assets of a run in one process read each dialogue once.
        executor: where chunks are computed and written, for all assets of a run in one process.
        progress: told of what is built.
        planned: what the next asset is built for.
    """

    database: Database
    settings: Settings
    cache: BatchCache
    executor: Executor
    progress: Progress
    planned: Planned = field(default_factory=Planned)


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
    What Dagster records as the cause is a ``DatabaseUnavailableError``, whichever driver's the error is.
    """
    try:
        yield
    except Exception as error:
        if not is_transient(error):
            raise
        lost = DatabaseUnavailableError(reason_of(error))
        lost.__cause__ = error
        raise dg.RetryRequested(max_retries=RETRIES, seconds_to_wait=SECONDS_BETWEEN_RETRIES) from lost


def _log(context: dg.InitResourceContext) -> Callable[[str], object]:
    return context.log.info if context.log is not None else lambda _line: None
