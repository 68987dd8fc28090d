"""Doing tasks in processes of this machine: as many at a time as there are processes."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence
from contextlib import ExitStack
from multiprocessing.connection import wait
from typing import Any, Final, Generic

from archive_pipeline.building.batch_cache import BatchCache
from archive_pipeline.building.executors.executor import Results
from archive_pipeline.building.executors.local import LocalExecutor
from archive_pipeline.building.executors.sent_errors import SentError, received
from archive_pipeline.building.executors.shared_fork_server import SHARED
from archive_pipeline.building.executors.worker import Begin
from archive_pipeline.building.executors.worker_processes import Worker
from archive_pipeline.building.tasks import AnyTask, Task
from archive_pipeline.errors import WorkerLostError
from archive_pipeline.store.database import Database

# Of batches, in the memory of one worker.
_BUDGET: Final = 32_000_000
# Of batches, in the temporary files of all workers.
_DISK_BUDGET: Final = 4_000_000_000


class ProcessExecutor:
    """Does tasks in worker processes, which are started when there are several tasks, and stay for the next asset.

    A worker does one task at a time: while PostgreSQL writes it, that takes the processor. It keeps the batches that
    it read, and tasks of the same dialogues go to it again, unless it is busy when another one has nothing else to do.
    Use it in one thread.

    Args:
        database: the archive.
        workers: how many processes at most.
        cache: batches that this process keeps, which does single tasks itself.
    """

    def __init__(self, database: Database, workers: int, cache: BatchCache) -> None:
        self._database = database
        self._limit = workers
        self._here = LocalExecutor(database, cache)
        self._stack = ExitStack()
        self._stack.enter_context(SHARED.held())
        self._workers: list[Worker] = []
        # Items of a task -> who has their batch.
        self._holders: dict[tuple[Any, ...], Worker] = {}

    def map_batches(self, tasks: Sequence[AnyTask], /) -> Results[AnyTask]:
        """Yield the results as tasks are done; workers that are busy when it is closed are ended."""
        if len(tasks) <= 1:
            yield from self._here.map_batches(tasks)
            return
        queue: _Queue[AnyTask] = _Queue(tasks, self._holders)
        deaths: Counter[Task] = Counter()
        self._start(min(self._limit, len(tasks)))
        try:
            self._hand_out(queue)
            while any(worker.task for worker in self._workers):
                for worker in self._answering():
                    task, answer = worker.answer()
                    if answer is None:
                        self._replace(worker, task, deaths)
                    elif isinstance(answer, SentError):
                        raise received(answer)
                    else:
                        self._hand_out(queue)  # it works while the caller makes use of the result
                        yield task, answer
        finally:
            self._end([worker for worker in self._workers if worker.task])

    def close(self) -> None:
        """End all workers."""
        self._end(list(self._workers))
        self._stack.close()

    def _start(self, number: int) -> None:
        while len(self._workers) < number:
            self._workers.append(SHARED.start_worker(Begin(self._database, _BUDGET, _DISK_BUDGET // self._limit)))

    def _hand_out(self, queue: _Queue[Any]) -> None:
        for worker in self._workers:
            if worker.task is None and (task := queue.next_for(worker)) is not None:
                if task.is_of_shared_batch:
                    self._holders.setdefault(task.items, worker)
                worker.begin(task)

    def _answering(self) -> list[Worker]:
        busy = {worker.connection: worker for worker in self._workers if worker.task}
        return [busy[connection] for connection in wait(list(busy))]  # type: ignore[index]

    def _replace(self, lost: Worker, task: Task, deaths: Counter[Task]) -> None:
        """Let another worker repeat the task of one that ended.

        Raises:
            WorkerLostError: it is the second one that ended with the task.
        """
        how = lost.end()
        self._workers.remove(lost)
        self._holders = {items: holder for items, holder in self._holders.items() if holder is not lost}
        deaths[task] += 1
        if deaths[task] > 1:
            raise WorkerLostError(
                f"{task.label} cannot be built: two processes ended with it, the last one {how}. "
                "What was committed stays; fewer ARCHIVE_WORKERS leave more memory to each"
            )
        self._start(len(self._workers) + 1)
        self._workers[-1].begin(task)

    def _end(self, workers: Sequence[Worker]) -> None:
        for worker in workers:
            worker.end()
            self._workers.remove(worker)
        self._holders = {items: holder for items, holder in self._holders.items() if holder not in workers}


class _Queue(Generic[AnyTask]):
    """The tasks that nobody has begun: per worker those whose batches it has, and the others."""

    def __init__(self, tasks: Sequence[AnyTask], holders: dict[tuple[Any, ...], Worker]) -> None:
        self._own: dict[Worker | None, deque[AnyTask]] = {None: deque()}
        for task in tasks:
            holder = holders.get(task.items) if task.is_of_shared_batch else None
            self._own.setdefault(holder, deque()).append(task)

    def next_for(self, worker: Worker) -> AnyTask | None:
        """Take a task for a worker: of its own, of nobody's, or the last one of who has most left; None if none is."""
        for tasks in (self._own.get(worker), self._own[None]):
            if tasks:
                return tasks.popleft()
        longest = max(self._own.values(), key=len)
        return longest.pop() if longest else None
