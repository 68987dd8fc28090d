"""Of which product a database is: that of a reader which declares one of its layouts."""

from __future__ import annotations

from collections.abc import Mapping

from archive_pipeline.readers.databases.row_index import found_entries
from archive_pipeline.readers.databases.tables import Tables
from archive_pipeline.readers.declaration import DatabaseReader

Readers = Mapping[str, DatabaseReader]


def reader_of(readers: Readers, tables: Tables) -> str | None:
    """Returns the source whose layout a database has; None if it has none's."""
    return next((source for source, declared in readers.items() if missing_of(declared, tables) is None), None)


def missing_of(declared: DatabaseReader, tables: Tables) -> str | None:
    """Returns what a database lacks to be of a product; None if it is."""
    lacks = [
        [_name(declared, table) for table, of in layout.items() if not _is_there(declared, tables, table, of)]
        for layout in declared.layouts
    ]
    return " or ".join(f"no table {', '.join(names)}" for names in lacks) if all(lacks) else None


def _name(declared: DatabaseReader, table: str) -> str:
    is_shared = table in declared.entries and not declared.entries[table].is_own
    return f"{table} with keys of conversations" if is_shared else table


def _is_there(declared: DatabaseReader, tables: Tables, table: str, columns: frozenset[str]) -> bool:
    if not columns <= {*tables.columns.get(table, ())}:
        return False
    entries = declared.entries.get(table)
    return entries is None or entries.is_own or next(found_entries(tables, table, entries), None) is not None
