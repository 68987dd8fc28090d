"""Shared pieces of the table declarations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import Column, ForeignKey, ForeignKeyConstraint, MetaData, PrimaryKeyConstraint, Table, Uuid

NAMING: Final = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}
RAW: Final = "raw"
DERIVED: Final = "derived"

# What ``info`` of a table says whose rows a derived asset replaces dialogue by dialogue.
ROWS_OF_DIALOGUES: Final = {"rows_of": "dialogues"}
# The same of a table whose rows are mostly texts that are longer than a line.
LONG_ROWS_OF_DIALOGUES: Final = {**ROWS_OF_DIALOGUES, "has_long_texts": True}
# The column that every unique key and every foreign key of a table of rows of dialogues contains (decision 20).
DIALOGUE: Final = "dialogue_id"
# What ``info`` of that column says where a row's parent, which it goes with, says the same.
AS_PARENT: Final = {"repeats": "parent"}

metadata: Final = MetaData(naming_convention=NAMING)


def uuid_column(name: str, comment: str, *constraints: ForeignKey, **options: Any) -> Column[str]:
    """Return a uuid column that Python sees as canonical strings; NOT NULL unless ``nullable=True``."""
    options.setdefault("nullable", False)
    return Column(name, Uuid(as_uuid=False), *constraints, comment=comment, **options)


def dialogue_column(**options: Any) -> Column[str]:
    """Return the foreign key to the dialogue, which takes its rows along when it is deleted."""
    return uuid_column(
        DIALOGUE, "Dialogue the row belongs to", ForeignKey("raw.dialogues.id", ondelete="CASCADE"), **options
    )


def parents_dialogue_column(**options: Any) -> Column[str]:
    """Return the dialogue of a row that has a foreign key to another row of the same dialogue, and goes with that."""
    return uuid_column(DIALOGUE, "Dialogue of the row it belongs to", info=AS_PARENT, **options)


def dialogue_first(column: str) -> PrimaryKeyConstraint:
    """Return the primary key of rows that a hash is the id of: the dialogue, then the id.

    Rows of a dialogue are written together, and go to the same page of the index; by their ids each would go to another
    one. Who looks for an id alone has an index of it, which is made after a first load (``store.later_indexes``).
    """
    return PrimaryKeyConstraint(DIALOGUE, column)


def says_own_dialogue(table: Table) -> bool:
    """Tell whether rows have a dialogue of their own, by which they are deleted; others go with their parent."""
    return DIALOGUE in table.columns and not AS_PARENT.items() <= table.columns[DIALOGUE].info.items()


def same_dialogue_key(column: str, parent: str, **options: Any) -> ForeignKeyConstraint:
    """Return the foreign key to a row of the same dialogue, which takes the rows that refer to it along.

    Args:
        column: the column with the parent's id.
        parent: the parent's column, as ``schema.table.column``.
        options: of the constraint.
    """
    table = parent.rpartition(".")[0]
    return ForeignKeyConstraint([column, DIALOGUE], [parent, f"{table}.{DIALOGUE}"], ondelete="CASCADE", **options)


def message_key(column: str = "message_id", **options: Any) -> ForeignKeyConstraint:
    """Return the foreign key to a message of the same dialogue."""
    return same_dialogue_key(column, "raw.messages.id", **options)


def one_of(column: str, values: Sequence[str]) -> str:
    """Return the SQL of a check constraint that allows the given values only."""
    listed = ", ".join(f"'{value}'" for value in values)
    return f"{column} IN ({listed})"


def has_long_texts(table: Table) -> bool:
    """Tell whether rows are mostly texts that are longer than a line."""
    return bool(table.info.get("has_long_texts"))
