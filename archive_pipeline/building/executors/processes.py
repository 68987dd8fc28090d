"""Doing tasks in processes of this machine: as many at a time as there are processes."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from multiprocessing.connection import wait
from typing import Any, Final

from archive_pipeline.building.batch_cache import BatchCache
from archive_pipeline.building.executors.answer import Answer
from archive_pipeline.building.executors.executor import Results
from archive_pipeline.building.executors.local import LocalExecutor
from archive_pipeline.building.executors.sent_errors import SentError, received
from archive_pipeline.building.executors.shared_fork_server import SHARED
from archive_pipeline.building.executors.task_queue import TaskQueue
from archive_pipeline.building.executors.worker import Begin
from archive_pipeline.building.executors.worker_processes import Worker
from archive_pipeline.building.tasks import AnyTask, Result, Task
from archive_pipeline.errors import WorkerLostError
from archive_pipeline.store.database import Database

# Of batches, in the memory of one worker.
_BUDGET: Final = 32_000_000
# Of batches, in the temporary files of all workers.
_DISK_BUDGET: Final = 4_000_000_000
# So many tasks a worker has at most that nobody has asked for yet: some tenths of a second, or seconds, of work.
_MOST_AHEAD: Final = 8


class ProcessExecutor:
    """Does tasks in worker processes, which are started when there are several tasks, and stay for the next asset.

    A worker does one task at a time: while PostgreSQL writes it, that takes the processor. It keeps the batches that
    it read, and tasks of the same dialogues go to it again, unless it is busy when another one has nothing else to do.
    When all that was asked for has begun, workers do what is expected to be asked for next, also while nobody listens:
    between two assets, Dagster notes what was built. Use it in one thread.

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
        self._expected: TaskQueue[Task] = TaskQueue()
        # Of expected tasks that nobody has asked for yet.
        self._answers: dict[Task, Answer | WorkerLostError] = {}
        self._deaths: Counter[Task] = Counter()
        self.seconds_ahead = 0.0

    def expect(self, tasks: Sequence[Task], /) -> None:
        """Be told of tasks that ``map_batches`` is going to be asked for after what it is asked for next."""
        if len(tasks) > 1:
            self._expected.add(tasks, self._holders)

    def map_batches(self, tasks: Sequence[AnyTask], /) -> Results[AnyTask]:
        """Yield the results as tasks are done; if it is closed before all are, workers that are busy are ended."""
        self.seconds_ahead, asked = 0.0, time.monotonic()
        if len(tasks) <= 1:
            yield from self._here.map_batches(tasks)
            return
        wanted = set(tasks)
        self._expected.remove(wanted)
        begun = {*self._answers, *(task for worker in self._workers for task in worker.tasks)}
        queue: TaskQueue[AnyTask] = TaskQueue()
        queue.add([task for task in tasks if task not in begun], self._holders)
        try:
            self._start(min(self._limit, len(tasks)))
            self._hand_out(queue)
            for task in [task for task in tasks if task in self._answers]:
                result = self._result(self._answers.pop(task), asked)
                wanted.remove(task)
                yield task, result
            while wanted:
                for worker in self._answering():
                    done, answer = self._answer(worker)
                    self._hand_out(queue)  # it works while the caller makes use of the result
                    if answer is None:
                        continue  # another one does it again
                    if done not in wanted:
                        self._answers[done] = answer
                        continue
                    result = self._result(answer, asked)
                    wanted.remove(done)
                    yield done, result
        finally:
            if wanted:
                self._abandon()

    def close(self) -> None:
        """End all workers."""
        self._end(list(self._workers))
        self._stack.close()

    def _start(self, number: int) -> None:
        while len(self._workers) < number:
            self._workers.append(SHARED.start_worker(Begin(self._database, _BUDGET, _DISK_BUDGET // self._limit)))

    def _hand_out(self, queue: TaskQueue[Any]) -> None:
        """Give a task to each worker that has none; when all have begun, some of those that are expected."""
        for worker in self._workers:
            if not worker.tasks and (task := queue.next_for(worker)) is not None:
                self._begin(worker, task)
        if queue:
            return
        for worker in self._workers:
            while len(worker.tasks) < _MOST_AHEAD and (task := self._expected.next_for(worker)) is not None:
                self._begin(worker, task)

    def _begin(self, worker: Worker, task: Task) -> None:
        if task.is_of_shared_batch:
            self._holders.setdefault(task.items, worker)
        worker.begin(task)

    def _answering(self) -> list[Worker]:
        busy = {worker.connection: worker for worker in self._workers if worker.tasks}
        return [busy[connection] for connection in wait(list(busy))]  # type: ignore[index]

    def _answer(self, worker: Worker) -> tuple[Any, Answer | WorkerLostError | None]:
        """Return what a worker did and what came of it, None if another one is doing it again."""
        task, answer = worker.answer()
        if answer is None:
            return task, self._replace(worker, task)
        self._deaths.pop(task, None)
        return task, answer

    def _result(self, answer: Answer | WorkerLostError, asked: float) -> Result:
        """Return the result that is an answer, or raise the error; add up what was done before it was asked for."""
        if isinstance(answer, WorkerLostError):
            raise answer
        self.seconds_ahead += max(0.0, min(answer.ended, asked) - answer.began) / len(self._workers)
        if isinstance(answer.outcome, SentError):
            raise received(answer.outcome)
        return answer.outcome

    def _replace(self, lost: Worker, task: Task) -> WorkerLostError | None:
        """Let another worker do what one that ended had to do; return the error if its task has ended two."""
        how = lost.end()
        self._workers.remove(lost)
        self._forget([lost])
        self._deaths[task] += 1
        self._start(len(self._workers) + 1)
        is_repeated = self._deaths[task] == 1
        for each in [*([task] if is_repeated else []), *lost.tasks]:
            self._workers[-1].begin(each)
        if is_repeated:
            return None
        return WorkerLostError(
            f"{task.label} cannot be built: two processes ended with it, the last one {how}. "
            "What was committed stays; fewer ARCHIVE_WORKERS leave more memory to each"
        )

    def _abandon(self) -> None:
        """End what is being done, and forget what is expected."""
        self._expected = TaskQueue()
        self._answers.clear()
        self._deaths.clear()
        self._end([worker for worker in self._workers if worker.tasks])

    def _end(self, workers: Sequence[Worker]) -> None:
        for worker in workers:
            worker.end()
            self._workers.remove(worker)
        self._forget(workers)

    def _forget(self, workers: Sequence[Worker]) -> None:
        self._holders = {items: holder for items, holder in self._holders.items() if holder not in workers}
