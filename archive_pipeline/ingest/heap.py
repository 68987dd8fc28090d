"""The C library's heap: what is free inside it is given back to the system."""

from __future__ import annotations

import ctypes
import os
from functools import cache

import pyarrow as pa


def release_free_memory() -> None:
    """Give whole pages that nothing is in back to the system, where the GNU C library has memory.

    It keeps what is freed below something that is still there. A call takes some milliseconds. Other libraries have no
    such call, and nothing happens.
    """
    library = _library()
    if library is not None:
        library.malloc_trim(0)


def keep_arrow_in_heap() -> None:
    """Have Arrow allocate where `release_free_memory` gives back what is free: its own pool keeps that for itself."""
    if _library() is not None:
        pa.set_memory_pool(pa.system_memory_pool())


@cache
def _library() -> ctypes.CDLL | None:
    """Return the GNU C library, None if this program has another one."""
    try:
        is_gnu = bool(os.confstr("CS_GNU_LIBC_VERSION"))
    except (ValueError, OSError):  # the name is unknown, or means nothing
        is_gnu = False
    return ctypes.CDLL(None) if is_gnu else None
