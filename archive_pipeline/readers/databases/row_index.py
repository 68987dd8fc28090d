"""Which rows belong to which conversation: the keys of a database in one of our own, and the queries of its reader.

The copy has what the original may lack: an index on each key, every table that the queries name, and no damage. It is
in a file without a name, of which SQLite holds little in memory.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any, Final

from archive_pipeline.domain.sql_files import load_query
from archive_pipeline.readers.databases.allowance import Allowance, TooMuchError
from archive_pipeline.readers.databases.tables import Tables
from archive_pipeline.readers.databases.values import Text
from archive_pipeline.readers.declaration import DatabaseReader, Entries

_TEMPORARY: Final = ""
_STEPS: Final = 100_000


class RowIndex:
    """The keys of a database, there until ``close``.

    Raises:
        TooMuchError: there are more of them than a file of its size can hold.
    """

    def __init__(self, tables: Tables, declared: DatabaseReader, allowance: Allowance) -> None:
        self._declared = declared
        self._connection = sqlite3.connect(_TEMPORARY, isolation_level=None)
        try:
            for table, keys in declared.keys.items():
                self._copy(tables, table, keys)
        except BaseException:
            self._connection.close()
            raise
        self._connection.set_progress_handler(lambda: allowance.take_steps(_STEPS), _STEPS)

    def close(self) -> None:
        """Forgets the keys."""
        self._connection.close()

    def _copy(self, tables: Tables, table: str, keys: Sequence[str]) -> None:
        columns = ", ".join(keys)
        self._connection.execute(load_query("databases/create_index_table").format(table=table, key_columns=columns))
        insert = load_query("databases/insert_index_row").format(table=table, values=", ".join("?" * (len(keys) + 1)))
        self._connection.execute(load_query("databases/begin"))
        self._connection.executemany(insert, _keys(tables, table, keys, self._declared.entries.get(table)))
        for key in keys:
            create = load_query("databases/create_index")
            self._connection.execute(create.format(name=f"{table}_by_{key}", table=table, column=key))
        self._connection.execute(load_query("databases/commit"))

    def conversations(self) -> Iterator[Any]:
        """Yields the ids of the conversations, in the order of the reader."""
        for (name,) in self._rows(self._declared.conversations):
            yield name

    def rows(self, conversation: Any) -> Iterator[tuple[str, int]]:
        """Yields table and number of the rows of a conversation, in the order of the reader."""
        yield from self._rows(self._declared.rows, {"id": conversation})

    def _rows(self, query: str, parameters: Any = ()) -> Iterator[Any]:
        try:
            yield from self._connection.execute(load_query(query), parameters)
        except sqlite3.OperationalError as error:
            raise TooMuchError("which rows belong together takes too long to find") from error


def found_entries(tables: Tables, table: str, entries: Entries) -> Iterator[tuple[int, dict[str, str | None]]]:
    """Yields the number of each row whose key is that of a conversation, and what the pattern finds in the key."""
    for number, key in tables.scan(table, (entries.key,)):
        found = entries.pattern.fullmatch(key.decode("utf-8", "replace")) if isinstance(key, bytes) else None
        if found is not None:
            yield number, found.groupdict()


def _keys(tables: Tables, table: str, keys: Sequence[str], entries: Entries | None) -> Iterator[tuple[Any, ...]]:
    if entries is None:
        yield from (tuple(map(_as_key, row)) for row in tables.scan(table, keys))
        return
    for number, groups in found_entries(tables, table, entries):
        yield (number, *map(groups.get, keys))


def _as_key(value: Any) -> Any:
    """Returns a value as one that is equal where those of the database are; a text that is not UTF-8 as its bytes."""
    if not isinstance(value, Text):
        return value
    try:
        return value.decode()
    except UnicodeDecodeError:
        return bytes(value)
