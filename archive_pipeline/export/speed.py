"""What makes an export as fast as its rows can be read.

A thread reads ahead and gets its turn at once, and nobody searches for cycles that are not there.
"""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Generator, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import Final, TypeVar

ItemT = TypeVar("ItemT")

_END: Final = object()
# After it, a thread that waits for the interpreter gets it: 5 milliseconds by default, for each answer of the server.
_TURN_SECONDS: Final = 0.0002


def read_ahead(items: Generator[ItemT, None, None]) -> Generator[ItemT, None, None]:
    """Yield what a generator does, the next item being made by another thread meanwhile.

    Close it before what the generator reads from is closed: the thread ends, and then the generator.
    """
    reader = ThreadPoolExecutor(max_workers=1, thread_name_prefix="read")
    following = reader.submit(next, items, _END)
    try:
        while True:
            item = following.result()
            if item is _END:
                return
            following = reader.submit(next, items, _END)
            yield item  # type: ignore[misc]  # it is no end
    finally:
        try:
            _await(following)
        finally:
            reader.shutdown()
            # Left to whoever drops the error that keeps it alive, it would close its cursor on a connection that by
            # then is in somebody else's transaction.
            items.close()


def _await(reading: Future[object]) -> None:
    """Wait until a thread has read; Ctrl-C is heard afterwards.

    It would have connections closed while the thread reads from them, and that is a segmentation fault.
    """
    interrupt: KeyboardInterrupt | None = None
    while not reading.done():
        try:
            wait([reading])
        except KeyboardInterrupt as error:
            interrupt = error
    if interrupt is not None:
        raise interrupt


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


class _Turns:
    """How long a thread keeps the interpreter: the process has one such time, and exports that overlap share it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users = 0
        self._before = 0.0

    def shorten(self) -> None:
        with self._lock:
            if not self._users:
                self._before = sys.getswitchinterval()
                sys.setswitchinterval(min(self._before, _TURN_SECONDS))
            self._users += 1

    def restore(self) -> None:
        """Set what was before the first of the users, once the last of them is done."""
        with self._lock:
            self._users -= 1
            if not self._users:
                sys.setswitchinterval(self._before)


_TURNS: Final = _Turns()


@contextmanager
def threads_alternating() -> Iterator[None]:
    """Have threads that wait for the interpreter wait no longer than one that reads takes to ask for more.

    A batch is a few dozens of calls that wait for the server. If the reading thread, after each of them, waits until
    the one that makes lines has had its 5 milliseconds, the server waits longer than it works.
    """
    _TURNS.shorten()
    try:
        yield
    finally:
        _TURNS.restore()
