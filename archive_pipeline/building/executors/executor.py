"""What every executor is and guarantees."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Protocol, TypeAlias

from archive_pipeline.building.tasks import AnyTask, Result, Task

Results: TypeAlias = Generator[tuple[AnyTask, Result], None, None]


class Executor(Protocol):
    """Has tasks done: here, in other processes, on other machines.

    It is opened once for the assets of a run (``opening.open_executor``), which use it one after the other.
    """

    @property
    def seconds_ahead(self) -> float:
        """Seconds, of each worker, that went into what ``map_batches`` yielded last before that was asked for."""
        ...

    def map_batches(self, tasks: Sequence[AnyTask], /) -> Results[AnyTask]:
        """Yield each task with its result (`run_task`), in any order, as results come.

        A task whose result is lost is repeated. Tasks that are under way when the generator is closed, or when an
        error ends it, are finished or rolled back before it returns.

        Raises:
            Exception: what is no item's own fault, as the task raised it, with its type: the driver tells by it
                what to do (`is_systemic`, `is_transient`).
            WorkerLostError: the process that did a task ended, and so did the next one that did it.
        """
        ...

    def expect(self, tasks: Sequence[Task], /) -> None:
        """Be told of tasks that ``map_batches`` is going to be asked for after what it is asked for next.

        They may be begun, and done, before; what nobody asks for until the executor is closed is left as it is then.
        """
        ...
