"""Columns of values, one of each text, that are on disk and not in memory."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Values = npt.NDArray[Any]


@dataclass
class _Column:
    """Where the pieces of a column are in the file: their first bytes, and how many values they have."""

    dtype: np.dtype[Any]
    places: list[int] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)


class ColumnFile:
    """Columns by name in a file without a name, which is gone with the process.

    A column grows at its end, by an array at a time. The file is read, not mapped: pages of a mapped one count as
    memory of the process.
    """

    def __init__(self, folder: Path) -> None:
        self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 (closed by `close`)
        self._end = 0
        self._columns: dict[str, _Column] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._columns

    def append(self, name: str, values: Values) -> None:
        """Put values of one dimension behind those that the column has; they have the type of the first ones."""
        column = self._columns.setdefault(name, _Column(values.dtype))
        if not values.size:
            return
        self._file.write(np.ascontiguousarray(values, dtype=column.dtype).data)
        column.places.append(self._end)
        column.counts.append(values.size)
        self._end += values.size * column.dtype.itemsize

    def read(self, name: str, first: int = 0, last: int | None = None) -> Values:
        """Return the values of a column from one number up to another one, by default all.

        Raises:
            KeyError: nothing was appended to the column.
        """
        column = self._columns[name]
        last = sum(column.counts) if last is None else last
        self._file.flush()
        values = np.empty(last - first, dtype=column.dtype)
        start = 0
        for place, count in zip(column.places, column.counts, strict=True):
            begin, end = max(first, start), min(last, start + count)
            if begin < end:
                size = column.dtype.itemsize
                read = os.pread(self._file.fileno(), (end - begin) * size, place + (begin - start) * size)
                values[begin - first : end - first] = np.frombuffer(read, dtype=column.dtype)
            start += count
        return values

    def close(self) -> None:
        """Give the disk space back."""
        self._file.close()


def order_by(keys: Iterable[Values]) -> npt.NDArray[np.int32]:
    """Return the numbers of entities in the order of several keys, equal ones in the order of their numbers.

    Args:
        keys: an array each, the one that decides first comes last; each is asked for when the one before is done with.
    """
    order: npt.NDArray[np.int32] | None = None
    for key in keys:
        if order is None:
            order = np.argsort(key, kind="stable").astype(np.int32)
        else:
            order = order[np.argsort(key[order], kind="stable")]
        del key  # before the next one is read
    return np.empty(0, dtype=np.int32) if order is None else order
