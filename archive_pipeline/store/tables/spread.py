"""Which tables are spread over partitions or machines, and by which column (decision 20).

Rows of dialogues are spread by their dialogue: all rows of one dialogue are in one place, and their keys can be checked
there. What belongs to no dialogue is on every machine (a reference table of Citus), but for the postings of the lexical
index, which are spread by their term.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import PrimaryKeyConstraint, Table, UniqueConstraint

from archive_pipeline.store.tables.base import DIALOGUE, metadata
from archive_pipeline.store.tables.lexical import search_postings
from archive_pipeline.store.tables.raw import dialogues

_BY_OTHERS: Final = {search_postings: "term"}


def tables_of_dialogues() -> tuple[Table, ...]:
    """Return the tables that have a foreign key to dialogues, directly or through others, after ``raw.dialogues``.

    Parents come before children.
    """
    found = {dialogues}
    for table in metadata.sorted_tables:
        if any(key.referred_table in found for key in table.foreign_key_constraints):
            found.add(table)
    return tuple(table for table in metadata.sorted_tables if table in found)


def spread_column(table: Table) -> str | None:
    """Return the column that a table is spread by; None for one that is whole on every machine."""
    if table is dialogues:
        return "id"
    return DIALOGUE if table in tables_of_dialogues() else _BY_OTHERS.get(table)


def unspreadable(table: Table) -> list[str]:
    """Return the keys that keep a table from being spread as ``spread_column`` says, each with the reason; else none.

    A partition or a machine can check a unique key only if that contains the column, and a foreign key only if the
    other row is in the same place: by the same column of both tables, or in a table that is whole everywhere.
    """
    column = spread_column(table)
    found = [
        f"{table.fullname}: the unique key {', '.join(names)} lacks {column}"
        for names in _unique_keys(table)
        if column is not None and column not in names
    ]
    for key in table.foreign_key_constraints:
        other = spread_column(key.referred_table)
        pairs = {(element.parent.name, element.column.name) for element in key.elements}
        if other is not None and (column, other) not in pairs:
            found.append(f"{table.fullname}: the foreign key {', '.join(key.column_keys)} leads to another place")
    return found


def citus_statements() -> list[str]:
    """Return the statements that make the tables reference and distributed ones of Citus, parents before children."""
    whole, spread = [], []
    for table in metadata.sorted_tables:
        column = spread_column(table)
        if column is None:
            whole.append(f"SELECT create_reference_table('{table.fullname}');")
        elif table in (dialogues, *_BY_OTHERS):
            spread.append(f"SELECT create_distributed_table('{table.fullname}', '{column}', colocate_with => 'none');")
        else:
            arguments = f"'{table.fullname}', '{column}', colocate_with => '{dialogues.fullname}'"
            spread.append(f"SELECT create_distributed_table({arguments});")
    return whole + spread


def _unique_keys(table: Table) -> list[list[str]]:
    keys = [key for key in table.constraints if isinstance(key, PrimaryKeyConstraint | UniqueConstraint)]
    indexes = [index for index in table.indexes if index.unique]
    return [[column.name for column in each.columns] for each in (*keys, *indexes)]
