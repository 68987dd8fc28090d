"""The database a command or a Dagster process works on: its URL, engine, and connections."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import psycopg
import sqlalchemy
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from sqlalchemy.engine import make_url

from archive_pipeline.errors import ConfigurationError, DatabaseUnavailableError, DatabaseVersionError
from archive_pipeline.settings import Settings
from archive_pipeline.store.by_index import SESSION_BY_INDEX, TRANSACTION_BY_INDEX
from archive_pipeline.store.database_url import libpq_url, shown_url, split_secrets
from archive_pipeline.store.idle_connections import check_when_lent
from archive_pipeline.store.kept_connections import KeptConnections
from archive_pipeline.store.server.embedded import embedded_url
from archive_pipeline.store.sql_files import load_query

if TYPE_CHECKING:
    import adbc_driver_postgresql.dbapi

MINIMUM_SERVER_VERSION: Final = 15
DAGSTER_SCHEMA: Final = "dagster"
_DIRECT: Final = "ARCHIVE_DIRECT_DATABASE_URL"
_ENCODING: Final = {"client_encoding": "utf8"}
# Names come unquoted, NULL in an array is none, dates are ISO and in UTC, numbers have all their digits, a backslash is
# one. Who has waited for a lock sees what its holder wrote. A transaction may wait for what is computed, a lock for
# another command and a connection for the one whose lock it holds; and a statement may take its time.
_SESSION: Final = " ".join(
    f"-c{setting}"
    for setting in (
        "quote_all_identifiers=off",
        "array_nulls=on",
        "datestyle=ISO",
        "extra_float_digits=1",
        "standard_conforming_strings=on",
        r"default_transaction_isolation=read\ committed",
        "timezone=UTC",
        "idle_in_transaction_session_timeout=0",
        "idle_session_timeout=0",
        "lock_timeout=0",
        "statement_timeout=0",
    )
)
# libpq lets these win over what a connection asks for.
_VARIABLES: Final = ("PGDATESTYLE", "PGTZ")
# Columns have types that every server has. To ask for its types takes longer than to read a thousand messages.
_ARROW: Final = {"adbc.postgresql.type_resolver_mode": "builtin"}


@dataclass(frozen=True, repr=False)
class Database:
    """A PostgreSQL database that holds the schemas ``raw``, ``derived`` and ``dagster``.

    Attributes:
        url: libpq URL without a SQLAlchemy driver; a pooler may answer there that lends a connection for a transaction.
        direct_url: the same database past that pooler; None without one.
    """

    url: str
    direct_url: str | None = None

    def __repr__(self) -> str:
        return f"Database({self.shown_url!r})"

    def __reduce__(self) -> tuple[type[Database], tuple[str, str | None]]:
        """Pickle the URLs alone: another process has an engine of its own."""
        return type(self), (self.url, self.direct_url)

    @classmethod
    def open(cls, settings: Settings) -> Database:
        """Return the user's database, or the embedded one (started if needed).

        Variables by which libpq would have other dates and another time zone are taken out of the environment.

        Raises:
            DatabaseUnavailableError: it cannot be started or reached.
            DatabaseVersionError: the server is older than PostgreSQL 15.
            ConfigurationError: the direct URL is that of another database, or there is no other URL.
        """
        for variable in _VARIABLES:
            os.environ.pop(variable, None)
        database = cls.given(settings) or cls(libpq_url(embedded_url(settings.postgres_folder)))
        database.check_server()
        return database

    @classmethod
    def given(cls, settings: Settings) -> Database | None:
        """Return the user's database, None if the settings have no URL; nobody asks yet whether it answers.

        Raises:
            ConfigurationError: a URL cannot be used, or the direct one is the only one.
        """
        given, direct = settings.database_url, settings.direct_database_url
        if given is None:
            if direct is not None:
                raise ConfigurationError(f"{_DIRECT} is given without ARCHIVE_DATABASE_URL; set both, or neither")
            return None
        past_pooler = None if direct is None else libpq_url(direct.get_secret_value(), _DIRECT)
        return cls(libpq_url(given.get_secret_value()), past_pooler)

    @classmethod
    def of_engine(cls, engine: sqlalchemy.Engine, settings: Settings) -> Database:
        """Return the database of an engine, to which further connections are opened by the engine's URL.

        If the settings have that URL too, what they say of a way past the pooler holds.
        """
        url = libpq_url(engine.url.set(drivername="postgresql").render_as_string(hide_password=False))
        given = cls.given(settings)
        return cls(url) if given is None or given.url != url else given

    @property
    def is_local(self) -> bool:
        """Whether only programs of this machine reach it: by a Unix socket."""
        host = conninfo_to_dict(self.url).get("host") or "/"
        return str(host).startswith(("/", "@"))

    @cached_property
    def engine(self) -> sqlalchemy.Engine:
        """SQLAlchemy engine on psycopg 3.

        Its pool lends the connection that came back last: that one has most of the statements prepared.
        """
        url, arguments = split_secrets(make_url(self.url).set(drivername="postgresql+psycopg"))
        connect_args = {**arguments, **self._preparing, **self._own_settings(self.url)}
        engine = sqlalchemy.create_engine(url, pool_use_lifo=True, connect_args=connect_args)
        check_when_lent(engine)
        return engine

    @property
    def _preparing(self) -> dict[str, None]:
        """Arguments of psycopg: what was prepared on one of a pooler's connections is not there on the next."""
        return {} if self.direct_url is None else {"prepare_threshold": None}

    @property
    def conninfo(self) -> str:
        """What libpq connects by, with the settings of a session that the program counts on."""
        return make_conninfo(self.url, **self._own_settings(self.url))

    @property
    def session_conninfo(self) -> str:
        """What libpq connects by for what outlives a transaction: locks of a session, temporary tables."""
        url = self.direct_url or self.url
        return make_conninfo(url, **self._own_settings(url))

    def _own_settings(self, url: str) -> dict[str, str]:
        """Return parameters of a connection that win over what is set for the role, the database, or by environment.

        A pooler that lends connections for a transaction takes no options: they would be those of the next client.
        """
        if url != (self.direct_url or self.url):
            return _ENCODING
        given = conninfo_to_dict(url).get("options") or ""
        return {**_ENCODING, "options": f"{given} {_SESSION}".strip()}

    @contextmanager
    def session(self) -> Iterator[psycopg.Connection[Any]]:
        """Yield a psycopg connection from the engine's pool; commit at the end, roll back on an error."""
        with self.engine.begin() as connection:
            yield psycopg_connection(connection)

    @contextmanager
    def statements(self) -> Iterator[psycopg.Connection[Any]]:
        """Yield a psycopg connection of its own, on which each statement is a transaction."""
        with psycopg.connect(self.conninfo, autocommit=True, **self._preparing) as connection:
            yield connection

    @contextmanager
    def snapshot(self) -> Iterator[psycopg.Connection[Any]]:
        """Do what ``session`` does; all statements see the archive as it is at the first one."""
        with self.engine.connect() as connection:
            connection.execution_options(isolation_level="REPEATABLE READ")
            with connection.begin():
                yield psycopg_connection(connection)

    @contextmanager
    def arrow(self) -> Iterator[Any]:
        """Yield an ADBC connection, which reads result sets as Arrow tables, and rows by their indexes (`by_index`).

        It asks for a result in several requests, which a pooler passes to one server in a transaction only.
        """
        if self.direct_url is None:
            with self._arrow_connections.lent() as connection:
                yield connection
        else:
            with closing(self._open_arrow()) as connection:
                yield connection

    def arrow_kept(self) -> AbstractContextManager[None]:
        """Have `arrow` use its connections again until the end of the block, but for those by way of a pooler."""
        return self._arrow_connections.kept()

    @cached_property
    def _arrow_connections(self) -> KeptConnections:
        return KeptConnections(self._open_arrow)

    def _open_arrow(self) -> Any:
        is_session = self.direct_url is None
        with ExitStack() as unless_ready:
            connection = unless_ready.enter_context(arrow_connection(self.conninfo, autocommit=is_session))
            with connection.cursor() as cursor:
                cursor.execute(SESSION_BY_INDEX if is_session else TRANSACTION_BY_INDEX)
            unless_ready.pop_all()
        return connection

    def check_server(self) -> None:
        """Raise if the server cannot be reached or is too old, or the database has no UTF8."""
        try:
            with self.engine.connect() as connection:
                info = psycopg_connection(connection).info
                version, encoding = info.server_version, info.parameter_status("server_encoding")
                dates, strings = map(info.parameter_status, ("DateStyle", "standard_conforming_strings"))
        except sqlalchemy.exc.OperationalError as error:
            reason = _reason(str(error.orig))
            raise DatabaseUnavailableError(f"cannot reach PostgreSQL at {self.shown_url}: {reason}") from error
        if version // 10000 < MINIMUM_SERVER_VERSION:
            raise DatabaseVersionError(
                f"{self.shown_url} is PostgreSQL {version // 10000}; {MINIMUM_SERVER_VERSION} or newer is needed"
            )
        if encoding not in {None, "UTF8"}:  # a pooler may not tell
            raise ConfigurationError(f"{self.shown_url} has the encoding {encoding}; UTF8 is needed")
        if dates is not None and not dates.startswith("ISO"):
            raise ConfigurationError(
                f"{self.shown_url} writes dates as {dates}; ISO is needed: ALTER ROLE … SET datestyle = 'ISO'"
            )
        if strings == "off":
            raise ConfigurationError(
                f"{self.shown_url} reads a backslash in a string as an escape; "
                "standard strings are needed: ALTER ROLE … SET standard_conforming_strings = on"
            )
        if self.direct_url is not None:
            self._check_direct()

    def _check_direct(self) -> None:
        """Raise if the direct URL leads elsewhere: locks that are held there would keep nobody out."""
        identity = load_query("server/identity")
        try:
            with psycopg.connect(self.session_conninfo) as connection:
                there = connection.execute(identity).fetchone()
        except psycopg.OperationalError as error:
            shown = shown_url(self.direct_url or self.url)
            raise DatabaseUnavailableError(f"cannot reach PostgreSQL at {shown}: {_reason(str(error))}") from error
        with self.session() as connection:
            here = connection.execute(identity).fetchone()
        if here != there:
            raise ConfigurationError(f"{_DIRECT} is not the database of ARCHIVE_DATABASE_URL; correct one of them")

    @property
    def shown_url(self) -> str:
        """The URL without its secrets."""
        return shown_url(self.url)

    @property
    def dagster_url(self) -> str:
        """URL for Dagster's own tables: psycopg2, in the schema ``dagster`` of the same database.

        Dagster reads the server's local time as UTC, which it is by the session's time zone: west of it a run that was
        just created would count as hours old.
        """
        direct = self.direct_url or self.url
        own = self._own_settings(direct)
        own["options"] += f" -csearch_path={DAGSTER_SCHEMA}"
        url = make_url(direct).set(drivername="postgresql+psycopg2")
        return url.update_query_dict(own).render_as_string(hide_password=False)


def psycopg_connection(connection: sqlalchemy.Connection) -> psycopg.Connection[Any]:
    """Return the connection of the driver below one of ``Database.engine``."""
    below = connection.connection.driver_connection
    if not isinstance(below, psycopg.Connection):
        raise TypeError(f"expected a psycopg connection, got {type(below).__name__}")
    return below


def arrow_connection(conninfo: str, *, autocommit: bool) -> adbc_driver_postgresql.dbapi.Connection:
    """Return an ADBC connection, on which columns of types that extensions add cannot be read."""
    import adbc_driver_postgresql.dbapi  # noqa: PLC0415 (it loads pandas, and many processes read no table by Arrow)

    return adbc_driver_postgresql.dbapi.connect(conninfo, db_kwargs=_ARROW, autocommit=autocommit)


def _reason(message: str) -> str:
    """Return the line of libpq's message that has the cause: further lines are other attempts and advice."""
    lines = [line.strip() for line in message.strip().splitlines()]
    return next((line for line in lines if "failed:" in line), lines[0] if lines else "no answer")
