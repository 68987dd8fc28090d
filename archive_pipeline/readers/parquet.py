"""Parquet files, whose rows are handed on as lines of JSON: data sets are published so, and logs of models kept.

A file has all fields in all rows, so that null stands where a row has none, and is left out. What JSON has no value for
is text, and bytes are as in databases: those of a large value are left out, and their hash is kept.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any, Final

import orjson

from archive_pipeline.domain.records import RejectedRecord
from archive_pipeline.domain.zip_limits import is_bomb
from archive_pipeline.errors import UnreadableInputError
from archive_pipeline.readers.blobs import blob_as_object
from archive_pipeline.readers.json.blocks import ByteSource

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

MAGIC: Final = b"PAR1"
_COPIED_AT_ONCE: Final = 1024 * 1024
# Without it Arrow holds a whole column of a group of rows.
_READ_AHEAD_BYTES: Final = 64 * 1024
# Of rows that are held at once, as the file declares their size.
_BATCH_BYTES: Final = 2 * 1024 * 1024
_MOST_ROWS: Final = 100
# A text that is not UTF-8, a time that no calendar has, two fields of one name.
_ROW_ERRORS: Final = (ValueError, TypeError, OverflowError)
_MOST_ROWS_NAMED: Final = 1_000


class ParquetRows:
    """The rows of a file, and what cannot be read of them: known when all were asked for."""

    def __init__(self, table: pq.ParquetFile, size: int) -> None:
        self._table = table
        self._size = size
        self._given = 0
        self._broken: list[tuple[int, Exception]] = []
        self._broken_count = 0
        self._end: tuple[int, str] | None = None

    def pieces(self) -> Iterator[bytes]:
        """Yields a line of JSON for each row; an empty array if there is none."""
        if self._table.metadata.num_rows == 0:
            yield b"[]"
        number = 0
        batches = self._table.iter_batches(_rows_at_once(self._table.metadata), use_threads=False)
        while (batch := self._next(batches, number)) is not None:
            if is_bomb(self._given + batch.nbytes, self._size):
                ratio = (self._given + batch.nbytes) / self._size
                self._end = number, f"its rows are {ratio:,.0f} times its size, as those of no export are"
                return
            at_once = max(1, batch.num_rows * _BATCH_BYTES // max(batch.nbytes, 1))
            for start in range(0, batch.num_rows, at_once):
                for row in self._rows(batch.slice(start, at_once), number + start):
                    self._given += len(row)
                    yield row
            number += batch.num_rows

    def rejected(self, locator: str) -> Iterator[RejectedRecord]:
        """Yields what could not be read, when the rows were."""
        for number, error in self._broken:
            reason = f"row {number:,} of {locator} cannot be read"
            yield RejectedRecord(f"{locator}[{number}]", reason, f"{type(error).__name__}: {error}")
        if self._broken_count > len(self._broken):
            more = self._broken_count - len(self._broken)
            yield RejectedRecord(locator, f"{more:,} more rows of {locator} cannot be read")
        if self._end is not None:
            number, why = self._end
            yield RejectedRecord(
                locator, f"{locator} is read up to row {number:,} of {self._table.metadata.num_rows:,}", why
            )

    def _next(self, batches: Iterator[pa.RecordBatch], number: int) -> pa.RecordBatch | None:
        """Returns the next rows; None at the end, and before damage."""
        try:
            return next(batches, None)
        except (OSError, ValueError, MemoryError) as error:  # all that Arrow raises is one of them
            self._end = number, f"{type(error).__name__}: {error}"
            return None

    def _rows(self, batch: pa.RecordBatch, first: int) -> Iterator[bytes]:
        """Yields rows; one that cannot be read is noted, and keeps no other from being read."""
        try:
            yield from [*map(_line, batch.to_pylist())]
        except _ROW_ERRORS as error:
            if batch.num_rows == 1:
                self._broken_count += 1
                if len(self._broken) < _MOST_ROWS_NAMED:
                    self._broken.append((first, error))
                return
            for place in range(batch.num_rows):
                yield from self._rows(batch.slice(place, 1), first + place)


@contextmanager
def parquet_rows(source: ByteSource) -> Iterator[ParquetRows]:
    """Copies a file, which is read from its end, and opens the copy.

    Args:
        source: its content, at the start.

    Raises:
        OSError: it cannot be read, or not be copied.
        UnreadableInputError: it is damaged, encrypted, or has two columns of one name.
    """
    with tempfile.TemporaryFile(prefix="llm-archive-") as copy:
        shutil.copyfileobj(source, copy, _COPIED_AT_ONCE)
        size = copy.tell()
        with _opened(copy) as table:
            names = table.schema_arrow.names
            if len({*names}) < len(names):
                raise UnreadableInputError("two of its columns have the same name")
            yield ParquetRows(table, size)


def _opened(copy: IO[bytes]) -> pq.ParquetFile:
    # Few files need it, and it takes as long to import as a small one to read.
    import pyarrow.parquet as pq  # noqa: PLC0415

    try:
        return pq.ParquetFile(copy, pre_buffer=False, buffer_size=_READ_AHEAD_BYTES)
    except (OSError, ValueError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise UnreadableInputError(str(error)) from error


def _rows_at_once(metadata: pq.FileMetaData) -> int:
    size: int = sum(metadata.row_group(number).total_byte_size for number in range(metadata.num_row_groups))
    rows: int = metadata.num_rows
    return max(1, min(_MOST_ROWS, _BATCH_BYTES * rows // max(size, 1)))


def _line(row: dict[str, Any]) -> bytes:
    columns = {name: _without_nulls(value) for name, value in row.items()}
    return orjson.dumps(columns, default=_as_json, option=orjson.OPT_APPEND_NEWLINE)


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_nulls(item) for name, item in value.items() if item is not None}
    # A map is a list of pairs.
    return [*map(_without_nulls, value)] if isinstance(value, list | tuple) else value


def _as_json(value: object) -> object:
    if isinstance(value, bytes):
        return blob_as_object(value)
    in_iso = getattr(value, "isoformat", None)  # a time to the nanosecond is a class of its own
    return str(value) if in_iso is None else in_iso()
