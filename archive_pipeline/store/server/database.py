"""The archive's database in the embedded server, and its role, which is no superuser and can do nothing outside it."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Any, Final, Protocol

import psycopg
from psycopg import sql

from archive_pipeline.store.server.files import ADMINISTRATOR, ROLE
from archive_pipeline.store.sql_files import load_query

DATABASE: Final = "archive"
# From here the server is administered, and tools for PostgreSQL look for it. The other two databases that a new server
# has are copies of it, of 8 MB each, which nothing here needs: one becomes the archive's, one is dropped.
MAINTENANCE_DATABASE: Final = "template1"
DEFAULT_DATABASE: Final = "postgres"
SPARE_TEMPLATE: Final = "template0"


class Connect(Protocol):
    """Connects to a database of the server as its administrator; statements commit one by one."""

    def __call__(self, database: str) -> psycopg.Connection[Any]:
        """Return an open connection."""


def prepare_database(connect: Connect) -> None:
    """Create role and database where they are missing; what another version left to the superuser becomes the role's.

    Databases that a new server has besides are dropped, unless they hold something or are in use. Every step is one
    transaction and is done only if it is needed, so an interrupted start is made good by the next.
    """
    with connect(MAINTENANCE_DATABASE) as connection:
        state = connection.execute(load_query("server/embedded_state").encode()).fetchone()
        has_role, owner, others = state or (False, None, [])
        if not has_role:
            _create_role(connection)
        if owner is None:
            _create_database(connection, is_there=DEFAULT_DATABASE in others)
    with connect(DATABASE) as connection:
        if owner in {None, ADMINISTRATOR}:
            connection.execute(load_query("server/own_objects").encode())
        # Only a superuser may add it; vectors are searched by it.
        connection.execute(load_query("server/add_extension").encode())
    if others:
        _drop_databases(connect, others if owner is not None else {*others} - {DEFAULT_DATABASE})


def _create_role(connection: psycopg.Connection[Any]) -> None:
    role = sql.Identifier(ROLE)
    with connection.transaction():
        if connection.execute("SELECT FROM pg_roles WHERE rolname = %s", [ROLE]).fetchone() is None:
            connection.execute(sql.SQL("CREATE ROLE {}").format(role))
        rights = "LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS"
        connection.execute(sql.SQL("ALTER ROLE {} " + rights).format(role))
        connection.execute(sql.SQL("GRANT SET ON PARAMETER session_replication_role TO {}").format(role))


def _create_database(connection: psycopg.Connection[Any], *, is_there: bool) -> None:
    """Make the archive's database, the superuser's for now, of the one that a new server has if it is there."""
    statement = sql.SQL("ALTER DATABASE {default} RENAME TO {archive}" if is_there else "CREATE DATABASE {archive}")
    names = {"default": sql.Identifier(DEFAULT_DATABASE), "archive": sql.Identifier(DATABASE)}
    connection.execute(statement.format(**names))


def _drop_databases(connect: Connect, names: Iterable[str]) -> None:
    """Drop those of the databases that nobody has put anything into; one that is in use is left for another start."""
    # Nobody can connect to the spare template, so it holds nothing.
    empty = [name for name in names if name == SPARE_TEMPLATE or _is_empty(connect, name)]
    with connect(MAINTENANCE_DATABASE) as connection:
        for name in map(sql.Identifier, empty):
            with suppress(psycopg.errors.ObjectInUse):
                connection.execute(sql.SQL("ALTER DATABASE {} IS_TEMPLATE false").format(name))
                connection.execute(sql.SQL("DROP DATABASE {}").format(name))


def _is_empty(connect: Connect, name: str) -> bool:
    with connect(name) as connection:
        row = connection.execute(load_query("server/has_own_objects").encode()).fetchone()
    return row == (False,)
