"""The conversations of a database as a JSON array, written row by row; memory holds one row.

What cannot be read is left out, named in the object of its conversation, and told once for each table.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any, Final

import orjson

from archive_pipeline.domain.records import RejectedRecord
from archive_pipeline.readers.databases.allowance import TooMuchError
from archive_pipeline.readers.databases.row_index import RowIndex
from archive_pipeline.readers.databases.tables import DamagedError, Tables
from archive_pipeline.readers.databases.values import Text, as_json, flag_as_json, json_of, name_as_json
from archive_pipeline.readers.declaration import DatabaseReader

DATABASE: Final = b"database"
CONVERSATION_ID: Final = b"conversation_id"
TABLES: Final = b"tables"
UNREADABLE_ROWS: Final = b"unreadable_rows"


class ConversationObjects:
    """Writes the conversations of a database, and notes what cannot be read.

    Attributes:
        source: of which reader they are.
        count: how many conversations were begun.
    """

    def __init__(self, source: str, declared: DatabaseReader, tables: Tables, index: RowIndex) -> None:
        self.count = 0
        self.source = source
        self._declared = declared
        self._tables = tables
        self._index = index
        self._unreadable: Counter[str] = Counter()
        self._first_reasons: dict[str, str] = {}
        self._left_out: str | None = None

    def pieces(self) -> Iterator[bytes]:
        """Yields the array."""
        yield b"["
        try:
            for conversation in self._index.conversations():
                yield b",\n" if self.count else b"\n"
                self.count += 1
                yield from self._object(conversation)
                if self._left_out is not None:
                    break
        except TooMuchError as error:
            self._left_out = str(error)
        yield b"\n]\n"

    def rejected(self, locator: str) -> Iterator[RejectedRecord]:
        """Yields what cannot be read: one record for each table, and one for what is more than the allowance.

        Args:
            locator: of the file.
        """
        for table, count in sorted(self._unreadable.items()):
            reason = f"{locator} is damaged: {count:,} rows of its table {table} are missing from their conversations"
            yield RejectedRecord(f"{locator}: {table}", reason, self._first_reasons[table])
        for table, error in sorted(self._tables.damages.items()):
            if table in self._declared.keys:
                reason = f"{locator} is damaged: rows of its table {table} cannot be read, and are in no conversation"
                yield RejectedRecord(f"{locator}: {table}", reason, error)
        if self._left_out is not None:
            reason = f"{locator} is not read behind its conversation {self.count:,}: {self._left_out}"
            yield RejectedRecord(locator, reason, whole_file=True)

    def _object(self, conversation: Any) -> Iterator[bytes]:
        whole = self._declared.whole_rows
        if whole is None:
            yield from self._of_tables(conversation)
            return
        unreadable: list[Any] = []
        numbers = map(itemgetter(1), self._index.rows(conversation))
        found = b"".join(self._items(whole.table, numbers, unreadable))
        if self._left_out is not None:
            unreadable.append({"reason": self._left_out})
        yield found or b'{"%b":%b}' % (UNREADABLE_ROWS, orjson.dumps(unreadable))

    def _of_tables(self, conversation: Any) -> Iterator[bytes]:
        unreadable = self._damages()
        name = conversation.encode() if isinstance(conversation, str) else conversation
        yield b'{"%b":%b,"%b":%b,"%b":{' % (
            *(DATABASE, name_as_json(self.source)),
            *(CONVERSATION_ID, as_json(Text(name) if isinstance(name, bytes) else name)),
            TABLES,
        )
        try:
            yield from self._arrays(conversation, unreadable)
        except TooMuchError as error:
            self._left_out = str(error)
        yield b"}"
        if self._left_out is not None:
            unreadable.append({"reason": self._left_out})
        if unreadable:
            yield b',"%b":%b' % (UNREADABLE_ROWS, orjson.dumps(unreadable))
        yield b"}"

    def _damages(self) -> list[Any]:
        """Returns the tables of which nobody knows which rows are missing: any conversation may lack some."""
        damages = sorted(self._tables.damages.items())
        return [{"table": table, "reason": why} for table, why in damages if table in self._declared.keys]

    def _arrays(self, conversation: Any, unreadable: list[Any]) -> Iterator[bytes]:
        separator = b""
        for table, rows in groupby(self._index.rows(conversation), key=itemgetter(0)):
            yield separator + name_as_json(table) + b":["
            yield from self._items(table, map(itemgetter(1), rows), unreadable)
            yield b"]"
            separator = b","
            if self._left_out is not None:
                return

    def _items(self, table: str, numbers: Iterator[int], unreadable: list[Any]) -> Iterator[bytes]:
        separator = b""
        try:
            for number in numbers:
                row = self._row(table, number, unreadable)
                if row is not None:
                    yield separator + row
                    separator = b","
        except TooMuchError as error:
            self._left_out = str(error)

    def _row(self, table: str, number: int, unreadable: list[Any]) -> bytes | None:
        files = self._declared.files
        file_column = files.content if files is not None and files.table == table else None
        try:
            row = self._tables.row(table, number, file_column)
        except DamagedError as error:
            unreadable.append({"table": table, "row": number, "reason": str(error)})
            self._unreadable[table] += 1
            self._first_reasons.setdefault(table, str(error))
            return None
        declared = self._declared
        fields = (name_as_json(name) + b":" + _encoder(declared, table, name)(value) for name, value in row.items())
        return b"{" + b",".join(fields) + b"}"


def _encoder(declared: DatabaseReader, table: str, column: str) -> Callable[[Any], bytes]:
    if column in declared.json.get(table, ()):
        return json_of
    return flag_as_json if declared.whole_rows is not None and column in declared.whole_rows.flags else as_json
