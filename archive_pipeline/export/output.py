"""Writing an export: files in a partial folder, with their sizes and hashes, renamed to its place when all is there."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import orjson
import pyarrow as pa
import pyarrow.parquet as pq

from archive_pipeline.errors import ExportError

_BUFFER_BYTES: Final = 1 << 20
_ROWS_PER_GROUP: Final = 10_000


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """A file of an export: its path in it, size, SHA-256 (hex), and rows (None for files that hold one thing)."""

    path: str
    size_bytes: int
    sha256: str
    rows: int | None


class Output:
    """The files of one export; not to be used after ``close``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._stack = ExitStack()
        self._lines: dict[str, _Lines] = {}
        self._tables: dict[str, _Table] = {}
        self._files: list[WrittenFile] = []

    def start_lines(self, name: str) -> None:
        """Make a file of lines of JSON, empty so far."""
        self._lines[name] = _Lines(self._stack.enter_context((self.folder / name).open("wb", _BUFFER_BYTES)))

    def line(self, name: str, row: Mapping[str, Any]) -> None:
        """Append a row to a file of lines of JSON."""
        self._lines[name].write(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE | orjson.OPT_UTC_Z))

    def rows(self, name: str, schema: pa.Schema, rows: Sequence[Mapping[str, Any]]) -> None:
        """Append rows to a table in Parquet; it is made by the first call, also without rows."""
        if name not in self._tables:
            self._tables[name] = _Table(self._stack.enter_context(pq.ParquetWriter(self.folder / name, schema)), schema)
        self._tables[name].add(rows)

    def file(self, name: str, content: bytes) -> None:
        """Write a whole file.

        Raises:
            ExportError: the export has a file of this name.
        """
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with path.open("xb") as opened:
                opened.write(content)
        except FileExistsError as error:
            raise ExportError(f"two files of the export would be {name}") from error
        self._files.append(WrittenFile(name, len(content), hashlib.sha256(content).hexdigest(), None))

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
        self._files.append(WrittenFile(name, path.stat().st_size, sha256, None))
        return True

    def close(self) -> list[WrittenFile]:
        """Finish all files and return them in the order of their paths."""
        for table in self._tables.values():
            table.flush()
        self._stack.close()
        written = list(self._files)
        for name, lines in self._lines.items():
            written.append(WrittenFile(name, lines.size, lines.hash.hexdigest(), lines.rows))
        for name, table in self._tables.items():
            with (self.folder / name).open("rb") as opened:
                digest = hashlib.file_digest(opened, "sha256").hexdigest()
            written.append(WrittenFile(name, (self.folder / name).stat().st_size, digest, table.count))
        return sorted(written, key=lambda file: file.path)

    def abort(self) -> None:
        """Close what is open."""
        self._stack.close()


class _Lines:
    def __init__(self, file: Any) -> None:
        self._file = file
        self.hash = hashlib.sha256()
        self.size = self.rows = 0

    def write(self, line: bytes) -> None:
        self._file.write(line)
        self.hash.update(line)
        self.size += len(line)
        self.rows += 1


class _Table:
    def __init__(self, writer: pq.ParquetWriter, schema: pa.Schema) -> None:
        self._writer, self._schema = writer, schema
        self._rows: list[Mapping[str, Any]] = []
        self.count = 0

    def add(self, rows: Sequence[Mapping[str, Any]]) -> None:
        self._rows += rows
        self.count += len(rows)
        if len(self._rows) >= _ROWS_PER_GROUP:
            self.flush()

    def flush(self) -> None:
        if self._rows:
            self._writer.write_table(pa.Table.from_pylist(self._rows, schema=self._schema))
            self._rows = []


@contextmanager
def partial_folder(target: Path, *, replace: bool) -> Iterator[Path]:
    """Yield a folder that becomes ``target`` at the end, and is gone after an error.

    Args:
        target: what it becomes.
        replace: an export that is there gives way; else it is refused.

    Raises:
        ExportError: something is there, or nothing can be written there.
    """
    refuse_existing(target, replace=replace)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(prefix=f".{target.name}.", suffix=".partial", dir=target.parent))
    except OSError as error:
        raise ExportError(f"nothing can be written to {target.parent}: {error.strerror}") from error
    try:
        yield folder
        refuse_existing(target, replace=replace)
        _put(folder, target)
    except OSError as error:
        raise ExportError(f"{target} cannot be written: {error.strerror or error}") from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def refuse_existing(target: Path, *, replace: bool) -> None:
    """Raise ``ExportError`` if something is where an export goes, unless it may be replaced."""
    if not replace and (target.exists() or target.is_symlink()):
        raise ExportError(f"{target} exists; an export overwrites nothing: name another path, or remove it")


def _put(folder: Path, target: Path) -> None:
    """Rename the folder to its place; what is there is out of the way for a moment, and then gone."""
    if not target.exists():
        folder.rename(target)
        return
    before = Path(tempfile.mkdtemp(prefix=f".{target.name}.", suffix=".old", dir=target.parent))
    target.rename(before / target.name)
    folder.rename(target)
    shutil.rmtree(before, ignore_errors=True)
