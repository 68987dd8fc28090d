"""Reading the next batch while one is worked with."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from archive_pipeline.derive.asset import Batch

Asked = TypeVar("Asked")


def read_ahead(
    reader: ThreadPoolExecutor, load: Callable[[Asked], Batch], asked: Iterable[Asked]
) -> Iterator[tuple[Asked, Future[Batch]]]:
    """Yield each of what is asked for with its batch, while the thread of ``reader`` reads the next one."""
    pending: deque[tuple[Asked, Future[Batch]]] = deque()
    for each in asked:
        pending.append((each, reader.submit(load, each)))
        if len(pending) > 1:
            yield pending.popleft()  # whoever has it lets it go when it is of no more use
    while pending:
        yield pending.popleft()
