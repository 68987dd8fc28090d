"""What executors do: tasks, each a part of a build, of finding duplicates or of indexing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Protocol, TypeVar

from archive_pipeline.store.database import Database

Batch = Any
Result = Any
_NAMED = 5


class Task(Protocol):
    """A part of a whole, which can be pickled, compared and hashed; it may be repeated at any time."""

    @property
    def asset(self) -> str:
        """What it is a part of."""

    @property
    def version(self) -> str:
        """The version of what it computes, as the driver's code has it."""

    @property
    def own_version(self) -> str:
        """The same, as this process's code has it."""

    @property
    def items(self) -> tuple[Any, ...]:
        """What it is about."""

    @property
    def size(self) -> int:
        """How much that is: messages, pages or texts."""

    @property
    def is_of_shared_batch(self) -> bool:
        """Whether other tasks are about the batch of the same dialogues, so that it is worth keeping."""

    @property
    def label(self) -> str:
        """How it is named to people."""

    def load(self, database: Database) -> Batch:
        """Read its batch from the database."""

    def computed(self, database: Database, load: Callable[[], Batch]) -> Callable[[], Result]:
        """Compute with the batch that ``load`` returns; return the step that writes what has to be written.

        The step returns the result, which can be pickled. It mostly waits, so the next task is computed meanwhile.
        """


AnyTask = TypeVar("AnyTask", bound=Task)


def run_task(database: Database, task: Task, load: Callable[[], Batch] | None = None) -> Result:
    """Do a task and return its result.

    Args:
        database: the archive.
        task: what to do.
        load: returns its batch where that need not be read from the database.
    """
    return task.computed(database, partial(task.load, database) if load is None else load)()


def named(asset: str, labels: Sequence[str], noun: str) -> str:
    """Return the label of a task: the asset, how many items, and the first of them."""
    more = len(labels) - _NAMED
    return (
        f"{asset} of {len(labels):,} {noun} ({', '.join(labels[:_NAMED])}{f' and {more:,} more' if more > 0 else ''})"
    )
