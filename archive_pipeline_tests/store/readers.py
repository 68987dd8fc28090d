"""Roles that may read some of an archive."""

from __future__ import annotations

from itertools import count
from typing import Any

import psycopg
from psycopg import sql

from archive_pipeline.store.database import Database
from archive_pipeline_tests.conftest import administrator_url

_numbers = count()


def new_role(database: Database) -> str:
    """Create a role without any rights of its own; it stays as long as the server."""
    name = f"reader_{next(_numbers)}"
    execute(database, sql.SQL("DROP ROLE IF EXISTS {0}; CREATE ROLE {0}").format(sql.Identifier(name)).as_string())
    return name


def execute(database: Database, *statements: str) -> None:
    """Execute statements as the server's superuser."""
    with psycopg.connect(administrator_url(database), autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement.encode())


def seen_by(database: Database, role: str, statement: str) -> list[tuple[Any, ...]]:
    """Return the rows of a query by a role."""
    with psycopg.connect(administrator_url(database)) as connection:
        connection.execute(sql.SQL("SET ROLE {}").format(sql.Identifier(role)))
        return connection.execute(statement.encode()).fetchall()
