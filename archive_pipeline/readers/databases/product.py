"""Of which product a database is: that of a reader which declares one of its layouts."""

from __future__ import annotations

from collections.abc import Mapping

from archive_pipeline.readers.databases.tables import Tables
from archive_pipeline.readers.declaration import DatabaseReader

Readers = Mapping[str, DatabaseReader]


def reader_of(readers: Readers, tables: Tables) -> str | None:
    """Returns the source whose layout a database has; None if it has none's."""
    return next((source for source, declared in readers.items() if missing_of(declared, tables) is None), None)


def missing_of(declared: DatabaseReader, tables: Tables) -> str | None:
    """Returns what a database lacks to be of a product; None if it is."""
    lacks = [
        [table for table, columns in layout.items() if not columns <= {*tables.columns.get(table, ())}]
        for layout in declared.layouts
    ]
    return " or ".join(f"no table {', '.join(names)}" for names in lacks) if all(lacks) else None
