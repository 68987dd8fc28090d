"""The files of an export, with their sizes and hashes."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

import orjson
import pyarrow as pa
import pyarrow.parquet as pq
from more_itertools import chunked

from archive_pipeline.errors import ExportError

# Readers take a group at a time, and the last one is encoded when all else is done.
_ROWS_PER_GROUP: Final = 5_000
_ROWS_AT_ONCE: Final = 16
_MOST_MADE_BYTES: Final = 32_000_000
_BUFFER_BYTES: Final = 1 << 20
_LINE: Final = orjson.OPT_APPEND_NEWLINE | orjson.OPT_UTC_Z


# Ends of lines to some readers, who would cut a row there; in JSON they stand in strings only.
_OTHER_LINE_ENDS: Final = tuple((mark.encode(), f"\\u{ord(mark):04x}".encode()) for mark in "\x85\u2028\u2029")


def json_line(row: Mapping[str, Any]) -> bytes:
    """Return a row as a line of JSON that is one line to every reader."""
    line = orjson.dumps(row, None, _LINE)
    for mark, escape in _OTHER_LINE_ENDS:
        # Its last byte is rare, and found at five times the rate of all of it.
        if mark[-1] in line:
            line = line.replace(mark, escape)
    return line


class WrittenFile(NamedTuple):
    """A file of an export: its path in it, size, SHA-256 (hex), and rows (None for files that hold one thing)."""

    path: str
    size_bytes: int
    sha256: str
    rows: int | None


class Output:
    """The files of one export; not to be used after ``close``.

    A thread writes what was made of a batch while the next one is made, so memory holds what is made of two.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._stack = ExitStack()
        self._writer = ThreadPoolExecutor(max_workers=1, thread_name_prefix="write")
        self._writing: Future[None] | None = None
        self._lines: dict[str, _Lines] = {}
        self._tables: dict[str, _Table] = {}
        self._files = _Files(folder)
        self._made_bytes = 0

    def start_lines(self, name: str) -> None:
        """Make a file of lines of JSON, empty so far."""
        self._lines[name] = _Lines(self._opened(name))

    def lines(self, name: str, rows: Iterable[Mapping[str, Any]]) -> int:
        """Append rows to a file of lines of JSON, and return how many they were."""
        count = 0
        for some in chunked(rows, _ROWS_AT_ONCE):
            made = [*map(json_line, some)]
            self._lines[name].made += made
            self._note_made(sum(map(len, made)))
            count += len(made)
        return count

    def start_table(self, name: str, schema: pa.Schema) -> None:
        """Make a table in Parquet, without rows so far."""
        file = self._opened(name)
        self._tables[name] = _Table(self._stack.enter_context(pq.ParquetWriter(file, schema)), file)

    def rows(self, name: str, table: pa.Table, counts: Iterable[int]) -> None:
        """Append rows to a table.

        Args:
            name: of the file.
            table: the rows.
            counts: how many of them stand together; where some end, groups of rows in the file may end.
        """
        self._tables[name].add(table, counts)

    def file(self, name: str, content: bytes) -> None:
        """Write a whole file; ``flush`` and ``close`` raise ``ExportError`` if the export has one of this name."""
        self._files.made.append((name, content))
        self._note_made(len(content))

    def _note_made(self, size: int) -> None:
        """Have written what a single dialogue makes too much of: paths repeat what they begin with."""
        self._made_bytes += size
        if self._made_bytes > _MOST_MADE_BYTES:
            self.flush()

    def flush(self) -> None:
        """Have what was made so far written, once what was made before is.

        Raises:
            ExportError: two files have one name.
        """
        self._wait()
        self._made_bytes = 0
        sinks: list[_Files | _Lines | _Table] = [self._files, *self._lines.values(), *self._tables.values()]
        made = [sink.taken() for sink in sinks]
        self._writing = self._writer.submit(_run_all, made)

    def copy(self, name: str, source: Path, sha256: str) -> bool:
        """Copy a file whose content has a known hash, once; return whether it is there."""
        path = self.folder / name
        if path.exists():
            return True
        try:
            with source.open("rb") as opened:
                path.parent.mkdir(parents=True, exist_ok=True)
                with path.open("xb") as target:
                    shutil.copyfileobj(opened, target, _BUFFER_BYTES)
        except FileNotFoundError:
            return False
        self._files.written.append(WrittenFile(name, path.stat().st_size, sha256, None))
        return True

    def close(self) -> list[WrittenFile]:
        """Finish all files and return them in the order of their paths; raises as ``flush`` does."""
        self.flush()
        self._wait()
        for table in self._tables.values():
            table.finish()
        self._stack.close()
        written = list(self._files.written)
        sinks: list[tuple[str, _Lines | _Table]] = [*self._lines.items(), *self._tables.items()]
        for name, sink in sinks:
            written.append(WrittenFile(name, sink.file.size, sink.file.hash.hexdigest(), sink.rows))
        return sorted(written, key=lambda file: file.path)

    def abort(self) -> None:
        """Close what is open."""
        self._writer.shutdown()
        self._stack.close()

    def _opened(self, name: str) -> _HashedFile:
        return _HashedFile(self._stack.enter_context((self.folder / name).open("wb", 0)))

    def _wait(self) -> None:
        if self._writing is not None:
            self._writing.result()


