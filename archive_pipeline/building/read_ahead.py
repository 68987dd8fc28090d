"""Reading the next batch while one is worked with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from archive_pipeline.derive.asset import Batch

Asked = TypeVar("Asked")


def read_ahead(
    reader: ThreadPoolExecutor, load: Callable[[Asked], Batch], asked: Iterable[Asked]
) -> Iterator[tuple[Asked, Future[Batch]]]:
    """Yield each of what is asked for with its batch, while the thread of ``reader`` reads the next one."""
    pending: tuple[Asked, Future[Batch]] | None = None
    for each in asked:
        following = (each, reader.submit(load, each))
        if pending is not None:
            yield pending
        pending = following
    if pending is not None:
        yield pending
