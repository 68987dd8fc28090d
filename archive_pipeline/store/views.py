"""Bringing a database's views to the texts of ``sql/views``.

A view says in its comment which file it was made from and that file's digest, so what is in the database is known from
the database alone: whatever changed a view, or dropped it, is noticed. A view uses tables and views of lower-numbered
files only; from the first file on that differs, views are dropped in reverse order and created in order.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import psycopg
import sqlalchemy.exc
from sqlalchemy import Connection, text

from archive_pipeline.errors import DatabaseVersionError
from archive_pipeline.store.sql_files import load_query, load_sql, view_names

_COMMENT: Final = "Made by llm-archive from sql/views/{file}.sql, SHA-256 {digest}"
_MADE: Final = re.compile(re.escape(_COMMENT).replace(r"\{file\}", "([^/]+)").replace(r"\{digest\}", "([0-9a-f]{64})"))


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


def update_views(connection: Connection, texts: Mapping[str, str], *, all_anew: bool = False) -> list[str]:
    """Make the views those of the texts, in the caller's transaction; return the names of those it created.

    A view of an older version that has no file any more is dropped. Views that are not the project's are left alone.

    Args:
        connection: to the archive, in a transaction.
        texts: text per file.
        all_anew: make every view anew: tables have changed, and ``*`` in a view is what it was when that was created.

    Raises:
        DatabaseVersionError: a view that is not the project's uses one that is to be made anew.
    """
    there, wanted = _existing(connection, texts), _wanted(texts)
    differing = {*there} | {*wanted} if all_anew else {*there} ^ {*wanted}
    if not differing:
        return []
    first = min(view.file for view in differing)
    for view in sorted((view for view in there if view.file >= first), reverse=True):
        _drop(connection, view)
    created = [view for view in wanted if view.file >= first]
    for view in created:
        connection.execute(text(texts[view.file]))
        # PostgreSQL takes no parameters here; file names and digests need no quoting.
        comment = _COMMENT.format(file=view.file, digest=view.digest)
        connection.execute(text(f"COMMENT ON VIEW derived.{view.name} IS '{comment}'"))
    return [view.name for view in created]


def drop_views(connection: Connection, texts: Mapping[str, str]) -> None:
    """Drop the project's views, in the caller's transaction; ``update_views`` makes them anew.

    Raises:
        DatabaseVersionError: a view that is not the project's uses one of them.
    """
    for view in sorted(_existing(connection, texts), reverse=True):
        _drop(connection, view)


def view_name(file: str) -> str:
    """Return the name of the view that a file of ``sql/views`` creates."""
    return file.split("_", 1)[1]


def _wanted(texts: Mapping[str, str]) -> list[_View]:
    return [
        _View(file, view_name(file), hashlib.sha256(content.encode()).hexdigest())
        for file, content in sorted(texts.items())
    ]


def _existing(connection: Connection, texts: Mapping[str, str]) -> list[_View]:
    """Return the project's views in the database; those of versions without comments are known by their names."""
    files = {view_name(file): file for file in texts}
    found: list[_View] = []
    for name, comment in connection.execute(text(load_query("summary/derived_views"))):
        made = _MADE.fullmatch(comment or "")
        if made is not None:
            found.append(_View(made[1], name, made[2]))
        elif name in files:
            found.append(_View(files[name], name, ""))
    return found


def _drop(connection: Connection, view: _View) -> None:
    try:
        connection.execute(text(f"DROP VIEW derived.{view.name}"))
    except sqlalchemy.exc.InternalError as error:
        if not isinstance(error.orig, psycopg.errors.DependentObjectsStillExist):
            raise
        raise DatabaseVersionError(
            f"derived.{view.name} has to be made anew, but other views use it ({error.orig.diag.message_detail}); "
            "drop those, run the command again, and create them anew"
        ) from error