def _run_all(actions: Iterable[Callable[[], None]]) -> None:
    for action in actions:
        action()


class _Files:
    """Files that are written whole."""

    def __init__(self, folder: Path) -> None:
        self._root = str(folder)
        self._folders: set[str] = set()
        self.made: list[tuple[str, bytes]] = []
        self.written: list[WrittenFile] = []

    def taken(self) -> Callable[[], None]:
        made, self.made = self.made, []
        return lambda: self._write(made)

    def _write(self, made: list[tuple[str, bytes]]) -> None:
        for name, content in made:
            parent = os.path.dirname(name)  # noqa: PTH120 (a path object costs as much as the file)
            if parent not in self._folders:
                Path(self._root, parent).mkdir(parents=True, exist_ok=True)
                self._folders.add(parent)
            try:
                _write_new(f"{self._root}/{name}", content)
            except FileExistsError as error:
                raise ExportError(f"two files of the export would be {name}") from error
            self.written.append(WrittenFile(name, len(content), hashlib.sha256(content).hexdigest(), None))


def _write_new(path: str, content: bytes) -> None:
    """Write a file that does not exist; a file object would cost as much as the file."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    try:
        _write_all(partial(os.write, descriptor), content)
    finally:
        os.close(descriptor)


def _write_all(write: Callable[[memoryview], int], content: bytes) -> None:
    """Write all that may be taken in parts."""
    left = memoryview(content)
    while left:
        left = left[write(left) :]


class _HashedFile:
    """A file without a buffer that is written once, from its beginning to its end; Arrow takes it for one of Python's.

    Attributes:
        size, hash: of what was written.
        closed: who opened the file closes it.
    """

    closed = False

    def __init__(self, file: Any) -> None:
        self._file = file
        self.hash = hashlib.sha256()
        self.size = 0

    def write(self, content: bytes) -> int:
        """Append to the file."""
        _write_all(self._file.write, content)
        self.hash.update(content)
        self.size += len(content)
        return len(content)

    def tell(self) -> int:
        """Return where the next bytes go."""
        return self.size

    def flush(self) -> None:
        """Do nothing: there is no buffer."""


class _Lines:
    """A file of lines."""

    def __init__(self, file: _HashedFile) -> None:
        self.file = file
        self.made: list[bytes] = []
        self.rows = 0

    def taken(self) -> Callable[[], None]:
        made, self.made = self.made, []
        return lambda: self._write(made)

    def _write(self, made: list[bytes]) -> None:
        self.file.write(b"".join(made))
        self.rows += len(made)


class _Table:
    """A table in Parquet; groups of rows have ``_ROWS_PER_GROUP`` rows or a few more."""

    def __init__(self, writer: pq.ParquetWriter, file: _HashedFile) -> None:
        self.file = file
        self._writer = writer
        self._pending: list[pa.Table] = []
        self._whole: list[pa.Table] = []
        self.rows = 0

    def add(self, table: pa.Table, counts: Iterable[int]) -> None:
        start = end = 0
        pending = sum(map(len, self._pending))
        for count in counts:
            end += count
            if pending + end - start >= _ROWS_PER_GROUP:
                self._end_group(table[start:end])
                start, pending = end, 0
        if start < len(table):
            self._pending.append(table[start:])
        self.rows += len(table)

    def taken(self) -> Callable[[], None]:
        whole, self._whole = self._whole, []
        return lambda: self._write(whole)

    def finish(self) -> None:
        """Write what is left; no other thread writes any more."""
        if self._pending:
            self._end_group(self._pending.pop())
            self.taken()()

    def _end_group(self, last: pa.Table) -> None:
        self._whole.append(pa.concat_tables([*self._pending, last]))
        self._pending = []

    def _write(self, tables: list[pa.Table]) -> None:
        for table in tables:
            self._writer.write_table(table.combine_chunks(), row_group_size=len(table))
