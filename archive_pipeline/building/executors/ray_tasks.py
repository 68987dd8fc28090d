"""Doing tasks as tasks of Ray Core: on all processors of this machine, or of a cluster of machines.

A task of Ray does what `run_task` does, on its own connection. Ray repeats a task whose process or machine is lost,
which is safe: a chunk is replaced as a whole, and what was committed is recorded with it. A batch is read once for the
assets of a run: it is an object of Ray, which has tasks run where their batch is, moves it to the disk when memory is
short, and has it read again when its machine is lost.
"""

from __future__ import annotations

import logging
import platform
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import islice
from typing import Any, Final

from archive_pipeline.building.executors.executor import Results
from archive_pipeline.building.executors.one_thread import keep_to_one_thread
from archive_pipeline.building.executors.ray_cluster import Cluster, connected
from archive_pipeline.building.executors.sent_errors import SentError, received, sent
from archive_pipeline.building.tasks import AnyTask, Batch, Result, Task, run_task
from archive_pipeline.domain.reasons import first_line
from archive_pipeline.errors import ExecutorError, WorkerLostError
from archive_pipeline.settings import Settings
from archive_pipeline.store.database import Database

# So that a processor whose task ends finds the next one, and no more batches are in memory than are computed.
_TASKS_PER_PROCESSOR: Final = 2
# Machines of a cluster come and go. A chunk that ends every process that builds it is told after so many more.
_MOST_REPETITIONS: Final = 3
# Some gigabytes of objects, most of which are on the disks of the machines then. What is beyond is read for each asset.
_MOST_KEPT_MESSAGES: Final = 1_000_000

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class _Place:
    """Where a worker writes.

    Attributes:
        database: the archive, as the driver reaches it.
        own_url_wins: whether a worker takes the URLs of its own environment, where it has them: other machines may
            reach the database by another name.
    """

    database: Database
    own_url_wins: bool

    def open(self) -> Database:
        """Return the archive, as this process reaches it; its connections stay for the process's next tasks."""
        own = Database.given(Settings.from_environment()) if self.own_url_wins else None
        return _kept(own or self.database)


class RayExecutor:
    """Has tasks done by Ray, which is started with the first one.

    Args:
        database: the archive.
        workers: processors of a cluster of one's own.
    """

    seconds_ahead = 0.0

    def __init__(self, database: Database, workers: int) -> None:
        self._database = database
        self._workers = workers
        self._stack = ExitStack()
        self._cluster: Cluster | None = None
        self._batches: dict[tuple[Any, ...], Any] = {}
        self._kept_messages = 0

    def map_batches(self, tasks: Sequence[AnyTask], /) -> Results[AnyTask]:
        """Do the tasks and yield their results as they come."""
        if not tasks:
            return
        cluster = self._connected()
        ray = cluster.ray
        place = ray.put(_Place(self._database, own_url_wins=not cluster.is_own))
        build = _remote(ray, _build)
        waiting = iter(tasks)
        running: dict[Any, AnyTask] = {}
        try:
            while True:
                for task in islice(waiting, max(0, _TASKS_PER_PROCESSOR * cluster.processors - len(running))):
                    running[build.remote(place, task, self._batch(ray, place, task))] = task
                if not running:
                    return
                (done,), _ = ray.wait(list(running), num_returns=1)
                task = running.pop(done)
                yield task, _result(ray, task, done)
        finally:
            _stop(ray, list(running))

    def expect(self, tasks: Sequence[Task], /) -> None:
        """Begin nothing: to what is lost with a machine somebody has to listen."""

    def close(self) -> None:
        """End the cluster that was started, or the connection to one."""
        self._batches.clear()
        self._stack.close()

    def _batch(self, ray: Any, place: Any, task: Task) -> Any:
        """Return a reference to the batch of a task, None if it is not kept."""
        if not task.is_of_shared_batch:
            return None
        batch = self._batches.get(task.items)
        if batch is None and self._kept_messages + task.size <= _MOST_KEPT_MESSAGES:
            batch = self._batches[task.items] = _remote(ray, _read).remote(place, task)
            self._kept_messages += task.size
        return batch

    def _connected(self) -> Cluster:
        if self._cluster is None:
            cluster = self._stack.enter_context(connected(self._workers))
            if self._database.is_local and cluster.machines > 1:
                raise ExecutorError(
                    "the machines of the Ray cluster cannot reach the server of this one: set ARCHIVE_DATABASE_URL to "
                    "a server that all of them reach"
                )
            self._cluster = cluster
        return self._cluster


def _remote(ray: Any, function: Any) -> Any:
    return ray.remote(num_cpus=1, max_retries=_MOST_REPETITIONS, retry_exceptions=False)(function)


def _read(place: _Place, task: Task) -> Batch:
    """Read the batch of a task in a worker; return None if that fails: the build, which reads it again, says why."""
    try:
        return task.load(place.open())
    except Exception as error:  # noqa: BLE001 - the same comes of the build
        _log.debug("the batch of a chunk was not read ahead: %s", error)
        return None


def _build(place: _Place, task: Task, batch: Batch) -> Result | SentError:
    """Do a task in a worker."""
    keep_to_one_thread()
    try:
        _check_version(task)
        return run_task(place.open(), task, None if batch is None else partial(_given, batch))
    except Exception as error:  # noqa: BLE001 - the driver decides
        return sent(error)


def _check_version(task: Task) -> None:
    """Refuse a task of a driver with other code: rows of this code would be recorded as rows of that.

    Raises:
        ExecutorError: this machine's code is another.
    """
    version = task.own_version
    if version != task.version:
        raise ExecutorError(
            f"the worker on {platform.node()} builds {task.asset} in version {version}, the driver in {task.version}: "
            "install the same version on all machines"
        )


def _given(batch: Batch) -> Batch:
    return batch


def _result(ray: Any, task: Task, reference: Any) -> Result:
    try:
        answer = ray.get(reference)
    except ray.exceptions.RayTaskError as error:
        raise ExecutorError(f"a worker of Ray cannot run this program: {first_line(error.cause)}") from error
    except ray.exceptions.RayError as error:
        raise WorkerLostError(
            f"{task.label} cannot be built: {_MOST_REPETITIONS + 1} processes ended with it ({type(error).__name__})"
        ) from error
    if isinstance(answer, SentError):
        raise received(answer)
    return answer


def _stop(ray: Any, references: list[Any]) -> None:
    """Cancel tasks; those that have begun are rolled back or done when this returns."""
    if not ray.is_initialized():  # closed meanwhile, or lost; there is nobody to tell
        return
    for reference in references:
        ray.cancel(reference)
    if references:
        ray.wait(references, num_returns=len(references))


@lru_cache(maxsize=1)
def _kept(database: Database) -> Database:
    return database
