"""The executor of this process: what it holds while it reads, computes and writes."""

from __future__ import annotations

import time
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Barrier, Event

import pytest

from archive_pipeline.building.executors import local
from archive_pipeline.building.executors.local import LocalExecutor
from archive_pipeline.store.database import Database

DATABASE = Database("postgresql:///nowhere")


class Batch:
    """Something to hold."""


@dataclass(frozen=True)
class Held:
    """What the tasks saw: of each, how many batches there were when it was written, its own among them or not."""

    batches: list[weakref.ref[Batch]] = field(default_factory=list)
    seen: list[tuple[int, bool]] = field(default_factory=list)


@dataclass(frozen=True)
class HoldingTask:
    """A task that looks at what is held while it is written."""

    held: Held
    number: int
    asset: str = "any"
    version: str = "1"
    own_version: str = "1"
    items: tuple[int, ...] = ()
    size: int = 1
    is_of_shared_batch: bool = False
    label: str = "a task"

    def load(self, database: Database) -> Batch:
        del database
        batch = Batch()
        self.held.batches.append(weakref.ref(batch))
        return batch

    def computed(self, database: Database, load: Callable[[], Batch]) -> Callable[[], int]:
        del database
        own = weakref.ref(load())

        def write() -> int:
            _wait_until(lambda: own() is None)  # the thread that read it may be about to let it go
            alive = sum(batch() is not None for batch in self.held.batches)
            self.held.seen.append((alive, own() is not None))
            return self.number

        return write


def _wait_until(is_so: Callable[[], bool]) -> None:
    end, pause = time.monotonic() + 300, Event()
    while not is_so() and time.monotonic() < end:
        pause.wait(0.01)


def test_the_last_batch_is_let_go_before_its_rows_are_written():
    held = Held()
    results = LocalExecutor(DATABASE).map_batches([HoldingTask(held, 0)])
    assert [result for _, result in results] == [0]
    assert held.seen == [(0, False)]


def test_a_batch_is_computed_while_one_other_is_read():
    held = Held()
    results = LocalExecutor(DATABASE).map_batches([HoldingTask(held, number) for number in range(6)])
    assert [result for _, result in results] == list(range(6))
    assert max(alive for alive, _ in held.seen) <= 2


def test_free_memory_is_given_back_after_each_asset(monkeypatch: pytest.MonkeyPatch):
    released: list[int] = []
    monkeypatch.setattr(local, "release_free_memory", lambda: released.append(len(held.seen)))
    held = Held()
    for _ in range(2):
        list(LocalExecutor(DATABASE).map_batches([HoldingTask(held, number) for number in range(3)]))
    assert released == [3, 6]


@dataclass(frozen=True)
class MeetingTask(HoldingTask):
    """A task whose writing waits until another one is being written, too."""

    meeting: Barrier = field(default_factory=lambda: Barrier(2), compare=False)

    def computed(self, database: Database, load: Callable[[], Batch]) -> Callable[[], int]:
        del database
        load()

        def write() -> int:
            self.meeting.wait(60)
            return self.number

        return write


def test_two_tasks_are_written_at_a_time():
    meeting = Barrier(2)
    results = LocalExecutor(DATABASE).map_batches([MeetingTask(Held(), number, meeting=meeting) for number in range(4)])
    assert [result for _, result in results] == [0, 1, 2, 3]


@dataclass(frozen=True)
class FailingTask(HoldingTask):
    """A task that cannot be written."""

    def computed(self, database: Database, load: Callable[[], Batch]) -> Callable[[], int]:
        super().computed(database, load)

        def write() -> int:
            raise ValueError("not written")

        return write


def test_what_is_being_written_is_finished_when_another_one_fails():
    held = Held()
    with pytest.raises(ValueError, match="not written"):
        list(LocalExecutor(DATABASE).map_batches([FailingTask(held, 0), HoldingTask(held, 1), HoldingTask(held, 2)]))
    assert len(held.seen) >= 1  # the second one was under way, and nothing is when the error arrives
