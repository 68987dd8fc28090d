"""Bringing a database's views to the texts of ``sql/views``.

A view's comment says what it shows, which file it was made from and that file's digest, so what is in the database is
known from the database alone: whatever changed a view, or dropped it, is noticed. A view uses tables and views of
lower-numbered files only; from the first file on that differs, views are dropped in reverse order and created in order.
Where a table is exchanged, only the views that read it are made anew. What somebody has set on a view stays.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, Final, cast

import psycopg
import sqlalchemy.exc
from psycopg import sql
from sqlalchemy import Connection, text

from archive_pipeline.errors import DatabaseVersionError
from archive_pipeline.store.rows import fetch_column
from archive_pipeline.store.settings_of_relations import ViewSettings, refuse_obstacles
from archive_pipeline.store.sql_files import load_query, load_sql, view_names
from archive_pipeline.store.tables.base import DERIVED
from archive_pipeline.store.view_columns import view_columns

_COMMENT: Final = "Made by llm-archive from sql/views/{file}.sql, SHA-256 {digest}"
_MADE: Final = re.compile(
    re.escape(_COMMENT).replace(r"\{file\}", "([^/]+)").replace(r"\{digest\}", "([0-9a-f]{64})") + "$"
)


@dataclass(frozen=True, order=True, slots=True)
class _View:
    """A view that there is, or is to be; ordered as they are created.

    Attributes:
        file: the file it is made from.
        name: its name in the schema ``derived``.
        digest: of the file's text; empty if that is not known.
    """

    file: str
    name: str
    digest: str


def view_texts() -> dict[str, str]:
    """Return the text of each file of ``sql/views``, in the order of the files."""
    return {file: load_sql(f"views/{file}") for file in view_names()}


def update_views(
    connection: Connection,
    texts: Mapping[str, str],
    *,
    all_anew: bool = False,
    settings: Mapping[str, ViewSettings] | None = None,
) -> list[str]:
    """Make the views those of the texts, in the caller's transaction; return the names of those it created.

    A view of an older version that has no file any more is dropped. Views that are not the project's are left alone.
    A view that is as its file says, but not described as it does, gets its description and stays.

    Args:
        connection: to the archive, in a transaction.
        texts: text per file.
        all_anew: make every view anew: tables have changed, and ``*`` in a view is what it was when that was created.
        settings: of views that are dropped already, by name; else those that the views have now.

    Raises:
        DatabaseVersionError: something that is not the project's uses a view that is to be made anew, or is set on it.
    """
    there, wanted = _existing(connection, texts), _wanted(texts)
    differing = {*there} | {*wanted} if all_anew else {*there} ^ {*wanted}
    created: list[_View] = []
    if differing:
        kept = settings_of_views(connection, texts) if settings is None else settings
        first = min(view.file for view in differing)
        for view in sorted((view for view in there if view.file >= first), reverse=True):
            _drop(connection, view)
        created = [view for view in wanted if view.file >= first]
        _create(connection, created, texts, kept)
    described = [view for view in wanted if view in created or _comment(view, texts) != there[view]]
    _describe(connection, described, texts)
    return [view.name for view in created]


@contextmanager
def readers_made_anew(connection: Connection, texts: Mapping[str, str], table: str) -> Iterator[None]:
    """Do without the project's views that read a table, until the end of the block; others stay as they are.

    Args:
        connection: to a migrated archive, in a transaction.
        texts: text per file.
        table: its full name.

    Raises:
        DatabaseVersionError: something that is not the project's uses one of them, or is set on it.
    """
    readers = set(fetch_column(_driver(connection), "relations/view_readers", str, {"table": table}))
    dropped = [view for view in _existing(connection, texts) if view.name in readers]
    settings = _settings(connection, dropped)
    for view in sorted(dropped, reverse=True):
        _drop(connection, view)
    yield
    created = [view for view in _wanted(texts) if view.name in settings]
    _create(connection, created, texts, settings)
    _describe(connection, created, texts)


def settings_of_views(connection: Connection, texts: Mapping[str, str]) -> dict[str, ViewSettings]:
    """Return what is set on each of the project's views, by its name."""
    return _settings(connection, _existing(connection, texts))


def sentence_of(content: str) -> str:
    """Return what a file of ``sql/views`` says first: what the view shows."""
    lines = takewhile(lambda line: line.startswith("--"), content.splitlines())
    return " ".join(line.removeprefix("--").strip() for line in lines)


def view_name(file: str) -> str:
    """Return the name of the view that a file of ``sql/views`` creates."""
    return file.split("_", 1)[1]


def _wanted(texts: Mapping[str, str]) -> list[_View]:
    return [
        _View(file, view_name(file), hashlib.sha256(content.encode()).hexdigest())
        for file, content in sorted(texts.items())
    ]


def _existing(connection: Connection, texts: Mapping[str, str]) -> dict[_View, str]:
    """Return the project's views in the database, and their comments; without one they are known by their names."""
    files = {view_name(file): file for file in texts}
    found: dict[_View, str] = {}
    for name, comment in connection.execute(text(load_query("summary/derived_views"))):
        made = _MADE.search(comment or "")
        if made is not None:
            found[_View(made[1], name, made[2])] = comment
        elif name in files:
            found[_View(files[name], name, "")] = ""
    return found


def _settings(connection: Connection, views: Iterable[_View]) -> dict[str, ViewSettings]:
    driver = _driver(connection)
    return {view.name: ViewSettings.of(driver, f"{DERIVED}.{view.name}") for view in views}


def _create(
    connection: Connection, views: Iterable[_View], texts: Mapping[str, str], settings: Mapping[str, ViewSettings]
) -> None:
    """Create views in this order, and set on each what its namesake had."""
    for view in views:
        connection.execute(text(texts[view.file]))
        if view.name in settings:
            settings[view.name].set(_driver(connection), f"{DERIVED}.{view.name}")


def _comment(view: _View, texts: Mapping[str, str]) -> str:
    return f"{sentence_of(texts[view.file])}\n{_COMMENT.format(file=view.file, digest=view.digest)}"


def _describe(connection: Connection, views: Iterable[_View], texts: Mapping[str, str]) -> None:
    """Set the comments of views, and those of their columns."""
    comments = {view.name: _comment(view, texts) for view in views}
    if not comments:
        return
    driver = _driver(connection)
    columns = view_columns(driver)
    statements: list[sql.Composable] = []
    for name, comment in comments.items():
        view = sql.Identifier(DERIVED, name)
        statements.append(sql.SQL("COMMENT ON VIEW {} IS {}").format(view, sql.Literal(comment)))
        statements += [
            sql.SQL("COMMENT ON COLUMN {} IS {}").format(
                sql.Identifier(DERIVED, name, column.name), sql.Literal(column.meaning)
            )
            for column in columns.get(name, ())
        ]
    driver.execute(sql.SQL("; ").join(statements))


def _drop(connection: Connection, view: _View) -> None:
    refuse_obstacles(_driver(connection), f"{DERIVED}.{view.name}")
    try:
        connection.execute(text(f"DROP VIEW derived.{view.name}"))
    except sqlalchemy.exc.InternalError as error:
        if not isinstance(error.orig, psycopg.errors.DependentObjectsStillExist):
            raise
        raise DatabaseVersionError(
            f"derived.{view.name} has to be made anew, but something else uses it ({error.orig.diag.message_detail}); "
            "drop that, run the command again, and create it anew"
        ) from error


def _driver(connection: Connection) -> psycopg.Connection[Any]:
    return cast("psycopg.Connection[Any]", connection.connection.driver_connection)
