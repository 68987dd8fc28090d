"""Look-up indexes, made after a first import or a first build instead of row by row.

Hashes and ids come in no order, so that each new row writes to another page of each such index: half of what PostgreSQL
does for the largest tables, and more as soon as they are larger than its memory. To sort all of them afterwards is a
small part of that. Rows of dialogues are found by other indexes, which stay. The indexes of a table can be made while
other tables are computed.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, nullcontext, suppress
from typing import Any, Final

import psycopg
from psycopg import sql
from sqlalchemy import Index, Table
from sqlalchemy.dialects import postgresql
from sqlalchemy.schema import CreateIndex, DropIndex
from tenacity import Retrying, retry_if_exception_type, stop_after_attempt, wait_fixed

from archive_pipeline.store.database import Database
from archive_pipeline.store.index_upkeep import remembered
from archive_pipeline.store.rows import fetch_column, fetch_value
from archive_pipeline.store.sql_files import load_query
from archive_pipeline.store.tables import DERIVED_TABLES
from archive_pipeline.store.tables.base import DIALOGUE
from archive_pipeline.store.tables.hashes import duplicate_clusters
from archive_pipeline.store.tables.raw import attachments, content_parts, messages

Connection = psycopg.Connection[Any]

Later = tuple[Table, Index]
# Told of tables, by name, to which nothing more is going to be written.
Written = Callable[[Iterable[str]], None]

MAKING: Final = "making the look-up indexes of the new tables"

_log = logging.getLogger(__name__)

# Of smaller archives they are made in a moment either way.
FEWEST_MESSAGES: Final = 20_000
# Each waits a second and a half for its lock, behind which writers wait; readers do not.
_TRIES: Final = 20
_PAUSE: Final = 0.1
_DIALECT: Final = postgresql.dialect()  # type: ignore[no-untyped-call]
# Somebody uses the table, or another role owns it.
_LEFT: Final = (psycopg.errors.LockNotAvailable, psycopg.errors.InsufficientPrivilege)
# Another process has just made the same one.
_THERE: Final = (psycopg.errors.DuplicateTable, psycopg.errors.UniqueViolation)


def _look_ups(tables: Iterable[Table]) -> tuple[Later, ...]:
    """Return the indexes of tables that neither an import nor a build looks anything up in.

    Rows of a dialogue are found by indexes that begin with it, and messages with the ids of others by one of hashes.
    """
    return tuple(
        (table, index)
        for table in tables
        for index in sorted(table.indexes, key=lambda index: str(index.name))
        if not index.unique
        and next(iter(index.columns)).name != DIALOGUE
        and index.dialect_kwargs["postgresql_using"] != "hash"
    )


OF_RAW: Final = _look_ups((messages, content_parts, attachments))
# The table of clusters is written as a whole, by a step of its own.
OF_DERIVED: Final = _look_ups(table for table in DERIVED_TABLES if table is not duplicate_clusters)
LATER_INDEXES: Final = OF_RAW + OF_DERIVED


@contextmanager
def indexes_made_after_import(
    database: Database, *, on_wait: Callable[[str], None] = lambda _message: None
) -> Iterator[None]:
    """Have the look-up indexes of messages made at the end of the block: of a first import, or what one has left.

    How many messages will come is not known before; of a few of them all this takes a moment. An import that was killed
    has left them out: what follows the next one looks messages up by id. See `indexes_made_later`.
    """
    with database.session() as connection:
        is_first = not _has_rows(connection, messages)
        is_left = bool(_missing(connection, OF_RAW))
    with _made_later(database, OF_RAW if is_first else (), on_wait) if is_first or is_left else nullcontext():
        yield


def no_tables(_tables: Iterable[str]) -> None:
    """Make no index."""


@contextmanager
def indexes_made_later(
    database: Database, *, fewest: int = FEWEST_MESSAGES, on_wait: Callable[[str], None] = lambda _message: None
) -> Iterator[Written]:
    """Have the look-up indexes of derived tables that are empty now made at the end of the block, however that ends.

    What the block is given makes those of some tables meanwhile. What cannot be made then, or is left by a process that
    is killed, is made by the next command that writes, or at night (`make_missing_indexes`).

    Args:
        database: the archive; nothing is done to tables of another role.
        fewest: messages of an archive from which on it is worth it.
        on_wait: called with a message before indexes are made, which takes seconds a million messages.
    """
    with database.session() as connection:
        is_first = any(not _has_rows(connection, table) for table, _ in OF_DERIVED)
        is_worth_it = is_first and _count_messages(connection) >= fewest
    with _made_later(database, OF_DERIVED, on_wait) if is_worth_it else nullcontext(no_tables) as written:
        yield written


@contextmanager
def _made_later(database: Database, later: Sequence[Later], on_wait: Callable[[str], None]) -> Iterator[Written]:
    drop_indexes_of_empty_tables(database, later)
    try:
        with closing(_Meanwhile(database, later)) as meanwhile:
            yield meanwhile.make
    finally:
        try:
            make_missing_indexes(database, on_wait=on_wait)
        except psycopg.Error as error:
            _log.warning("indexes are left to the next import, build or night: %s", error)


class _Meanwhile:
    """Makes indexes in a thread of its own, one after the other."""

    def __init__(self, database: Database, later: Sequence[Later]) -> None:
        self._database = database
        self._later = later
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="indexes")

    def make(self, tables: Iterable[str]) -> None:
        """Begin to make those of the tables."""
        names = set(tables)
        self._thread.submit(self._make, [each for each in self._later if each[0].name in names])

    def close(self) -> None:
        """Wait for what has begun; the rest is left."""
        self._thread.shutdown(cancel_futures=True)

    def _make(self, later: Sequence[Later]) -> None:
        with suppress(psycopg.Error):  # the end of the block tries again, and says what is left
            _make_missing(self._database, later)


def drop_indexes_of_empty_tables(database: Database, later: Sequence[Later] = LATER_INDEXES) -> list[str]:
    """Drop look-up indexes whose tables have no rows; return their names. Those in use stay."""
    with database.statements() as connection:
        missing = _missing(connection, later)
        return [
            str(index.name)
            for table, index in later
            if index.name not in missing and _drop_if_empty(connection, table, index)
        ]


def make_missing_indexes(database: Database, *, on_wait: Callable[[str], None] = lambda _message: None) -> list[str]:
    """Make the look-up indexes that are not there; return their names.

    Args:
        database: the archive.
        on_wait: called with a message if that may take seconds.

    Raises:
        psycopg.errors.LockNotAvailable: somebody writes to the table all the time.
        psycopg.Error: one cannot be made, as on a full disk; the next call tries again.
    """
    return _make_missing(database, LATER_INDEXES, on_wait)


def _make_missing(
    database: Database, later: Sequence[Later], on_wait: Callable[[str], None] = lambda _message: None
) -> list[str]:
    with database.statements() as connection:
        missing = _missing(connection, later)
        made = [(table, index) for table, index in later if index.name in missing]
        if made and _count_messages(connection) >= FEWEST_MESSAGES:
            on_wait(MAKING)
        for table, index in made:
            _make(connection, table, index)
    return [str(index.name) for _, index in made]


def _missing(connection: Connection, later: Sequence[Later]) -> set[str]:
    names = [str(index.name) for _, index in later]
    return set(names) - set(fetch_column(connection, "summary/known_indexes", str, {"names": names}))


def _drop_if_empty(connection: Connection, table: Table, index: Index) -> bool:
    """Drop an index if its table has no rows, and tell whether it was; who uses the table waits for that moment."""
    if _has_rows(connection, table):
        return False
    is_empty = False
    with suppress(*_LEFT), connection.transaction() as transaction:
        connection.execute(load_query("locks/limit_waiting"))
        connection.execute(_sql(DropIndex(index)))
        is_empty = not _has_rows(connection, table)
        if not is_empty:
            raise psycopg.Rollback(transaction)
    return is_empty


def _count_messages(connection: Connection) -> int:
    return fetch_value(connection, "summary/messages_of_dialogues", int) or 0


def _has_rows(connection: Connection, table: Table) -> bool:
    name = sql.Identifier(str(table.schema), table.name)
    row = connection.execute(sql.SQL(load_query("summary/has_rows")).format(table=name)).fetchone()
    return row == (True,)


def _make(connection: Connection, table: Table, index: Index) -> None:
    """Make an index, and note that it need not be rebuilt soon."""
    tries = Retrying(
        retry=retry_if_exception_type(psycopg.errors.LockNotAvailable),
        stop=stop_after_attempt(_TRIES),
        wait=wait_fixed(_PAUSE),
        reraise=True,
    )
    for attempt in tries:
        with attempt:
            try:
                with connection.transaction():
                    connection.execute(load_query("locks/wait_for_autovacuum"))
                    connection.execute(load_query("relations/unnamed_tablespace"))
                    connection.execute(_sql(CreateIndex(index, if_not_exists=True)))
                    size = fetch_value(connection, "summary/table_bytes", int, {"table": str(table)}) or 0
                    connection.execute(remembered(str(table.schema), str(index.name), size))
            except _THERE:
                return


def _sql(statement: CreateIndex | DropIndex) -> bytes:
    return str(statement.compile(dialect=_DIALECT)).encode()
