"""What every executor is and guarantees."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Protocol

from archive_pipeline.building.chunks import BuildTask, ChunkResult

Results = Generator[tuple[BuildTask, ChunkResult], None, None]


class Executor(Protocol):
    """Has chunks built: here, in other processes, on other machines.

    It is opened once for the assets of a run (``opening.open_executor``), which use it one after the other.
    """

    def map_batches(self, tasks: Sequence[BuildTask], /) -> Results:
        """Yield each task with its result (`build_chunk`), in any order, as results come.

        A task whose result is lost is repeated. Chunks that are under way when the generator is closed, or when an
        error ends it, are finished or rolled back before it returns.

        Raises:
            Exception: what is no item's own fault, as `build_chunk` raised it, with its type: the driver tells by it
                what to do (`is_systemic`, `is_transient`).
            WorkerLostError: the process that built a chunk ended, and so did the next one that built it.
        """
        ...
