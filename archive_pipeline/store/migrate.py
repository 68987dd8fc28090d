"""Bringing a database to this code's schema: Alembic migrations from ``sql/migrations``, then the views."""

from __future__ import annotations

from functools import cache
from typing import Any, Final, cast

import psycopg
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError

from archive_pipeline.domain.choices import API
from archive_pipeline.errors import DatabaseUnavailableError, DatabaseVersionError
from archive_pipeline.readers.registry import readers
from archive_pipeline.store import locks
from archive_pipeline.store.database import DAGSTER_SCHEMA, Database
from archive_pipeline.store.failures import reason_of
from archive_pipeline.store.links import find_all_links
from archive_pipeline.store.sql_files import load_query, sql_folder
from archive_pipeline.store.tables.annotations import ANNOTATIONS
from archive_pipeline.store.tables.base import DERIVED, RAW
from archive_pipeline.store.views import settings_of_views, update_views, view_texts

VERSION_TABLE: Final = "schema_version"

RIGHTFUL_ROLE: Final = "its schemas have to belong to the role that connects, or to one whose rights it inherits"

# Sources that no reader has.
OWN_SOURCES: Final = {API: "Messages arrays stored by archive_pipeline.matching"}


def migrate(database: Database) -> None:
    """Create or upgrade the archive's schemas and the ``dagster`` one, and views that are not as in ``sql/views``.

    All of it is one transaction. Nothing is written if all is current.

    Raises:
        DatabaseVersionError: the schema is newer than this code, or a table or view of the user's own is in the way.
        DatabaseUnavailableError: the role may not create schemas, or the server has no room for the locks on so many
            partitions.
    """
    with database.engine.begin() as connection:
        locks.hold_in_transaction(connection, locks.MIGRATION)
        revision = current_revision(connection)
        is_older = revision != head_revision()
        # Some migrations drop views.
        settings = settings_of_views(connection, view_texts()) if revision is not None and is_older else None
        if is_older:
            connection.execute(text(load_query("relations/unnamed_tablespace")))
            _create_schemas(connection, database)
            _upgrade(connection)
            find_all_links(cast("psycopg.Connection[Any]", connection.connection.driver_connection))
        _add_sources(connection)
        update_views(connection, view_texts(), all_anew=is_older, settings=settings)


@cache
def head_revision() -> str:
    """Return the revision this code expects; the migrations are read once per process."""
    head = ScriptDirectory.from_config(alembic_config()).get_current_head()
    if head is None:
        raise DatabaseVersionError("no migrations are installed; reinstall the package")
    return head


def current_revision(connection: Connection) -> str | None:
    """Return the database's revision, None if it has none yet."""
    exists = connection.execute(text("SELECT to_regclass(:name)"), {"name": f"{RAW}.{VERSION_TABLE}"}).scalar()
    if exists is None:
        return None
    revision: str | None = connection.execute(text(f"SELECT version_num FROM {RAW}.{VERSION_TABLE}")).scalar()  # noqa: S608
    return revision


def alembic_config() -> Config:
    """Return the Alembic configuration; there is no ini file, the one entry is the folder of migrations."""
    config = Config()
    config.set_main_option("script_location", str(sql_folder() / "migrations"))
    return config


def _create_schemas(connection: Connection, database: Database) -> None:
    try:
        for schema in (RAW, DERIVED, ANNOTATIONS, DAGSTER_SCHEMA):
            connection.execute(text(f"CREATE SCHEMA IF NOT EXISTS {schema}"))
    except Exception as error:
        if isinstance(getattr(error, "orig", None), psycopg.errors.InsufficientPrivilege):
            raise DatabaseUnavailableError(
                f"the role of {database.shown_url} may not create schemas; grant it CREATE on the database"
            ) from error
        raise


def _upgrade(connection: Connection) -> None:
    config = alembic_config()
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    revision = current_revision(connection)
    if revision is not None and revision not in known:
        raise DatabaseVersionError(
            f"the database has schema version {revision}, which this version of llm-archive does not know; upgrade it"
        )
    config.attributes["connection"] = connection
    try:
        command.upgrade(config, "head")
    except DBAPIError as error:
        if isinstance(error.orig, psycopg.errors.OutOfMemory):
            raise DatabaseUnavailableError(
                "the archive cannot be upgraded: the server cannot lock all its partitions at once; raise its "
                "max_locks_per_transaction, start it again, and run the command again"
            ) from error
        if not isinstance(error.orig, psycopg.errors.DependentObjectsStillExist):
            if not isinstance(error.orig, psycopg.ProgrammingError):
                raise
            if isinstance(error.orig, psycopg.errors.InsufficientPrivilege):
                raise DatabaseUnavailableError(
                    f"the archive cannot be upgraded: {reason_of(error)}; {RIGHTFUL_ROLE}"
                ) from error
            raise DatabaseVersionError(
                f"the archive cannot be upgraded, for its schema is another one: {reason_of(error)}; "
                "nothing was changed"
            ) from error
        in_the_way = (error.orig.diag.message_detail or reason_of(error)).splitlines()[0]
        raise DatabaseVersionError(
            f"the archive cannot be upgraded: {in_the_way}; drop it, run the command again, and make it anew"
        ) from error


def _add_sources(connection: Connection) -> None:
    """Name the sources of readers that came after the database: a new reader needs no migration."""
    known = set(connection.execute(text(load_query("raw/source_ids"))).scalars())
    described = {reader.source: reader.description for reader in readers().values()} | OWN_SOURCES
    missing = [{"id": name, "description": item} for name, item in described.items() if name not in known]
    if missing:
        connection.execute(text(load_query("raw/add_source")), missing)
