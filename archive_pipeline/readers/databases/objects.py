"""The conversations of a database as a JSON array, written row by row; memory holds one row.

What cannot be read is left out, named in the object of its conversation, and told once for each table.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import groupby, islice
from operator import itemgetter
from typing import Any, Final

import orjson

from archive_pipeline.domain.records import RejectedRecord
from archive_pipeline.readers.databases.allowance import Allowance, TooMuchError
from archive_pipeline.readers.databases.packed import unpacked
from archive_pipeline.readers.databases.row_index import RowIndex
from archive_pipeline.readers.databases.tables import DamagedError, Tables, TooLargeError
from archive_pipeline.readers.databases.values import (
    Text,
    as_json,
    entry_as_json,
    flag_as_json,
    json_of,
    key_as_json,
    name_as_json,
    parse_entry,
)
from archive_pipeline.readers.declaration import DatabaseReader, WholeRows
from archive_pipeline.readers.json.nesting import as_json as value_as_json

DATABASE: Final = b"database"
CONVERSATION_ID: Final = b"conversation_id"
TABLES: Final = b"tables"
UNREADABLE_ROWS: Final = b"unreadable_rows"
_DAMAGED: Final = "is damaged"
_TOO_LARGE: Final = "has rows that are too large"
_NO_NUMBERS: Final = "has a table whose rows have no number (WITHOUT ROWID), which is not read"
_MOST_BESIDE: Final = 3  # so many rows are more than an entry and what another table says of it


class ConversationObjects:
    """Writes the conversations of a database, and notes what cannot be read.

    Attributes:
        source: of which reader they are.
        count: how many conversations were begun.
        silent: how many there are in which nothing is said.
    """

    def __init__(
        self, source: str, declared: DatabaseReader, tables: Tables, index: RowIndex, allowance: Allowance
    ) -> None:
        self.count = 0
        self.silent = 0
        self.source = source
        self._declared = declared
        self._tables = tables
        self._index = index
        self._allowance = allowance
        self._unreadable: Counter[tuple[str, str]] = Counter()  # by table and cause
        self._first_reasons: dict[tuple[str, str], str] = {}
        self._left_out: str | None = None

    def pieces(self) -> Iterator[bytes]:
        """Yields the array."""
        yield b"["
        try:
            for pieces in self._objects():
                yield b",\n" if self.count else b"\n"
                self.count += 1
                yield from pieces
                if self._left_out is not None:
                    break
        except TooMuchError as error:
            self._left_out = str(error)
        yield b"\n]\n"

    def rejected(self, locator: str) -> Iterator[RejectedRecord]:
        """Yields what cannot be read: one record for each table and cause, and one for what is more than the allowance.

        Args:
            locator: of the file.
        """
        for (table, cause), count in sorted(self._unreadable.items()):
            reason = f"{locator} {cause}: {count:,} rows of its table {table} are missing from their conversations"
            yield RejectedRecord(f"{locator}: {table}", reason, self._first_reasons[table, cause])
        for table, error in sorted(self._tables.damages.items()):
            if table in self._declared.keys:
                cause = _NO_NUMBERS if table in self._tables.without_numbers else _DAMAGED
                reason = f"{locator} {cause}: rows of its table {table} cannot be read, and are in no conversation"
                yield RejectedRecord(f"{locator}: {table}", reason, error)
        if self._left_out is not None:
            reason = f"{locator} is not read behind its conversation {self.count:,}: {self._left_out}"
            yield RejectedRecord(locator, reason, whole_file=True)

    def _objects(self) -> Iterator[Iterator[bytes]]:
        """Yields the pieces of each object."""
        for conversation in self._index.conversations():
            entry = self._only_entry(conversation)
            if entry is not None:
                yield from self._of_entry(conversation, *entry)
            elif self._declared.whole_rows is not None:
                yield self._of_whole_rows(conversation, self._declared.whole_rows)
            else:
                yield self._of_tables(conversation)

    def _only_entry(self, conversation: Any) -> tuple[str, Any, Any] | None:
        """Returns table, key and value of the only entry of a conversation; None if it has more, or another value."""
        entries = self._declared.entries
        rows = [*islice(self._index.rows(conversation), _MOST_BESIDE)] if entries else []
        own = [row for row in rows if row[0] in entries]
        if len(rows) == _MOST_BESIDE or len(own) != 1:
            return None
        [(table, number)] = own
        try:
            row = self._tables.row(table, number)
            return table, row[entries[table].key], parse_entry(row[entries[table].value])
        except (DamagedError, ValueError, TypeError, KeyError):
            return None  # told where its rows are read

    def _of_entry(self, conversation: Any, table: str, key: Any, value: Any) -> Iterator[Iterator[bytes]]:
        entries = self._declared.entries[table]
        found = entries.said(value)
        self.silent += entries.is_own and not found  # else it only lists conversations that stand elsewhere
        for said in found:
            if said is value:
                yield self._of_tables(conversation)
            else:
                value_of = entry_as_json(value_as_json(said), self._declared.secrets)
                fields = {entries.key: key_as_json(key), entries.value: value_of}
                yield iter([*self._head(conversation), name_as_json(table), b":[", _object(fields), b"]}}"])

    def _of_whole_rows(self, conversation: Any, whole: WholeRows) -> Iterator[bytes]:
        unreadable: list[Any] = []
        numbers = map(itemgetter(1), self._index.rows(conversation))
        found = b"".join(self._items(whole.table, numbers, unreadable))
        if self._left_out is not None:
            unreadable.append({"reason": self._left_out})
        yield found or b'{"%b":%b}' % (UNREADABLE_ROWS, orjson.dumps(unreadable))

    def _head(self, conversation: Any) -> Iterator[bytes]:
        name = conversation.encode() if isinstance(conversation, str) else conversation
        yield b'{"%b":%b,"%b":%b,"%b":{' % (
            *(DATABASE, name_as_json(self.source)),
            *(CONVERSATION_ID, as_json(Text(name) if isinstance(name, bytes) else name)),
            TABLES,
        )

    def _of_tables(self, conversation: Any) -> Iterator[bytes]:
        unreadable = self._damages()
        yield from self._head(conversation)
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
            row = unpacked(row, self._declared.packed.get(table, frozenset()), self._allowance)
        except DamagedError as error:
            unreadable.append({"table": table, "row": number, "reason": str(error)})
            cause = _TOO_LARGE if isinstance(error, TooLargeError) else _DAMAGED
            self._unreadable[table, cause] += 1
            self._first_reasons.setdefault((table, cause), str(error))
            return None
        declared = self._declared
        return _object({name: _encoder(declared, table, name)(value) for name, value in row.items()})


def _object(fields: Mapping[str, bytes]) -> bytes:
    return b"{" + b",".join(name_as_json(name) + b":" + value for name, value in fields.items()) + b"}"


def _encoder(declared: DatabaseReader, table: str, column: str) -> Callable[[Any], bytes]:
    if table in declared.entries and column == declared.entries[table].value:
        return partial(entry_as_json, secrets=declared.secrets)
    if table in declared.entries and column == declared.entries[table].key:
        return key_as_json
    if column in declared.packed.get(table, ()):
        return partial(entry_as_json, secrets=declared.secrets)
    if column in declared.json.get(table, ()):
        return partial(entry_as_json, secrets=declared.secrets) if declared.secrets else json_of
    return flag_as_json if declared.whole_rows is not None and column in declared.whole_rows.flags else as_json
