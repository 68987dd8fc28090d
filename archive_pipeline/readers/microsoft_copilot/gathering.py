"""Rows of Copilot's tables, gathered by conversation.

A table has no ids, and is ordered by time: a conversation that was taken up again later stands in several places. So
all of a table is held until its end: the first 32 MB of it in memory, and of more than that nothing but the places.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping
from typing import IO, Any, Final

from archive_pipeline.readers.csv_rows import COLUMNS, CSV
from archive_pipeline.readers.gathered import HELD_BYTES, passed_over
from archive_pipeline.readers.microsoft_copilot.layouts import ROWS, SOURCE, layout_of

_BEGINS: Final = json.dumps({CSV: SOURCE, ROWS: []}).encode().removesuffix(b"]}")


class RowGatherer:
    """Gathers the rows of one table by the titles of their conversations, in the order of the table.

    Args:
        held_bytes: how much is held in memory.
    """

    def __init__(self, *, held_bytes: int = HELD_BYTES) -> None:
        self._most = held_bytes
        self._file: IO[bytes] | None = None
        self._end = 0
        # By title, the place and the size of each row.
        self._places: dict[str, list[tuple[int, int]]] = {}
        self._has_rows = False

    @property
    def left_out(self) -> str | None:
        """What the table is if it has no whole row, when all was taken; None if it has some."""
        return None if self._has_rows else "a table without a whole row"

    def takes(self, value: Mapping[str, Any]) -> bool:
        """Tells whether a file is a table of Copilot, by the line that has its columns."""
        return value.get(CSV) == SOURCE and COLUMNS in value

    def add(self, raw: bytes, value: object) -> Iterator[bytes]:
        """Adds a row; yields one that stands alone, and what is no row."""
        if isinstance(value, dict) and self.takes(value):
            return
        self._has_rows = True
        if not isinstance(value, dict):
            yield passed_over(raw, value)
            return
        column = layout_of(value).title
        if column is None:
            yield _object([raw])
        else:
            self._hold(str(value.get(column)), raw)

    def all(self) -> Iterator[bytes]:
        """Yields the conversations, in the order of their first rows."""
        if self._file is None:
            return
        with self._file as file:
            for places in self._places.values():
                yield _object([_read(file, *place) for place in places])

    def _hold(self, title: str, raw: bytes) -> None:
        if self._file is None:
            self._file = tempfile.SpooledTemporaryFile(max_size=self._most, prefix="llm-archive-")  # noqa: SIM115 - ``all`` closes it
        self._file.write(raw)
        self._places.setdefault(title, []).append((self._end, len(raw)))
        self._end += len(raw)


def _read(file: IO[bytes], place: int, size: int) -> bytes:
    file.seek(place)
    return file.read(size)


def _object(rows: list[bytes]) -> bytes:
    return _BEGINS + b"\n" + b",\n".join(rows) + b"\n]}"
