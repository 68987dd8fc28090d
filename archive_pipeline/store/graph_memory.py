"""What the server may use while it makes a graph of vectors.

A graph that does not fit its memory is continued on disk, vector by vector, at a fifth of the speed and less. The
memory is the server's, so it is raised only where the server is on this machine.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Final

import psutil
import psycopg

from archive_pipeline.domain.control_groups import ROOT, memory_limits
from archive_pipeline.store.sql_files import load_query

# Neighbours and places of rows beside each vector of halves (measured: docs/performance.md).
_BYTES_BESIDE_A_VECTOR: Final = 800
_BYTES_PER_DIMENSION: Final = 2
# Of the memory that nobody uses: what a graph may take.
_SHARE: Final = 4
_SHARED_MEMORY: Final = "dev/shm"


def give_graph_memory(connection: psycopg.Connection[Any], vectors: int, dimensions: int) -> None:
    """Raise what the caller's transaction may use for a graph to what it needs, but not to more than the machine has.

    Without room in the machine's shared memory, where several processes would build it together, one builds it.
    """
    values = {
        "kilobytes": graph_bytes(vectors, dimensions) // 1024,
        "shared_kilobytes": shared_bytes() // 1024,
    }
    connection.execute(load_query("vector_index/give_graph_memory"), values)


def graph_bytes(vectors: int, dimensions: int, root: Path = ROOT) -> int:
    """Return the bytes of a graph while it is made, at most a quarter of what the machine or a control group leaves.

    Args:
        vectors: how many.
        dimensions: of a vector.
        root: of the file system with ``proc`` and ``sys``.
    """
    needed = vectors * (dimensions * _BYTES_PER_DIMENSION + _BYTES_BESIDE_A_VECTOR)
    return min(needed, min([_free(), *memory_limits(root)]) // _SHARE)


def shared_bytes(root: Path = ROOT) -> int:
    """Return the bytes that are free for memory of several processes; containers often have 64 MB of it."""
    folder = root / _SHARED_MEMORY
    if not folder.is_dir():
        return _free()
    there = os.statvfs(folder)
    return there.f_bavail * there.f_frsize


def _free() -> int:
    return int(psutil.virtual_memory().available)
