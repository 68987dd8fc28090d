"""Comparing computed rows with the stored ones inside the database, key by key."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import psycopg
from psycopg import sql
from psycopg.rows import class_row
from sqlalchemy import Integer, MetaData, Table

from archive_pipeline.store.copy import copy_frame
from archive_pipeline.store.tables.base import DIALOGUE, says_own_dialogue

if TYPE_CHECKING:
    import pandas as pd

MISSING: Final = "missing"
EXTRA: Final = "extra"
DIFFERENT: Final = "different"
KINDS: Final = (MISSING, EXTRA, DIFFERENT)
# Per table and kind, and comparison.
EXAMPLES: Final = 3


@dataclass(frozen=True, slots=True)
class DriftingRow:
    """A row that is not as it should be.

    Attributes:
        kind: missing, extra or different.
        key: its primary key, values joined by a space, without the dialogue after an id.
        columns: the columns that differ, for a different row.
    """

    kind: str
    key: str
    columns: tuple[str, ...]


@dataclass
class TableDrift:
    """What is wrong with rows of one table.

    Attributes:
        rows: rows that were computed.
        counts: rows by kind: missing, extra, different.
        examples: a few of them.
    """

    rows: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    examples: list[DriftingRow] = field(default_factory=list)

    @property
    def total(self) -> int:
        """How many rows are wrong."""
        return self.counts.total()

    def add(self, other: TableDrift) -> None:
        """Add what was found elsewhere in the table, with no more examples than one comparison gives."""
        self.rows += other.rows
        self.counts += other.counts
        for kind in KINDS:
            known = sum(1 for example in self.examples if example.kind == kind)
            self.examples += [example for example in other.examples if example.kind == kind][: EXAMPLES - known]


class _Drift(NamedTuple):
    kind: str
    key: str
    columns: list[str]
    total: int


def compare_rows(
    connection: psycopg.Connection[Any],
    table: Table,
    rows: pd.DataFrame,
    owner_ids: Sequence[str],
    *,
    owner: str = DIALOGUE,
) -> TableDrift:
    """Load the computed rows beside the stored ones, the same way they are loaded in a build, and compare them.

    Args:
        connection: in a transaction, in which the table of computed rows lives.
        table: a derived table.
        rows: all that the table should hold of the dialogues or documents.
        owner_ids: the dialogues or documents.
        owner: the column that says whose a row is; a table without it follows its parent.
    """
    copy = table.to_metadata(MetaData(), schema="pg_temp", name=f"rebuilt_{table.name}")
    stored, rebuilt = sql.Identifier(str(table.schema), table.name), sql.Identifier("pg_temp", copy.name)
    connection.execute(
        sql.SQL("CREATE TEMPORARY TABLE {} (LIKE {}) ON COMMIT DROP").format(sql.Identifier(copy.name), stored)
    )
    copy_frame(connection, copy, rows)
    query = _query(table, owner, list(rows.columns), stored, rebuilt)
    parameters = {"owner_ids": list(owner_ids), "examples": EXAMPLES, "nothing": []}
    with connection.cursor(row_factory=class_row(_Drift)) as cursor:
        found = cursor.execute(query, parameters).fetchall()
    connection.execute(sql.SQL("DROP TABLE {}").format(rebuilt))
    return TableDrift(
        len(rows),
        Counter({row.kind: row.total for row in found}),
        [DriftingRow(row.kind, row.key, tuple(row.columns)) for row in found],
    )


def _query(
    table: Table, owner: str, names: Sequence[str], stored: sql.Composable, rebuilt: sql.Composable
) -> sql.Composed:
    """Return the query for examples of drift, each with the total of its kind."""
    key = [column.name for column in table.primary_key.columns]
    others = [column for column in table.primary_key.columns if column.name != DIALOGUE]
    says_dialogue = any(not isinstance(column.type, Integer) for column in others)  # an id does, a page does not
    shown = [column.name for column in others] if says_dialogue else key
    return sql.SQL(
        "SELECT kind, key, columns, total FROM (SELECT kind, key, columns, count(*) OVER (PARTITION BY kind) AS total,"
        " row_number() OVER (PARTITION BY kind ORDER BY key) AS place FROM ("
        "SELECT CASE WHEN r.{first} IS NULL THEN 'extra' WHEN s.{first} IS NULL THEN 'missing' ELSE 'different' END"
        " AS kind, concat_ws(' ', {key}) AS key, CASE WHEN r.{first} IS NULL OR s.{first} IS NULL THEN %(nothing)s"
        " ELSE array_remove(ARRAY[{columns}], NULL) END AS columns"
        " FROM (SELECT {names} FROM {stored} WHERE {belongs}) AS s FULL JOIN {rebuilt} AS r ON {same_key}"
        " WHERE r.{first} IS NULL OR s.{first} IS NULL OR ({of_stored}) IS DISTINCT FROM ({of_rebuilt})"
        ") AS drift) AS numbered WHERE place <= %(examples)s ORDER BY kind, key"
    ).format(
        first=sql.Identifier(key[0]),
        key=_listed("coalesce(s.{0}, r.{0})::text", shown),
        columns=sql.SQL(", ").join(
            sql.SQL("CASE WHEN s.{0} IS DISTINCT FROM r.{0} THEN {1} END").format(sql.Identifier(name), name)
            for name in names
        ),
        names=_listed("{}", names),
        stored=stored,
        belongs=_belongs(table, owner),
        rebuilt=rebuilt,
        same_key=sql.SQL(" AND ").join(sql.SQL("s.{0} = r.{0}").format(sql.Identifier(name)) for name in key),
        of_stored=_listed("s.{}", names),
        of_rebuilt=_listed("r.{}", names),
    )


def _listed(pattern: str, names: Sequence[str]) -> sql.Composed:
    return sql.SQL(", ").join(sql.SQL(pattern).format(sql.Identifier(name)) for name in names)


def _belongs(table: Table, owner: str) -> sql.Composable:
    """Return the condition under which a row is of the owners; tables without that column follow their parent."""
    if owner in table.columns and not (owner == DIALOGUE and not says_own_dialogue(table)):
        return sql.SQL("{} = ANY(%(owner_ids)s::uuid[])").format(sql.Identifier(owner))
    [key] = table.foreign_key_constraints
    columns = sql.SQL(", ").join(map(sql.Identifier, key.column_keys))
    of_parent = sql.SQL(", ").join(sql.Identifier(element.column.name) for element in key.elements)
    parent = sql.Identifier(str(key.referred_table.schema), key.referred_table.name)
    return sql.SQL("({}) IN (SELECT {} FROM {} WHERE {} = ANY(%(owner_ids)s::uuid[]))").format(
        columns, of_parent, parent, sql.Identifier(owner)
    )
