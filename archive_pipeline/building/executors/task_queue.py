"""Tasks that nobody has begun, in the order in which workers of this machine are given them."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Generic

from archive_pipeline.building.executors.worker_processes import Worker
from archive_pipeline.building.tasks import AnyTask


class TaskQueue(Generic[AnyTask]):
    """Per worker the tasks whose batches it has, and the others."""

    def __init__(self) -> None:
        self._own: dict[Worker | None, deque[AnyTask]] = {None: deque()}

    def __bool__(self) -> bool:
        return any(self._own.values())

    def add(self, tasks: Sequence[AnyTask], holders: Mapping[tuple[Any, ...], Worker]) -> None:
        """Append tasks.

        Args:
            tasks: to be begun.
            holders: items of a task -> who has their batch.
        """
        for task in tasks:
            holder = holders.get(task.items) if task.is_of_shared_batch else None
            self._own.setdefault(holder, deque()).append(task)

    def remove(self, tasks: Collection[AnyTask]) -> None:
        """Take tasks out that are there."""
        self._own = {holder: deque(task for task in own if task not in tasks) for holder, own in self._own.items()}

    def next_for(self, worker: Worker) -> AnyTask | None:
        """Take a task for a worker: of its own, of nobody's, or the last one of who has most left; None if none is."""
        for tasks in (self._own.get(worker), self._own[None]):
            if tasks:
                return tasks.popleft()
        longest = max(self._own.values(), key=len)
        return longest.pop() if longest else None
