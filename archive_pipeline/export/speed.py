"""What makes an export as fast as its rows can be read.

A thread reads ahead and gets its turn at once, and nobody searches for cycles that are not there.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Final, TypeVar

ItemT = TypeVar("ItemT")

_END: Final = object()
# After it, a thread that waits for the interpreter gets it: 5 milliseconds by default, for each answer of the server.
_TURN_SECONDS: Final = 0.0002


def read_ahead(items: Iterator[ItemT]) -> Generator[ItemT, None, None]:
    """Yield what an iterator does, the next item being made by another thread meanwhile.

    Close it before what the iterator reads from is closed.
    """
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="read") as reader:
        following = reader.submit(next, items, _END)
        while True:
            item = following.result()
            if item is _END:
                return
            following = reader.submit(next, items, _END)
            yield item  # type: ignore[misc]  # it is no end


@contextmanager
def collection_paused() -> Iterator[None]:
    """Pause the search for cycles of objects.

    Millions of objects come and go without one, and each search looks at all that are there: a third of the time.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@contextmanager
def threads_alternating() -> Iterator[None]:
    """Have threads that wait for the interpreter wait no longer than one that reads takes to ask for more.

    A batch is a few dozens of calls that wait for the server. If the reading thread, after each of them, waits until
    the one that makes lines has had its 5 milliseconds, the server waits longer than it works.
    """
    before = sys.getswitchinterval()
    sys.setswitchinterval(min(before, _TURN_SECONDS))
    try:
        yield
    finally:
        sys.setswitchinterval(before)
