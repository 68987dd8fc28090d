"""What somebody has set on a table or view: read before it is made anew, and set again on the one in its place.

What cannot be set again is an obstacle, which has a name. All of this is the caller's transaction.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import psycopg
from psycopg import sql

from archive_pipeline.errors import DatabaseVersionError
from archive_pipeline.store.rows import fetch_column, fetch_rows, fetch_value

Connection = psycopg.Connection[Any]

_OF_TABLES: Final = ("relations/settings", "relations/comments")


class _Grant(NamedTuple):
    statement: str
    column_name: str | None


class _Policy(NamedTuple):
    """A policy of row-level security; ``table_name`` is qualified and quoted where needed."""

    table_name: str
    name: str
    statement: str


@dataclass(frozen=True, slots=True)
class Rights:
    """Who owns a table or view, and what others may do with it."""

    owner: str
    grants: list[_Grant]

    @classmethod
    def of(cls, connection: Connection, relation: str) -> Rights:
        """Return the rights on a relation, by its full name."""
        name = {"table": relation}
        owner = fetch_value(connection, "relations/owner", str, name)
        return cls(str(owner), fetch_rows(connection, "relations/grants", _Grant, name))

    def give(self, connection: Connection, relation: str, columns: set[str] | None = None) -> None:
        """Make the rights on a new relation these: neither fewer nor, by default privileges, more.

        Args:
            connection: of the role that has made the relation.
            relation: its full name.
            columns: those it has, if they may be others than before.
        """
        name = {"table": relation}
        if fetch_value(connection, "relations/owner", str, name) != self.owner:
            change_owner(connection, relation, self.owner)
        given = [grant.statement for grant in self.grants if columns is None or grant.column_name in {None, *columns}]
        _execute(connection, [*fetch_column(connection, "relations/revocations", str, name), *given])


@dataclass(frozen=True, slots=True)
class ViewSettings:
    """What is set on a view: rights, and options such as ``security_invoker``."""

    rights: Rights
    options: list[str]

    @classmethod
    def of(cls, connection: Connection, view: str) -> ViewSettings:
        """Return the settings of a view, by its full name."""
        return cls(
            Rights.of(connection, view), fetch_column(connection, "relations/view_options", str, {"table": view})
        )

    def set(self, connection: Connection, view: str) -> None:
        """Set them on the view that is in its place; rights on columns that it has no more are gone."""
        _execute(connection, self.options)
        self.rights.give(connection, view, set(fetch_column(connection, "partitions/columns", str, {"table": view})))


@dataclass(frozen=True, slots=True)
class TableSettings:
    """What is set on a table and is no column, key or index."""

    rights: Rights
    policies: list[_Policy]
    forced: list[str]
    statements: list[str]

    @classmethod
    def of(cls, connection: Connection, table: str) -> TableSettings:
        """Return the settings of a table, by its full name."""
        name = {"table": table}
        return cls(
            Rights.of(connection, table),
            fetch_rows(connection, "relations/policies", _Policy, name),
            fetch_column(connection, "relations/forced", str, name),
            [statement for query in _OF_TABLES for statement in fetch_column(connection, query, str, name)],
        )

    def take_off(self, connection: Connection, table: str) -> None:
        """Have the owner see all rows of the old table and of those it has keys to, and no policy need it."""
        for each in (table, *self.forced):  # a new key is checked as the owner, and takes hidden rows for missing ones
            _execute(connection, [f"ALTER TABLE {each} NO FORCE ROW LEVEL SECURITY"])
        for policy in self.policies:
            statement = sql.SQL(f"DROP POLICY {{}} ON {policy.table_name}")  # the name is the server's
            connection.execute(statement.format(sql.Identifier(policy.name)))

    def set(self, connection: Connection, table: str) -> None:
        """Set them on the new table, which has the old one's name and keys."""
        forced = [f"ALTER TABLE {each} FORCE ROW LEVEL SECURITY" for each in self.forced]
        _execute(connection, [*self.statements, *forced, *(policy.statement for policy in self.policies)])
        self.rights.give(connection, table)


def refuse_obstacles(connection: Connection, relation: str) -> None:
    """Refuse to make a table or view anew that has something which cannot be set again.

    Raises:
        DatabaseVersionError: it has; it is named.
    """
    obstacles = fetch_column(connection, "relations/obstacles", str, {"table": relation})
    if obstacles:
        raise DatabaseVersionError(
            f"{relation} cannot be exchanged, since something else is set on it ({'; '.join(obstacles)}); "
            "remove that, run the command again, and set it anew"
        )


def change_owner(connection: Connection, relation: str, owner: str) -> None:
    """Give a relation to a role; both names are as the server quotes them."""
    _execute(connection, [f"ALTER TABLE {relation} OWNER TO {owner}"])


def _execute(connection: Connection, statements: list[str]) -> None:
    for statement in statements:
        connection.execute(statement.encode())
