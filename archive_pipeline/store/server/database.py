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

_IS_TEMPLATE: Final = "SELECT FROM pg_database WHERE datname = %s AND datistemplate"


class Connect(Protocol):
    """Connects to a database of the server as its administrator; statements commit one by one."""

    def __call__(self, database: str) -> psycopg.Connection[Any]:
        """Return an open connection."""


def prepare_database(connect: Connect) -> None:
    """Create role and database where they are missing; what another version left to the superuser becomes the role's.

    Databases that a new server has besides are dropped, unless they hold something or are in use. Every step is done
    only if it is needed, so an interrupted start is made good by the next. Each is one transaction but for dropping a
    database, which nobody can connect to any more if the server is killed meanwhile: it is dropped again.
    """
    with connect(MAINTENANCE_DATABASE) as connection:
        state = connection.execute(load_query("server/embedded_state").encode()).fetchone()
        has_role, owner, unusable, others = state or (False, None, [], [])
        empty = [name for name in others if _is_empty(connect, name)]
        if not has_role:
            _create_role(connection)
        if owner is None:
            _create_database(connection, empty.pop() if empty else None)
    with connect(DATABASE) as connection:
        if owner in {None, ADMINISTRATOR}:
            connection.execute(load_query("server/own_objects").encode())
        # Only a superuser may add it; vectors are searched by it.
        connection.execute(load_query("server/add_extension").encode())
    if unusable or empty:
        _drop_databases(connect, [*unusable, *empty])


def _create_role(connection: psycopg.Connection[Any]) -> None:
    role = sql.Identifier(ROLE)
    with connection.transaction():
        if connection.execute("SELECT FROM pg_roles WHERE rolname = %s", [ROLE]).fetchone() is None:
            connection.execute(sql.SQL("CREATE ROLE {}").format(role))
        rights = "LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS"
        connection.execute(sql.SQL("ALTER ROLE {} " + rights).format(role))
        connection.execute(sql.SQL("GRANT SET ON PARAMETER session_replication_role TO {}").format(role))


def _create_database(connection: psycopg.Connection[Any], spare: str | None) -> None:
    """Make the archive's database, the superuser's for now: of an empty one if there is any."""
    statement = "ALTER DATABASE {spare} RENAME TO {archive}" if spare else "CREATE DATABASE {archive}"
    names = {"spare": sql.Identifier(spare or DATABASE), "archive": sql.Identifier(DATABASE)}
    connection.execute(sql.SQL(statement).format(**names))


def _drop_databases(connect: Connect, names: Iterable[str]) -> None:
    """Drop databases; one that is in use is left for another start."""
    with connect(MAINTENANCE_DATABASE) as connection:
        for name in names:
            identifier = sql.Identifier(name)
            with suppress(psycopg.errors.ObjectInUse):
                # Once it is being dropped, a database cannot be changed any more.
                if connection.execute(_IS_TEMPLATE, [name]).fetchone() is not None:
                    connection.execute(sql.SQL("ALTER DATABASE {} IS_TEMPLATE false").format(identifier))
                connection.execute(sql.SQL("DROP DATABASE {}").format(identifier))


def _is_empty(connect: Connect, name: str) -> bool:
    with connect(name) as connection:
        row = connection.execute(load_query("server/has_own_objects").encode()).fetchone()
    return row == (False,)
