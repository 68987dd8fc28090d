"""The plain tables of a database that may be damaged or hostile: rows by their number, and nothing else.

No view, trigger, virtual table or computed column is ever run: the only statements read stored columns of a table, and
an authorizer refuses everything else. Where a page is damaged, reading goes on behind it.
"""

from __future__ import annotations

import hashlib
import re
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Final, cast

from archive_pipeline.domain.sql_files import load_query
from archive_pipeline.readers.blobs import StoredFile
from archive_pipeline.readers.databases.allowance import Allowance
from archive_pipeline.readers.databases.values import Text
from archive_pipeline.readers.json.scanner import MAX_ELEMENT_BYTES

_FIRST: Final = -(2**63)
_LAST: Final = 2**63 - 1
_MAX_DAMAGES: Final = 1_000  # of a table; behind so many it is not read on
_PLAIN: Final = re.compile(rb"create\s+table\b", re.IGNORECASE)
_WITHOUT_NUMBERS: Final = re.compile(rb"\bwithout\s+rowid\b", re.IGNORECASE)
_ROW_NUMBERS: Final = ("rowid", "_rowid_", "oid")  # a column of such a name hides the number
_STEPS: Final = 100_000
_BLOCK_BYTES: Final = 1024 * 1024
_ALLOWED: Final = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_TRANSACTION})
_FUNCTIONS: Final = frozenset({"typeof", "length"})
_ERRORS: Final = (sqlite3.Error, sqlite3.Warning, UnicodeDecodeError, OverflowError)


class DamagedError(Exception):
    """Something of a database cannot be read; the message says why."""


class TooLargeError(DamagedError):
    """A row has more than is read of one."""


