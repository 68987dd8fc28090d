"""Rows of any number for one COPY: encoded as they come, in a temporary file until they are written."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

from sqlalchemy import Table

from archive_pipeline.store.copy import EncodedRows, encode

if TYPE_CHECKING:
    import pandas as pd

_BYTES_AT_ONCE: Final = 1 << 18


@contextmanager
def spooled_rows(table: Table, frames: Iterable[pd.DataFrame], folder: Path) -> Iterator[EncodedRows]:
    """Yield the rows of all frames, encoded; of a frame and of the lines only some are in memory at a time.

    Args:
        table: the table.
        frames: they have the same columns, which are the table's; each is asked for when the one before is encoded.
        folder: takes the lines until the block ends.
    """
    with tempfile.TemporaryFile(dir=folder) as file:
        count, columns = 0, tuple[str, ...]()
        for frame in frames:
            columns = tuple(frame.columns)
            count += len(frame)
            for lines in encode(table, frame):
                file.write(lines.encode())
        file.seek(0)
        yield EncodedRows(table, columns, count, _pieces(file))


def _pieces(file: IO[bytes]) -> Iterator[bytes]:
    while piece := file.read(_BYTES_AT_ONCE):
        yield piece
