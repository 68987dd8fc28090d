"""What a file is read from: itself if it is JSON, and else what is in it: conversations, records of a page, or rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final, TypeVar

from archive_pipeline.domain.records import RejectedRecord
from archive_pipeline.errors import UnreadableInputError
from archive_pipeline.readers.compressed import unpacked_name
from archive_pipeline.readers.csv_rows import CsvRows, TableReaders, may_be_table, table_of
from archive_pipeline.readers.databases.allowance import Allowance, TooMuchError
from archive_pipeline.readers.databases.objects import ConversationObjects
from archive_pipeline.readers.databases.product import Readers, missing_of, reader_of
from archive_pipeline.readers.databases.row_index import RowIndex
from archive_pipeline.readers.databases.snapshot import MAGIC, snapshot
from archive_pipeline.readers.databases.tables import DamagedError, Tables
from archive_pipeline.readers.decided import Pieces
from archive_pipeline.readers.found import (
    DATABASE_SUFFIXES,
    PARQUET_SUFFIX,
    READ_SUFFIXES,
    TABLE_SUFFIX,
    SkippedFile,
    SourceFile,
    rejected,
)
from archive_pipeline.readers.json.blocks import ByteSource, unread_encoding
from archive_pipeline.readers.pages import PageReaders, PageRecords, may_be_page, page_of
from archive_pipeline.readers.parquet import MAGIC as PARQUET_MAGIC
from archive_pipeline.readers.parquet import ParquetRows, parquet_rows

_JSON_BEGINS: Final = (b"{", b"[", b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
_COPY_ERRORS: Final = (OSError, UnreadableInputError)
_NOT_AS_NAMED: Final = "it is encrypted, damaged at its beginning, or of another program"

ReadersT = TypeVar("ReadersT")
FoundT = TypeVar("FoundT")


class Beginning:
    """A stream of which the first bytes are known before it is read; what stops it there is raised when it is read."""

    def __init__(self, source: ByteSource) -> None:
        self._source = source
        self._failure: Exception | None = None
        self.beginning = b""
        try:
            self.beginning = source.read(len(MAGIC))
        except Exception as error:  # noqa: BLE001 - told by whoever reads
            self._failure = error
        self._held = self.beginning

    @property
    def is_database(self) -> bool:
        """True if it is a database of SQLite."""
        return self.beginning == MAGIC

    @property
    def is_parquet(self) -> bool:
        """True if it is a file of Parquet."""
        return self.beginning.startswith(PARQUET_MAGIC)

    def read(self, size: int = -1, /) -> bytes:
        """Returns up to ``size`` bytes."""
        if self._held:
            taken = self._held if size < 0 else self._held[:size]
            self._held = self._held[len(taken) :]
            return taken + self.read() if size < 0 else taken
        if self._failure is not None:
            raise self._failure
        return self._source.read(size)

    def page(self, readers: PageReaders) -> PageRecords | None:
        """Returns the records of a page; None if it is none that a reader knows, and it is still to be read."""
        return self._looked_into(page_of, readers) if may_be_page(self.beginning) else None

    def table(self, readers: TableReaders) -> CsvRows | None:
        """Returns the rows of a table of CSV; None if it is none that a reader knows, and it is still to be read."""
        return self._looked_into(table_of, readers) if may_be_table(self.beginning) else None

    def _looked_into(
        self, look: Callable[[ByteSource, bytearray, ReadersT], FoundT | None], readers: ReadersT
    ) -> FoundT | None:
        head = bytearray()
        try:
            found = look(self, head, readers)
        except Exception as error:  # noqa: BLE001 - told by whoever reads
            self._failure, found = error, None
        self._held = b"" if found is not None else bytes(head)
        return found


def is_database(path: Path) -> bool:
    """Tells whether a file is a database of SQLite."""
    try:
        with path.open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False


@dataclass(slots=True)
class FileText:
    """What a file is read from.

    Attributes:
        stream: its text, or that of the conversations in it.
        left_out: why it is not read; None if it is.
        database: what is noted of a database while ``stream`` is read; None of others.
        page: what is noted of a page while ``stream`` is read; None of others.
        rows: what is noted of a file of Parquet while ``stream`` is read; None of others.
        table: what is noted of a table of CSV while ``stream`` is read; None of others.
        missing_bytes: how many bytes of a database are missing at its end.
    """

    stream: ByteSource
    left_out: RejectedRecord | SkippedFile | None = None
    database: ConversationObjects | None = None
    missing_bytes: int = 0
    page: PageRecords | None = None
    rows: ParquetRows | None = None
    table: CsvRows | None = None

    def rejected(self, locator: str) -> Iterator[RejectedRecord]:
        """Yields what cannot be read of what is no text, when ``stream`` was read."""
        if self.missing_bytes:
            reason = f"{locator} is cut off: {self.missing_bytes:,} bytes are missing; copy it again"
            yield RejectedRecord(locator, reason, whole_file=True)
        if self.database is not None:
            yield from self.database.rejected(locator)
        for noted in (self.page, self.rows, self.table):
            if noted is not None:
                yield from noted.rejected(locator)

    def skipped(self, locator: str) -> SkippedFile | None:
        """Returns what is to say of a database without conversations, when ``stream`` was read."""
        if self.database is None or self.database.count:
            return None
        return SkippedFile(locator, f"a database of {self.database.source} without conversations")

    def beside(self, locator: str) -> SkippedFile | None:
        """Returns what a page has of other products, or a database that is silent, when ``stream`` was read."""
        if self.database is not None and self.database.silent:
            return SkippedFile(locator, f"conversations in which nothing is said: {self.database.silent:,}")
        if self.page is None or not self.page.others:
            return None
        return SkippedFile(locator, f"beside its records, {self.page.others:,} of {self.page.reader.others}")


@contextmanager
def text_of(
    stream: ByteSource, found: SourceFile, readers: Readers, pages: PageReaders, tables: TableReaders
) -> Iterator[FileText]:
    """Opens what a file is read from.

    Args:
        stream: its content, at the start.
        found: where it is.
        readers: what the sources that have databases declare.
        pages: what the sources that have pages of HTML declare.
        tables: what the sources that have tables of CSV declare.
    """
    source = Beginning(stream)
    if source.is_parquet:
        with ExitStack() as stack:
            yield _of_parquet(source, found, stack)
        return
    if not source.is_database:
        yield _of_text(source, found, pages, tables)
        return
    with ExitStack() as stack:
        yield _of_database(source, found, readers, stack)


def _of_text(source: Beginning, found: SourceFile, pages: PageReaders, tables: TableReaders) -> FileText:
    if (page := source.page(pages)) is not None:
        return _of_page(source, page, found)
    if (table := source.table(tables)) is not None:
        return FileText(Pieces(table.pieces()), table=table)
    return FileText(source, _not_text(source.beginning, found))


def _of_page(stream: ByteSource, page: PageRecords, found: SourceFile) -> FileText:
    if page.source is not None:
        return FileText(Pieces(page.pieces()), page=page)
    if found.is_named:
        return FileText(stream, rejected(found.locator, f"is a page of records: {page.reader.others}"))
    return FileText(stream, SkippedFile(found.locator, page.reader.others))


def _of_parquet(stream: ByteSource, found: SourceFile, stack: ExitStack) -> FileText:
    try:
        rows = stack.enter_context(parquet_rows(stream))
    except OSError as error:
        return FileText(stream, rejected(found.locator, "cannot be copied to be read", error))
    except UnreadableInputError as error:
        return FileText(stream, rejected(found.locator, "is no file of Parquet that can be read", error))
    return FileText(Pieces(rows.pieces()), rows=rows)


def _of_database(stream: ByteSource, found: SourceFile, readers: Readers, stack: ExitStack) -> FileText:
    try:
        copy = stack.enter_context(snapshot(stream, None if found.member else found.path))
        allowance = Allowance(copy.size)
        tables = stack.enter_context(closing(Tables(copy.path, allowance)))
        source = reader_of(readers, tables)
        if source is None:
            return FileText(stream, _unknown(found, readers, tables, copy.missing_bytes))
        index = stack.enter_context(closing(RowIndex(tables, readers[source], allowance)))
    except _COPY_ERRORS as error:
        return FileText(stream, rejected(found.locator, "cannot be copied to be read", error))
    except DamagedError as error:
        return FileText(stream, rejected(found.locator, "is damaged: its schema cannot be read", error))
    except TooMuchError as error:
        return FileText(stream, rejected(found.locator, f"is not read: {error}"))
    objects = ConversationObjects(source, readers[source], tables, index, allowance)
    return FileText(Pieces(objects.pieces()), None, objects, copy.missing_bytes)


def _unknown(found: SourceFile, readers: Readers, tables: Tables, missing_bytes: int) -> RejectedRecord | SkippedFile:
    asked = "; ".join(f"{name}: {missing_of(each, tables)}" for name, each in readers.items())
    damages = [f"its table {table} cannot be read: {why}" for table, why in sorted(tables.damages.items())]
    if missing_bytes:
        damages.insert(0, f"{missing_bytes:,} bytes are missing at its end")
    reason = "; ".join([f"a database of SQLite that no reader knows (tried {asked})", *damages])
    if found.is_named or damages:
        return rejected(found.locator, f"is {reason}")
    return SkippedFile(found.locator, reason, may_hold_conversations=True)


def _not_text(beginning: bytes, found: SourceFile) -> RejectedRecord | SkippedFile | None:
    """Returns why a file whose name is not that of JSON is not read as text; None if it may be.

    In folders and zips many programs keep files that are named like databases.
    """
    suffix = PurePosixPath(unpacked_name(found.locator)).suffix.lower()
    is_looked_into = found.is_named or suffix in READ_SUFFIXES
    if is_looked_into and (encoding := unread_encoding(beginning)) is not None:
        return rejected(found.locator, f"is {encoding}: save it as UTF-8")
    if suffix == TABLE_SUFFIX and beginning.strip() and may_be_table(beginning):
        return _unknown_table(found)
    if beginning.lstrip().startswith(_JSON_BEGINS):
        return None
    if suffix not in DATABASE_SUFFIXES | {PARQUET_SUFFIX}:
        return None if is_looked_into else SkippedFile(found.locator, f"not JSON ({suffix or 'no suffix'})")
    what = "file of Parquet" if suffix == PARQUET_SUFFIX else "database of SQLite"
    if found.is_named:
        return rejected(found.locator, f"is no {what}: {_NOT_AS_NAMED}")
    return SkippedFile(found.locator, f"not a {what} ({suffix})", may_hold_conversations=True)


def _unknown_table(found: SourceFile) -> RejectedRecord | SkippedFile:
    reason = "a table of CSV whose columns no reader knows"
    if found.is_named:
        return rejected(found.locator, f"is {reason}")
    return SkippedFile(found.locator, reason, may_hold_conversations=True)
