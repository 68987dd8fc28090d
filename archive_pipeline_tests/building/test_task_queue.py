"""Tasks in the order in which workers are given them."""

from __future__ import annotations

from archive_pipeline.building.chunks import BuildTask
from archive_pipeline.building.executors.task_queue import TaskQueue
from archive_pipeline.settings import Settings


def test_tasks_go_to_who_has_their_batches_and_nobody_is_idle_while_there_are_some(settings: Settings):
    tasks = [BuildTask("dialogues", "exchanges", "1", settings, (number,)) for number in range(6)]
    one, other = object(), object()
    queue: TaskQueue[BuildTask] = TaskQueue()
    queue.add(tasks, {(0,): other, (1,): one, (2,): one, (3,): one})  # type: ignore[dict-item]
    queue.remove({tasks[3]})
    assert [queue.next_for(worker).items[0] for worker in (one, other, other, other, other)] == [1, 0, 4, 5, 2]  # type: ignore[arg-type,union-attr]
    assert not queue
    assert queue.next_for(one) is None  # type: ignore[arg-type]
