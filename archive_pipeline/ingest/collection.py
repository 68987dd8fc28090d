"""Garbage collection during imports: seldom, and without what was there before."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Final

from archive_pipeline.program import OBJECTS_BETWEEN

# Held by the block that is to restore what was before it.
_outermost: Final = Lock()


@contextmanager
def seldom_collected() -> Iterator[None]:
    """Collect garbage seldom until the end of the block, and never look through what was there before it.

    A group of dialogues has some hundred thousand containers, and hardly any of them in a cycle: reference counts free
    them with their group, and looking for cycles took a fifth of an import.

    Inside another such block, also one of another thread, nothing changes.
    """
    if not _outermost.acquire(blocking=False):
        yield
        return
    thresholds = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(OBJECTS_BETWEEN, *thresholds[1:])
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)
        gc.unfreeze()
        _outermost.release()