class Tables:
    """The tables of a database, which is open until ``close``.

    Attributes:
        columns: of each table, the names of those that are stored.
        damages: of each table that cannot be read whole, what was wrong first.
        without_numbers: tables whose rows have no number. These are not read.

    Raises:
        DamagedError: it is no database, or its schema cannot be read.
    """

    def __init__(self, path: Path, allowance: Allowance) -> None:
        self.columns: dict[str, tuple[str, ...]] = {}
        self.damages: dict[str, str] = {}
        self.without_numbers: set[str] = set()
        self._allowance = allowance
        self._row_numbers: dict[str, str] = {}
        self._connection = sqlite3.connect(path, isolation_level=None)
        try:
            self._restrict()
            self._learn()
        except BaseException as error:
            self._connection.close()
            if isinstance(error, _ERRORS):
                raise DamagedError(_reason(error)) from error
            raise

    def close(self) -> None:
        """Closes the database."""
        self._connection.close()

    def _restrict(self) -> None:
        connection = self._connection
        longest = min(self._allowance.longest, MAX_ELEMENT_BYTES)
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, longest)
        connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        connection.execute(load_query("databases/distrust_schema"))
        connection.execute(load_query("databases/forbid_writing"))
        connection.set_progress_handler(lambda: self._allowance.take_steps(_STEPS), _STEPS)
        connection.set_authorizer(_authorize)
        connection.text_factory = Text

    def _learn(self) -> None:
        for name, statement in self._connection.execute(load_query("databases/list_tables")).fetchall():
            table = str(name, "utf-8", "surrogateescape")
            if not _PLAIN.match(statement or b""):
                continue
            if _WITHOUT_NUMBERS.search(statement, statement.rfind(b")")):
                self.without_numbers.add(table)
            try:
                self._learn_columns(table)
            except _ERRORS as error:
                self.damages[table] = _reason(error)

    def _learn_columns(self, table: str) -> None:
        query = load_query("databases/list_columns").format(table=_quoted(table))
        found = self._connection.execute(query).fetchall()
        names = tuple(str(row[1], "utf-8") for row in found)
        number = next((name for name in _ROW_NUMBERS if name not in {column.lower() for column in names}), None)
        if number is not None:
            self._row_numbers[table] = number
            self.columns[table] = tuple(name for name, row in zip(names, found, strict=True) if row[6] == 0)

    def scan(self, table: str, names: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        """Yields the number of each row and some of its columns; None for one that the table does not have.

        What is damaged is left out and noted in ``damages``.

        Raises:
            TooMuchError: there is more than the allowance.
        """
        if not self._can_scan(table):
            return
        query = self._query("databases/scan_rows", table, (self._row_numbers[table], *self._selected(table, names)))
        first: int | None = _FIRST
        for _ in range(_MAX_DAMAGES):
            try:
                for row in self._connection.execute(query, (first,)):
                    if first is None or row[0] < first:
                        raise sqlite3.DatabaseError("rows are out of order")
                    self._allowance.take(_size_of(row))
                    yield row
                    first = row[0] + 1 if row[0] < _LAST else None
            except _ERRORS as error:
                self.damages.setdefault(table, _reason(error))
                first = self._behind(query, first)
            else:
                return
            if first is None:
                return

    def _can_scan(self, table: str) -> bool:
        if table in self.without_numbers:
            self.damages[table] = "it is a table WITHOUT ROWID"
        return table in self.columns and table not in self.without_numbers

    def _behind(self, query: str, damaged: int | None) -> int | None:
        """Returns the first number from which on the table can be read, behind one from which it cannot."""
        if damaged is None:
            return None
        step = 1
        while not self._can_read(query, damaged + step):
            step *= 2
            if damaged + step > _LAST:
                return None
        low, high = damaged + step // 2, damaged + step
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self._can_read(query, middle) else (middle, high)
        return high

    def _can_read(self, query: str, first: int) -> bool:
        try:
            row = self._connection.execute(query, (first,)).fetchone()
        except _ERRORS:
            return False
        return row is None or row[0] >= first

    def row(self, table: str, number: int, file_column: str | None = None) -> Mapping[str, Any]:
        """Returns the values of a row by column.

        Args:
            table: one of ``columns``.
            number: of the row.
            file_column: holds the content of a file, of which size and hash are returned.

        Raises:
            TooLargeError: it is too large.
            DamagedError: it cannot be read.
            TooMuchError: there is more than the allowance.
        """
        names = self.columns[table]
        try:
            content = self._file(table, number, file_column) if file_column in names else None
            selected = ["NULL" if content and name == file_column else _quoted(name) for name in names]
            query = self._query("databases/find_row", table, selected)
            row = self._connection.execute(query, (number,)).fetchone()
        except _ERRORS as error:
            raise self._unreadable(error) from error
        if row is None:
            raise DamagedError("the row is not where it was")
        self._allowance.take(_size_of(row))
        return {
            name: content if content and name == file_column else value for name, value in zip(names, row, strict=True)
        }

    def _unreadable(self, error: Exception) -> DamagedError:
        """Returns why a row cannot be read. A value that claims to be larger than the database is damaged."""
        is_too_large = isinstance(error, sqlite3.Error) and error.sqlite_errorcode == sqlite3.SQLITE_TOOBIG
        if is_too_large and self._allowance.longest > MAX_ELEMENT_BYTES:
            return TooLargeError(f"it has more than {MAX_ELEMENT_BYTES:,} bytes")
        return DamagedError(_reason(error))

    def _file(self, table: str, number: int, column: str | None) -> StoredFile | None:
        """Returns what a column holds if that is a BLOB, which is read piece by piece; None if it is another value."""
        if column is None or (size := self.size_of_file(table, column, number)) is None:
            return None
        digest = hashlib.sha256()
        with self.open_file(table, column, number) as stream:
            while block := stream.read(_BLOCK_BYTES):
                self._allowance.take(len(block))
                digest.update(block)
        return StoredFile(digest.hexdigest(), size)

    def size_of_file(self, table: str, column: str, number: int) -> int | None:
        """Returns the bytes of a BLOB; None if the column has another value.

        Raises:
            DamagedError: it cannot be read.
        """
        query = load_query("databases/type_of_content").format(
            table=_quoted(table), column=_quoted(column), row_number=self._row_numbers[table]
        )
        try:
            found = self._connection.execute(query, (number,)).fetchone()
        except _ERRORS as error:
            raise DamagedError(_reason(error)) from error
        return None if found is None else found[1]

    def open_file(self, table: str, column: str, number: int) -> BinaryIO:
        """Opens what a column holds, a BLOB."""
        return cast("BinaryIO", self._connection.blobopen(table, column, number, readonly=True))

    def _selected(self, table: str, names: Sequence[str]) -> list[str]:
        return [_quoted(name) if name in self.columns[table] else "NULL" for name in names]

    def _query(self, name: str, table: str, columns: Sequence[str]) -> str:
        return load_query(name).format(
            table=_quoted(table), columns=", ".join(columns), row_number=self._row_numbers[table]
        )


def _authorize(action: int, first: str | None, second: str | None, _database: str | None, inner: str | None) -> int:
    """Allows what the statements here do, none of which reads anything by way of a view or a trigger."""
    is_allowed = (
        action in _ALLOWED
        or (action == sqlite3.SQLITE_READ and inner is None)
        or (action == sqlite3.SQLITE_FUNCTION and second in _FUNCTIONS)
        or (action == sqlite3.SQLITE_PRAGMA and first == "table_xinfo")
    )
    return sqlite3.SQLITE_OK if is_allowed else sqlite3.SQLITE_DENY


def _quoted(name: str) -> str:
    escaped = name.replace('"', '""')
    return f'"{escaped}"'


def _size_of(row: Sequence[Any]) -> int:
    return sum(len(value) if isinstance(value, bytes) else 8 for value in row)


def _reason(error: BaseException) -> str:
    return f"{error}" or type(error).__name__
