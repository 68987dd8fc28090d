"""The files that a database holds as BLOBs, to be kept as attached files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing
from functools import partial
from pathlib import PurePosixPath
from typing import NamedTuple

from archive_pipeline.errors import UnreadableInputError
from archive_pipeline.readers.databases.allowance import Allowance, TooMuchError
from archive_pipeline.readers.databases.product import Readers, reader_of
from archive_pipeline.readers.databases.reading import Beginning
from archive_pipeline.readers.databases.snapshot import snapshot
from archive_pipeline.readers.databases.tables import DamagedError, Tables
from archive_pipeline.readers.databases.values import Text
from archive_pipeline.readers.declaration import StoredFiles
from archive_pipeline.readers.found import DATABASE_SUFFIXES, SourceFile


class FileInDatabase(NamedTuple):
    """A file in a database: the id by which messages point to it, and its content, to be read before the next one."""

    file_id: str
    content: SourceFile


def may_hold_files(found: SourceFile) -> bool:
    """Tells whether a file is looked into: it is named as databases are, or named by the user."""
    return found.is_named or PurePosixPath(found.locator).suffix.lower() in DATABASE_SUFFIXES


def stored_files(found: SourceFile, readers: Readers) -> Iterator[FileInDatabase]:
    """Yields the files in a database; none of what is no database that a reader knows, or cannot be read.

    What cannot be read of it the import of its conversations has said.
    """
    try:
        with ExitStack() as stack:
            stream = Beginning(stack.enter_context(found.open()))
            if not stream.is_database:
                return
            copy = stack.enter_context(snapshot(stream, None if found.member else found.path))
            tables = stack.enter_context(closing(Tables(copy.path, Allowance(copy.size))))
            declared = reader_of(readers, tables)
            files = readers[declared].files if declared is not None else None
            if files is not None:
                yield from _files(found, tables, files)
    except (OSError, UnreadableInputError, DamagedError, TooMuchError):
        return


def _files(found: SourceFile, tables: Tables, files: StoredFiles) -> Iterator[FileInDatabase]:
    for number, file_id in tables.scan(files.table, (files.file_id,)):
        name = file_id.decode("utf-8", "replace") if isinstance(file_id, Text) else ""
        if not name:
            continue
        try:
            size = tables.size_of_file(files.table, files.content, number)
        except DamagedError:
            continue
        if size:
            opener = partial(tables.open_file, files.table, files.content, number)
            locator = f"{found.locator}/{files.table}/{name}"
            yield FileInDatabase(name, SourceFile(found.path, locator, size, opener, member=name))
