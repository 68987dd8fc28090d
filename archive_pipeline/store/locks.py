"""Advisory locks in the archive's database: their keys, in one place so that no two mean the same; holding them.

A lock of a session belongs to a connection of its own, so the server releases it when the process is gone, however it
ended. A lock of a transaction ends with that transaction.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import psycopg
import sqlalchemy

from archive_pipeline.domain.reasons import first_line
from archive_pipeline.store.database import Database
from archive_pipeline.store.sql_files import load_query

# Held while the schema is migrated: two processes that start at once take turns.
MIGRATION: Final = 4_201_730_116
# Held by whoever writes to the archive, from the first file to the last derived row.
ARCHIVE_WRITER: Final = 4_201_730_117
# Held while Dagster's own tables are created.
DAGSTER_TABLES: Final = 4_201_730_118
# Held by whoever embeds and indexes.
INDEXER: Final = 4_201_730_119
# First key of a pair, the second is the beginning of a path: one client at a time stores paths that begin alike.
API_BEGINNING: Final = 420_174
# First key of a pair, the second is a partition key that two dialogues may claim: one transaction at a time writes it.
PARTITION_KEY: Final = 420_175
# Held by a transaction that rewrites segments of the lexical index; whoever has it takes no other lock any more but, if
# they are free, those of the writers.
LEXICAL_INDEX: Final = 4_201_730_120
# Held by a transaction from when it is given numbers of chunks until it ends, together with others that are; alone by
# one that rewrites segments over numbers which none of them has.
LEXICAL_WRITERS: Final = 4_201_730_121
# Held for a moment by who is given numbers of chunks.
CHUNK_NUMBERS: Final = 4_201_730_122

# What is said before waiting for a lock of a session.
WAITING: Final[Mapping[int, str]] = {
    ARCHIVE_WRITER: "another process is writing to this archive; waiting for it to finish",
    INDEXER: "another process is indexing this archive; waiting for it to finish",
}

_log = logging.getLogger(__name__)


def silent(_message: str) -> None:
    """Say nothing."""


@contextlib.contextmanager
def held(database: Database, key: int, on_wait: Callable[[str], None] = silent) -> Iterator[None]:
    """Hold a lock of ``WAITING`` in a session of its own; wait for another process that has it.

    Args:
        database: the archive.
        key: of the lock.
        on_wait: called once with the message for people, before waiting.
    """
    with contextlib.closing(psycopg.connect(database.session_conninfo, autocommit=True)) as connection:
        if not _hold_if_free(connection, key):
            on_wait(WAITING[key])
            connection.execute(load_query("locks/hold"), {"key": key})
        with _released_at_the_end(connection, key):
            yield


@contextlib.contextmanager
def held_if_free(database: Database, key: int) -> Iterator[bool]:
    """Hold a lock in a session of its own if nobody else has it; yield whether it is held. Never waits."""
    with contextlib.closing(psycopg.connect(database.session_conninfo, autocommit=True)) as connection:
        if not _hold_if_free(connection, key):
            yield False
            return
        with _released_at_the_end(connection, key):
            yield True


def hold_in_transaction(
    connection: psycopg.Connection[Any] | sqlalchemy.Connection, key: int, part: str | None = None
) -> None:
    """Wait for a lock and hold it until the end of the connection's transaction.

    Args:
        connection: of psycopg, or of SQLAlchemy with any driver.
        key: of the lock; the first one of a pair if there is a part.
        part: which of the things that the lock is about; None if it is one.
    """
    run = connection.exec_driver_sql if isinstance(connection, sqlalchemy.Connection) else connection.execute
    if part is None:
        run(load_query("locks/hold_in_transaction"), {"key": key})
    else:
        run(load_query("locks/hold_part_in_transaction"), {"key": key, "part": part})


def hold_shared_in_transaction(connection: psycopg.Connection[Any], key: int) -> None:
    """Wait until nobody holds a lock alone, and hold it together with others until the end of the transaction."""
    connection.execute(load_query("locks/hold_shared_in_transaction"), {"key": key})


def hold_in_transaction_if_free(connection: psycopg.Connection[Any], key: int) -> bool:
    """Hold a lock alone until the end of the transaction if nobody else has it; tell whether it is held. Never waits.

    A transaction that holds it together with others holds it alone if there are no others.
    """
    row = connection.execute(load_query("locks/hold_in_transaction_if_free"), {"key": key}).fetchone()
    return row is not None and bool(row[0])


def _hold_if_free(connection: psycopg.Connection[Any], key: int) -> bool:
    row = connection.execute(load_query("locks/hold_if_free"), {"key": key}).fetchone()
    return row is not None and bool(row[0])


@contextlib.contextmanager
def _released_at_the_end(connection: psycopg.Connection[Any], key: int) -> Iterator[None]:
    """Release a lock also after an error; who asks for it next has it at once, not when the server ends the session."""
    try:
        yield
    finally:
        try:
            connection.execute(load_query("locks/release"), {"key": key})
        except psycopg.OperationalError as error:
            # What was done is done, in transactions that are whole; it is no failure of theirs.
            why = first_line(error)
            _log.warning("the connection that held a lock was lost; others may have written meanwhile (%s)", why)
