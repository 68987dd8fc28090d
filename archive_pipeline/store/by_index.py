"""Looking rows up by an index, or counting whole tables, whatever the planner takes a table for.

While a table grows, its statistics are those of an empty one. By these some hundred dialogues are all that there are,
so that every look-up of theirs would read the whole table, until PostgreSQL has looked at the table again.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import psycopg

# For the session, and for the present transaction.
SESSION_BY_INDEX: Final = "SET enable_seqscan = off"
TRANSACTION_BY_INDEX: Final = "SET LOCAL enable_seqscan = off"


@contextmanager
def by_index(connection: psycopg.Connection[Any]) -> Iterator[None]:
    """Read no whole table that has an index for what is asked, until the end of the block.

    Args:
        connection: in a transaction.
    """
    connection.execute(TRANSACTION_BY_INDEX)
    yield
    connection.execute("SET LOCAL enable_seqscan TO DEFAULT")


@contextmanager
def by_whole_tables(connection: psycopg.Connection[Any]) -> Iterator[None]:
    """Join no table row by row, until the end of the block: for counts over the whole archive.

    Rows that the planner takes for a few, as of a table never analyzed, would each be compared with all others.

    Args:
        connection: in a transaction.
    """
    connection.execute("SET LOCAL enable_nestloop = off")
    yield
    connection.execute("SET LOCAL enable_nestloop TO DEFAULT")
