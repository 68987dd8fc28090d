"""The database a command or a Dagster process works on: its URL, engine, and connections."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import adbc_driver_postgresql.dbapi
import psycopg
import sqlalchemy
from sqlalchemy.engine import make_url

from archive_pipeline.errors import DatabaseUnavailableError, DatabaseVersionError
from archive_pipeline.settings import Settings
from archive_pipeline.store.database_url import libpq_url, shown_url, split_secrets
from archive_pipeline.store.server.embedded import embedded_url

MINIMUM_SERVER_VERSION: Final = 15
DAGSTER_SCHEMA: Final = "dagster"


@dataclass(frozen=True, repr=False)
class Database:
    """A PostgreSQL database that holds the schemas ``raw``, ``derived`` and ``dagster``.

    Attributes:
        url: libpq URL without a SQLAlchemy driver.
    """

    url: str

    def __repr__(self) -> str:
        return f"Database({self.shown_url!r})"

    @classmethod
    def open(cls, settings: Settings) -> Database:
        """Return the user's database, or the embedded one (started if needed).

        Raises:
            DatabaseUnavailableError: it cannot be started or reached.
            DatabaseVersionError: the server is older than PostgreSQL 15.
        """
        given = settings.database_url
        url = embedded_url(settings.postgres_folder) if given is None else given.get_secret_value()
        database = cls(libpq_url(url))
        database.check_server()
        return database

    @classmethod
    def of_engine(cls, engine: sqlalchemy.Engine) -> Database:
        """Return the database of an engine, to which further connections are opened by the engine's URL."""
        return cls(libpq_url(engine.url.set(drivername="postgresql").render_as_string(hide_password=False)))

    @cached_property
    def engine(self) -> sqlalchemy.Engine:
        """SQLAlchemy engine on psycopg 3."""
        url, secrets = split_secrets(make_url(self.url).set(drivername="postgresql+psycopg"))
        return sqlalchemy.create_engine(url, pool_pre_ping=True, connect_args=secrets)

    @contextmanager
    def session(self) -> Iterator[psycopg.Connection[Any]]:
        """Yield a psycopg connection from the engine's pool; commit at the end, roll back on an error."""
        with self.engine.begin() as connection:
            yield psycopg_connection(connection)

    @contextmanager
    def snapshot(self) -> Iterator[psycopg.Connection[Any]]:
        """Do what ``session`` does; all statements see the archive as it is at the first one."""
        with self.engine.connect() as connection:
            connection.execution_options(isolation_level="REPEATABLE READ")
            with connection.begin():
                yield psycopg_connection(connection)

    @contextmanager
    def arrow(self) -> Iterator[Any]:
        """Yield an ADBC connection, which reads result sets as Arrow tables."""
        with adbc_driver_postgresql.dbapi.connect(self.url, autocommit=True) as connection:
            yield connection

    def check_server(self) -> None:
        """Raise if the server cannot be reached or is too old."""
        try:
            with self.engine.connect() as connection:
                version = connection.connection.driver_connection.info.server_version  # type: ignore[union-attr]
        except sqlalchemy.exc.OperationalError as error:
            reason = _reason(str(error.orig))
            raise DatabaseUnavailableError(f"cannot reach PostgreSQL at {self.shown_url}: {reason}") from error
        if version // 10000 < MINIMUM_SERVER_VERSION:
            raise DatabaseVersionError(
                f"{self.shown_url} is PostgreSQL {version // 10000}; {MINIMUM_SERVER_VERSION} or newer is needed"
            )

    @property
    def shown_url(self) -> str:
        """The URL without its secrets."""
        return shown_url(self.url)

    @property
    def dagster_url(self) -> str:
        """URL for Dagster's own tables: psycopg2, in the schema ``dagster`` of the same database."""
        url = make_url(self.url).set(drivername="postgresql+psycopg2")
        options = f"{url.query.get('options', '')} -csearch_path={DAGSTER_SCHEMA}".strip()
        return url.update_query_dict({"options": options}).render_as_string(hide_password=False)


def psycopg_connection(connection: sqlalchemy.Connection) -> psycopg.Connection[Any]:
    """Return the connection of the driver below one of ``Database.engine``."""
    below = connection.connection.driver_connection
    if not isinstance(below, psycopg.Connection):
        raise TypeError(f"expected a psycopg connection, got {type(below).__name__}")
    return below


def _reason(message: str) -> str:
    """Return the line of libpq's message that has the cause: further lines are other attempts and advice."""
    lines = [line.strip() for line in message.strip().splitlines()]
    return next((line for line in lines if "failed:" in line), lines[0] if lines else "no answer")
